// Brings the stored causal role of snapshots up to date with their links.
// params: keys: LIST<MAP>
// returns: project, id, causal_role
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
WITH s, COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects
SET s.causal_role = CASE
  WHEN causes = 0 AND effects = 0 THEN 'isolated'
  WHEN causes = 0 THEN 'root'
  WHEN effects = 0 THEN 'leaf'
  WHEN effects = 1 THEN 'link'
  ELSE 'branch'
END
RETURN s.project AS project, s.id AS id, s.causal_role AS causal_role
ORDER BY project, id
