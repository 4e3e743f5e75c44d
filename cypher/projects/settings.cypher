// The settings nodes of projects, of some or of all.
// params: projects: LIST<STRING>
// returns: settings
MATCH (p:WakegraphProject)
WHERE p.name IS NOT NULL AND ($projects IS NULL OR p.name IN $projects)
RETURN properties(p) AS settings ORDER BY p.name
