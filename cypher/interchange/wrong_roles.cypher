// Snapshots written by one import whose stored causal role is not the one of their links.
// params: project: STRING, recorded_at: ZONED DATETIME, first: ZONED DATETIME, last: ZONED DATETIME, limit: INTEGER
// returns: project, id
MATCH (s:Snapshot)
WHERE s.project = $project AND s.created_at >= $first AND s.created_at <= $last AND s.recorded_at = $recorded_at
WITH s, COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects
WHERE s.causal_role <> CASE
  WHEN causes = 0 AND effects = 0 THEN 'isolated'
  WHEN causes = 0 THEN 'root'
  WHEN effects = 0 THEN 'leaf'
  WHEN effects = 1 THEN 'link'
  ELSE 'branch'
END
RETURN s.project AS project, s.id AS id LIMIT $limit
