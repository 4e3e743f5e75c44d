// Snapshots of a project, longest without activity first, as of the time of the first page. What that page itself counted
// as accessed, at that very time, does not come again.
// params: project: STRING, from: ZONED DATETIME, as_of: ZONED DATETIME, after_id: STRING, since: ZONED DATETIME,
//   until: ZONED DATETIME, action_type: STRING, tag: STRING, author: STRING, session: STRING, limit: INTEGER
// returns: node, superseded_by
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, last_activity)
WHERE s.project = $project AND s.last_activity >= $from AND s.last_activity <= $as_of
  AND ($after_id IS NULL OR s.last_activity > $from OR s.id > $after_id)
  AND ($after_id IS NULL OR coalesce(s.last_accessed < $as_of, true))
  AND s.created_at >= $since AND s.created_at <= $until
  AND ($action_type IS NULL OR s.action_type = $action_type)
  AND ($tag IS NULL OR $tag IN s.tags)
  AND ($author IS NULL OR s.author = $author)
  AND ($session IS NULL OR s.session = $session)
WITH s ORDER BY s.project, s.last_activity, s.id LIMIT $limit
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node,
  COLLECT {
    MATCH (s)<-[:SUPERSEDES]-(t) WHERE t.project = $project
    RETURN {project: t.project, id: t.id, title: t.title} ORDER BY t.created_at, t.id
  } AS superseded_by
