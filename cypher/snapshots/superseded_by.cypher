// The newer snapshots that replace each of the named ones.
// params: keys: LIST<MAP>, projects: LIST<STRING>
// returns: project, id, newer
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})<-[:SUPERSEDES]-(t)
WHERE $projects IS NULL OR t.project IN $projects
WITH s, t ORDER BY t.created_at, t.project, t.id
RETURN s.project AS project, s.id AS id, collect({project: t.project, id: t.id, title: t.title}) AS newer
