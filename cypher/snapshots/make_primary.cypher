// Makes one cause of a snapshot its primary one.
// params: source: MAP, target: MAP
// returns: project, id, title
MATCH (s:Snapshot {project: $source.project, id: $source.id})
      -[chosen:CAUSED_BY]->(t:Snapshot {project: $target.project, id: $target.id})
CALL (s, chosen) {
  MATCH (s)-[r:CAUSED_BY]->()
  SET r.primary = (r = chosen)
}
RETURN t.project AS project, t.id AS id, t.title AS title
