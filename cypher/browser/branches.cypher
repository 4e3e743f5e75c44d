// Branches: the snapshots from which most went on, with their direct effects
// params: project: STRING
// returns: s, r, effect
// Set the project first:  :param project => 'my-app'
MATCH (n:Snapshot)
WHERE n.project = $project AND n.created_at IS NOT NULL AND n.causal_role IN ['root', 'branch']
WITH n, COUNT { (n)<-[:CAUSED_BY]-() } AS effects
ORDER BY effects DESC LIMIT 12
WITH collect(n) AS branches
UNWIND branches AS s
MATCH (s)<-[r:CAUSED_BY]-(effect)
RETURN s, r, effect
