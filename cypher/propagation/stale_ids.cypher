// Some of the snapshots of a project that were last scored up to a cutoff, from the index: for when there are few.
// params: project: STRING, cutoff: ZONED DATETIME, limit: INTEGER
// returns: ids
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, last_predicted)
WHERE s.project = $project AND s.last_predicted <= $cutoff
WITH s LIMIT $limit
RETURN collect(s.id) AS ids
