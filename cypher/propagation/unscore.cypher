// Makes some of the snapshots of a project stale that are not, because they were scored by another formula.
// params: project: STRING, epoch: ZONED DATETIME, limit: INTEGER
// returns: made_stale
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, last_predicted)
WHERE s.project = $project AND s.last_predicted > $epoch
WITH s LIMIT $limit
WITH s ORDER BY s.id
SET s.last_predicted = $epoch
RETURN count(s) AS made_stale
