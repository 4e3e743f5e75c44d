// Where causes leave a project and come back to it: from snapshots of the project to snapshots of the project, by ways
// outside of it. Only both ends are returned.
// params: project: STRING
// returns: effects, causes
MATCH (s:Snapshot)
WHERE s.project = $project AND s.created_at IS NOT NULL
MATCH (s)-[:CAUSED_BY]->(away:Snapshot WHERE away.project <> $project)
WITH away, collect(s.id) AS effects
CALL (away) {
  MATCH (away)((a WHERE a.project <> $project)-[:CAUSED_BY]->(b))*(x)
  WITH DISTINCT x
  WHERE x.project = $project
  RETURN collect(x.id) AS causes
}
WITH effects, causes
WHERE causes <> []
RETURN effects, causes
