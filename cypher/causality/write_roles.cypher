// Write the causal roles of snapshots of one project where they differ, given in order of id. Each is locked by the
// first SET before its links are counted, so that a link made meanwhile is never overwritten by an older role.
// params: project: STRING, ids: LIST<STRING>, epoch: ZONED DATETIME
// returns: changed
UNWIND $ids AS id
MATCH (s:Snapshot {project: $project, id: id})
SET s.last_predicted = s.last_predicted
WITH collect(s) AS locked
UNWIND locked AS s
WITH s, COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects
WITH s, CASE
    WHEN causes = 0 AND effects = 0 THEN 'isolated'
    WHEN causes = 0 THEN 'root'
    WHEN effects = 0 THEN 'leaf'
    WHEN effects = 1 THEN 'link'
    ELSE 'branch'
  END AS role
WHERE coalesce(s.causal_role, '') <> role
SET s.causal_role = role, s.last_predicted = $epoch
RETURN count(s) AS changed
