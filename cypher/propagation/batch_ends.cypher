// Divides the stale snapshots of a project, in the order of their ids, into batches: the last id of each, for a number
// of batches after a given id.
// params: project: STRING, after: STRING, cutoff: ZONED DATETIME, epoch: ZONED DATETIME, batch: INTEGER,
//   limit: INTEGER
// returns: ends, snapshots
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, id)
WHERE s.project = $project AND s.id > $after AND coalesce(s.last_predicted, $epoch) <= $cutoff
WITH s ORDER BY s.project, s.id LIMIT $limit
WITH collect(s.id) AS ids
RETURN [i IN range(0, size(ids) - 1) WHERE i % $batch = $batch - 1 OR i = size(ids) - 1 | ids[i]] AS ends,
  size(ids) AS snapshots
