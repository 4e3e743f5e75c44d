// The ids of the newest snapshots of a project, newest first, and how many it has.
// params: project: STRING, limit: INTEGER
// returns: ids, total
CALL () {
  MATCH (s:Snapshot)
  USING INDEX s:Snapshot(project, created_at)
  WHERE s.project = $project AND s.created_at IS NOT NULL
  WITH s ORDER BY s.project DESC, s.created_at DESC, s.id DESC LIMIT $limit
  RETURN collect(s.id) AS ids
}
CALL () {
  MATCH (s:Snapshot)
  WHERE s.project = $project AND s.created_at IS NOT NULL
  RETURN count(*) AS total
}
RETURN ids, total
