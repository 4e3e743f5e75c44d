// Removes snapshots with their links and what only they were about, and remembers each.
// params: keys: LIST<MAP>, now: ZONED DATETIME, by: STRING
// returns: pruned
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
WITH collect(s) AS victims
WITH victims, COLLECT {
  UNWIND victims AS s
  MATCH (s)-[:ABOUT]->(a:Artifact)
  WITH DISTINCT a ORDER BY a.project, a.ref
  RETURN a
} AS artifacts
FOREACH (s IN victims |
  CREATE (:WakegraphTombstone {project: s.project, id: s.id, at: $now, by: $by, reason: 'pruned'})
)
FOREACH (s IN victims | DETACH DELETE s)
WITH size(victims) AS pruned, artifacts
CALL (artifacts) {
  UNWIND artifacts AS a
  SET a.ref = a.ref
  WITH a WHERE NOT EXISTS { (a)<-[:ABOUT]-() }
  DELETE a
}
RETURN pruned
