// The snapshots at the other ends of the links of those to prune, and whether their scores rest on such a link.
// params: keys: LIST<MAP>
// returns: project, id, scored
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
WHERE NOT {project: t.project, id: t.id} IN $keys
RETURN t.project AS project, t.id AS id,
  max(startNode(r) = s AND type(r) <> 'SUPERSEDES' AND r.origin <> 'detected') AS scored
