// The causal roles of the named snapshots, from their links as they are now; unknown ones are left out.
// params: keys: LIST<MAP{project: STRING, id: STRING}>
// returns: project, id, role
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
WITH s, COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects
RETURN s.project AS project, s.id AS id,
  CASE
    WHEN causes = 0 AND effects = 0 THEN 'isolated'
    WHEN causes = 0 THEN 'root'
    WHEN effects = 0 THEN 'leaf'
    WHEN effects = 1 THEN 'link'
    ELSE 'branch'
  END AS role
