// Counts one access to each of the named snapshots. The direct increment holds the node before it reads it, so that
// concurrent accesses are all counted; keys come sorted, so that two callers wait for each other instead of deadlocking.
// params: keys: LIST<MAP>, accessor: STRING, now: ZONED DATETIME, epoch: ZONED DATETIME, kept: INTEGER
// returns: counted
UNWIND range(0, size($keys) - 1) AS position
WITH position, $keys[position] AS key ORDER BY position
MATCH (s:Snapshot {project: key.project, id: key.id})
SET s.access_count = coalesce(s.access_count, 0) + 1,
  s.recent_accesses = (coalesce(s.recent_accesses, []) + [$now])[-$kept..],
  s.recent_accessors = (coalesce(s.recent_accessors, []) + [$accessor])[-$kept..],
  s.last_accessed = CASE WHEN s.last_accessed > $now THEN s.last_accessed ELSE $now END,
  s.last_activity = CASE WHEN s.last_activity > $now THEN s.last_activity ELSE $now END,
  s.memory_tier = 'ACTIVE',
  s.last_predicted = $epoch
RETURN count(s) AS counted
