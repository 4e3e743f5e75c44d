// Snapshots with an id, in some projects or in all.
// params: id: STRING, projects: LIST<STRING>, limit: INTEGER
// returns: project, id
MATCH (s:Snapshot)
WHERE s.id = $id AND ($projects IS NULL OR s.project IN $projects)
RETURN s.project AS project, s.id AS id ORDER BY project LIMIT $limit
