// The settings nodes of some projects or of all.
// params: names: LIST<STRING>
// returns: properties
MATCH (p:WakegraphProject)
WHERE p.name IS NOT NULL AND ($names IS NULL OR p.name IN $names)
RETURN properties(p) AS properties ORDER BY p.name
