// A whole project: the newest 150 snapshots and how they are linked
// params: project: STRING
// returns: s, r, t
// Set the project first:  :param project => 'my-app'
MATCH (n:Snapshot)
WHERE n.project = $project AND n.created_at IS NOT NULL
WITH n ORDER BY n.project DESC, n.created_at DESC, n.id DESC LIMIT 150
WITH collect(n) AS shown
UNWIND shown AS s
OPTIONAL MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]->(t)
WHERE t IN shown AND (r.origin IS NULL OR r.origin <> 'detected')
RETURN s, r, t
