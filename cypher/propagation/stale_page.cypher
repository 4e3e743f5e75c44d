// A page of the snapshots of a project that were last scored up to a cutoff, or never, in the order of their ids.
// params: project: STRING, after: STRING, cutoff: ZONED DATETIME, epoch: ZONED DATETIME, limit: INTEGER
// returns: ids
MATCH (s:Snapshot)
USING INDEX s:Snapshot(project, id)
WHERE s.project = $project AND s.id > $after AND coalesce(s.last_predicted, $epoch) <= $cutoff
WITH s ORDER BY s.project, s.id LIMIT $limit
RETURN collect(s.id) AS ids
