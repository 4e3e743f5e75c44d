// Snapshots whose id starts with a prefix, in some projects or in all.
// params: id: STRING, projects: LIST<STRING>, limit: INTEGER
// returns: project, id
MATCH (s:Snapshot)
WHERE s.id STARTS WITH $id AND ($projects IS NULL OR s.project IN $projects)
WITH s LIMIT $limit
RETURN s.project AS project, s.id AS id ORDER BY project, id
