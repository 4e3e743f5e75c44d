// Dependency hubs: what most others depend on, with those that do
// params: project: STRING
// returns: hub, r, dependent
// Set the project first:  :param project => 'my-app'
MATCH (n:Snapshot)
WHERE n.project = $project AND n.created_at IS NOT NULL
WITH n, COUNT { (n)<-[d:DEPENDS_ON WHERE d.origin <> 'detected']-() } AS dependents
WHERE dependents > 0
WITH n ORDER BY dependents DESC LIMIT 8
WITH collect(n) AS hubs
UNWIND hubs AS hub
MATCH (hub)<-[r:DEPENDS_ON WHERE r.origin <> 'detected']-(dependent)
RETURN hub, r, dependent
