// How many snapshots of a project were last scored up to a cutoff.
// params: project: STRING, cutoff: ZONED DATETIME
// returns: stale
MATCH (s:Snapshot) WHERE s.project = $project AND s.last_predicted <= $cutoff
RETURN count(s) AS stale
