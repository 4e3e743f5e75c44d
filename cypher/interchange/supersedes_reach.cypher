// All SUPERSEDES links that can be reached from these few snapshots.
// params: keys: LIST<MAP>
// returns: source_project, source, target_project, target
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})-[:SUPERSEDES]->*(x)
WITH DISTINCT x
MATCH (x)-[:SUPERSEDES]->(t)
RETURN x.project AS source_project, x.id AS source, t.project AS target_project, t.id AS target
