// Removes CAUSED_BY links of a snapshot; returns those that were there.
// params: source: MAP, targets: LIST<MAP>
// returns: project, id, properties
MATCH (s:Snapshot {project: $source.project, id: $source.id})
UNWIND $targets AS key
MATCH (s)-[r:CAUSED_BY]->(t:Snapshot {project: key.project, id: key.id})
WITH t, r, properties(r) AS properties
DELETE r
RETURN t.project AS project, t.id AS id, properties
