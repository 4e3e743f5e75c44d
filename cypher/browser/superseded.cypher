// Superseded: decisions that were replaced, and by what
// params: project: STRING
// returns: newer, r, older
// Set the project first:  :param project => 'my-app'
MATCH (newer)-[r:SUPERSEDES]->(older:Snapshot)
USING INDEX SEEK older:Snapshot(project, created_at)
WHERE older.project = $project AND older.created_at IS NOT NULL
RETURN newer, r, older
LIMIT 150
