// Which of the named snapshots exist.
// params: keys: LIST<MAP>
// returns: project, id
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
RETURN s.project AS project, s.id AS id
