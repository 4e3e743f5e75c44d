// Superseded: decisions that were replaced, and by what
// params: project: STRING
// returns: newer, r, older
// Set the project first:  :param project => 'my-app'
MATCH (older:Snapshot)
WHERE older.project = $project AND older.created_at IS NOT NULL
WITH older
MATCH (newer)-[r:SUPERSEDES]->(older)
RETURN newer, r, older
LIMIT 150
