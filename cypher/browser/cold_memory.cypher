// Cold memory: what nobody touched for longest, and whether something still rests on it
// params: project: STRING
// returns: title, tier, last_activity, needed_by, id
// Set the project first:  :param project => 'my-app'
MATCH (s:Snapshot)
WHERE s.project = $project AND s.last_activity IS NOT NULL
WITH s ORDER BY s.project, s.last_activity LIMIT 25
RETURN s.title AS title, s.memory_tier AS tier, s.last_activity AS last_activity,
  COUNT { (s)<-[r:CAUSED_BY|DEPENDS_ON WHERE r.origin <> 'detected']-() } AS needed_by, s.id AS id
