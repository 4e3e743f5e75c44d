// A page of a project in order of id: which snapshots hold a causal role other than their links say.
// params: project: STRING, after: STRING, page: INTEGER
// returns: seen, last, ids
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $page
WITH s.id AS id, s.causal_role AS stored,
  COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects
WITH id, coalesce(stored, '') <> CASE
    WHEN causes = 0 AND effects = 0 THEN 'isolated'
    WHEN causes = 0 THEN 'root'
    WHEN effects = 0 THEN 'leaf'
    WHEN effects = 1 THEN 'link'
    ELSE 'branch'
  END AS differs
RETURN count(*) AS seen, max(id) AS last, collect(CASE WHEN differs THEN id END) AS ids
