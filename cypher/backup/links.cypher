// The links that leave a page of a project's snapshots, with all their properties, and what each is about.
// params: project: STRING, after: STRING, limit: INTEGER
// returns: id, links, about
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $limit
RETURN s.id AS id,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]->(t)
    RETURN {type: type(r), project: t.project, id: t.id, properties: properties(r)}
    ORDER BY type(r), t.project, t.id
  } AS links,
  COLLECT { MATCH (s)-[:ABOUT]->(a:Artifact) RETURN a.ref ORDER BY a.ref } AS about
