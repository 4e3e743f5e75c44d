// Which of these snapshots are stored, with what an import compares.
// params: project: STRING, ids: LIST<STRING>
// returns: id, content, caused_by, depends_on, supersedes, about, has_effects, has_newer
UNWIND $ids AS id
MATCH (s:Snapshot {project: $project, id: id})
RETURN s.id AS id, s.content AS content,
  [(s)-[:CAUSED_BY]->(t) | [t.project, t.id]] AS caused_by,
  [(s)-[:DEPENDS_ON]->(t) | [t.project, t.id]] AS depends_on,
  [(s)-[:SUPERSEDES]->(t) | [t.project, t.id]] AS supersedes,
  [(s)-[:ABOUT]->(a) | a.ref] AS about,
  EXISTS { (s)<-[:CAUSED_BY]-() } AS has_effects,
  EXISTS { (s)<-[:SUPERSEDES]-() } AS has_newer
