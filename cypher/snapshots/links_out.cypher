// The links that go out from a snapshot.
// params: project: STRING, id: STRING
// returns: type, project, id, title, properties
MATCH (s:Snapshot {project: $project, id: $id})-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]->(t)
RETURN type(r) AS type, t.project AS project, t.id AS id, t.title AS title, properties(r) AS properties
ORDER BY type, r.recorded_at, project, id
