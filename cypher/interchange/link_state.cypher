// Of these snapshots, those with links that a new link of theirs has to be checked against.
// params: keys: LIST<MAP>
// returns: project, id, has_effects, has_newer, has_primary
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
WITH s, EXISTS { (s)<-[:CAUSED_BY]-() } AS has_effects, EXISTS { (s)<-[:SUPERSEDES]-() } AS has_newer,
  EXISTS { (s)-[:CAUSED_BY {primary: true}]->() } AS has_primary
WHERE has_effects OR has_newer OR has_primary
RETURN s.project AS project, s.id AS id, has_effects, has_newer, has_primary
