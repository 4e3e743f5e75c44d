// Gives each of the named snapshots that lost its primary cause the oldest remaining one as primary.
// params: keys: LIST<MAP>
// returns: effect, project, id, title
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
WHERE NOT EXISTS { (s)-[:CAUSED_BY {primary: true}]->() }
CALL (s) {
  MATCH (s)-[r:CAUSED_BY]->(t)
  WITH r, t ORDER BY r.recorded_at, t.created_at, t.project, t.id LIMIT 1
  SET r.primary = true
  RETURN t
}
RETURN s.project + '::' + s.id AS effect, t.project AS project, t.id AS id, t.title AS title
