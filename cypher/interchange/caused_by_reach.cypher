// All CAUSED_BY links that can be reached from these few snapshots.
// params: keys: LIST<MAP>
// returns: source_project, source, target_project, target
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})-[:CAUSED_BY]->*(x)
WITH DISTINCT x
MATCH (x)-[:CAUSED_BY]->(t)
RETURN x.project AS source_project, x.id AS source, t.project AS target_project, t.id AS target
