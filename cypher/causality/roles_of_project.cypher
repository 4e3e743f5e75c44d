// The causal roles of all snapshots of a project, from their links as they are now.
// params: project: STRING
// returns: project, id, role
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > ''
WITH s, COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects
RETURN s.project AS project, s.id AS id,
  CASE
    WHEN causes = 0 AND effects = 0 THEN 'isolated'
    WHEN causes = 0 THEN 'root'
    WHEN effects = 0 THEN 'leaf'
    WHEN effects = 1 THEN 'link'
    ELSE 'branch'
  END AS role
