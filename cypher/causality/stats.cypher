// Counts over a whole project, by action type and causal role, from the links as they are now.
// params: project: STRING
// returns: action_type, role, snapshots, with_causes, stated, detected
MATCH (s:Snapshot)
WHERE s.project = $project AND s.created_at IS NOT NULL
WITH s.action_type AS action_type,
  COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects,
  COUNT { (s)-[:DEPENDS_ON]->() } AS dependencies,
  COUNT { (s)-[r:DEPENDS_ON WHERE r.origin = 'detected']->() } AS detections
RETURN action_type,
  CASE
    WHEN causes = 0 AND effects = 0 THEN 'isolated'
    WHEN causes = 0 THEN 'root'
    WHEN effects = 0 THEN 'leaf'
    WHEN effects = 1 THEN 'link'
    ELSE 'branch'
  END AS role,
  count(*) AS snapshots, sum(CASE WHEN causes > 0 THEN 1 ELSE 0 END) AS with_causes,
  sum(dependencies - detections) AS stated, sum(detections) AS detected
