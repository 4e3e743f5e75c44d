// What was deleted from a project.
// params: project: STRING
// returns: properties
MATCH (t:WakegraphTombstone)
WHERE t.project = $project AND t.id IS NOT NULL
RETURN properties(t) AS properties ORDER BY t.id, t.at
