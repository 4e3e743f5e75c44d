// Roots: where chains begin, with what they caused directly
// params: project: STRING
// returns: s, r, effect
// Set the project first:  :param project => 'my-app'
MATCH (n:Snapshot)
WHERE n.project = $project AND n.created_at IS NOT NULL AND n.causal_role = 'root'
WITH n ORDER BY n.created_at DESC LIMIT 50
WITH collect(n) AS roots
UNWIND roots AS s
OPTIONAL MATCH (s)<-[r:CAUSED_BY]-(effect)
RETURN s, r, effect
