// The shortest way from a snapshot back to another one along causes; no row when there is none.
// params: from: MAP, to: MAP
// returns: path
MATCH (a:Snapshot {project: $from.project, id: $from.id}), (b:Snapshot {project: $to.project, id: $to.id})
MATCH p = shortestPath((a)-[:CAUSED_BY*]->(b))
RETURN [n IN nodes(p) | {project: n.project, id: n.id}] AS path
