// How many snapshots a project has.
// params: project: STRING
// returns: snapshots
MATCH (s:Snapshot)
WHERE s.project = $project AND s.created_at IS NOT NULL
RETURN count(s) AS snapshots
