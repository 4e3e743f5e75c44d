// Snapshots that share a project and id, which the uniqueness constraint forbids.
// returns: key, copies
MATCH (s:Snapshot)
WITH s.project + '::' + s.id AS key, count(*) AS copies
WHERE copies > 1
RETURN key, copies ORDER BY key LIMIT 20
