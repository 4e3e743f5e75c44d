// Names of the projects, of some or of all.
// params: projects: LIST<STRING>
// returns: name
MATCH (p:WakegraphProject)
WHERE p.name IS NOT NULL AND ($projects IS NULL OR p.name IN $projects)
RETURN p.name AS name ORDER BY name
