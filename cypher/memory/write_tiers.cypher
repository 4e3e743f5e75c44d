// Brings the stored tier of snapshots up to date. The first SET holds each node, so that an access that commits
// meanwhile is seen and not undone.
// params: project: STRING, ids: LIST<STRING>, active: ZONED DATETIME, recent: ZONED DATETIME, archived: ZONED DATETIME
// returns: from_tier, to_tier, snapshots
UNWIND range(0, size($ids) - 1) AS position
WITH position ORDER BY position
MATCH (s:Snapshot {project: $project, id: $ids[position]})
SET s.source = s.source
WITH s, s.memory_tier AS from_tier, CASE
  WHEN s.last_activity >= $active THEN 'ACTIVE'
  WHEN s.last_activity >= $recent THEN 'RECENT'
  WHEN s.last_activity >= $archived THEN 'ARCHIVED'
  ELSE 'EXPIRED'
END AS to_tier
WHERE from_tier IS NULL OR from_tier <> to_tier
SET s.memory_tier = to_tier
RETURN from_tier, to_tier, count(s) AS snapshots
