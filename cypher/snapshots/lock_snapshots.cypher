// Holds snapshots, in the order given, until the end of the transaction. Writing any property takes the lock.
// params: keys: LIST<MAP>
// returns: project, id, title
UNWIND range(0, size($keys) - 1) AS position
WITH position, $keys[position] AS key ORDER BY position
MATCH (s:Snapshot {project: key.project, id: key.id})
SET s.causal_role = s.causal_role
RETURN s.project AS project, s.id AS id, s.title AS title
