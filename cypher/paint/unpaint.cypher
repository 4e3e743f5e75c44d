// Take the labels for Neo4j Browser's style sheet off the next snapshots of a project, in the order of their ids.
// params: project: STRING, after: STRING, limit: INTEGER
// returns: seen, last
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $limit
REMOVE s:RoleRoot:RoleBranch:RoleLink:RoleLeaf:RoleIsolated:ScoreHigh:ScoreMiddle:ScoreLow
RETURN count(*) AS seen, max(s.id) AS last
