// Ends the time in which a save is taken for a retry of this snapshot.
// params: project: STRING, retry_key: STRING
MATCH (s:Snapshot {project: $project, retry_key: $retry_key})
REMOVE s.retry_key
