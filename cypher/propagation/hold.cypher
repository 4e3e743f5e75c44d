// Holds snapshots of a project until the end of the transaction, in the order given: what their scores rest on cannot
// change between reading it and writing them.
// params: project: STRING, ids: LIST<STRING>
// returns: held
UNWIND range(0, size($ids) - 1) AS position
WITH position ORDER BY position
MATCH (s:Snapshot {project: $project, id: $ids[position]})
SET s.source = s.source
RETURN count(s) AS held
