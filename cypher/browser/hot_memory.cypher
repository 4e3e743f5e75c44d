// Hot memory: what was made or read last
// params: project: STRING
// returns: title, tier, last_activity, reads, id
// Set the project first:  :param project => 'my-app'
MATCH (s:Snapshot)
WHERE s.project = $project AND s.last_activity IS NOT NULL
WITH s ORDER BY s.project DESC, s.last_activity DESC LIMIT 25
RETURN s.title AS title, s.memory_tier AS tier, s.last_activity AS last_activity, s.access_count AS reads, s.id AS id
