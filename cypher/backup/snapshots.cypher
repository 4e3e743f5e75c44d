// A page of a project's snapshots by id, as they are stored.
// params: project: STRING, after: STRING, limit: INTEGER
// returns: properties
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
RETURN properties(s) AS properties ORDER BY s.project, s.id LIMIT $limit
