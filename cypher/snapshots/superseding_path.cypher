// The shortest way from a snapshot to another one along what it supersedes; no row when there is none.
// params: from: MAP, to: MAP
// returns: path
MATCH (a:Snapshot {project: $from.project, id: $from.id}), (b:Snapshot {project: $to.project, id: $to.id})
MATCH p = shortestPath((a)-[:SUPERSEDES*]->(b))
RETURN [n IN nodes(p) | {project: n.project, id: n.id}] AS path
