// Time inversions: causes that are dated after their effects
// params: project: STRING
// returns: effect, r, cause
// Set the project first:  :param project => 'my-app'
MATCH (effect:Snapshot)-[r:CAUSED_BY]->(cause:Snapshot)
WHERE effect.project = $project AND effect.created_at IS NOT NULL AND cause.created_at > effect.created_at
RETURN effect, r, cause
LIMIT 100
