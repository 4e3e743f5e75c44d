// Artifacts that share a project and reference, which the uniqueness constraint forbids.
// returns: key, copies
MATCH (a:Artifact)
WITH a.project + '::' + a.ref AS key, count(*) AS copies
WHERE copies > 1
RETURN key, copies ORDER BY key LIMIT 20
