// What became of a snapshot that is gone.
// params: id: STRING, projects: LIST<STRING>
// returns: project, id, at, by, reason
MATCH (t:WakegraphTombstone)
WHERE t.id = $id AND t.project IS NOT NULL AND ($projects IS NULL OR t.project IN $projects)
RETURN t.project AS project, t.id AS id, t.at AS at, t.by AS by, t.reason AS reason
ORDER BY at DESC LIMIT 1
