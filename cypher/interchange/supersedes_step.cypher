// The SUPERSEDES links that start at these snapshots.
// params: keys: LIST<MAP>
// returns: source_project, source, target_project, target
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})-[:SUPERSEDES]->(t)
RETURN s.project AS source_project, s.id AS source, t.project AS target_project, t.id AS target
