// A page of the snapshots of a project whose stored tier is not the one of a moment, in the order of their ids.
// params: project: STRING, after: STRING, active: ZONED DATETIME, recent: ZONED DATETIME, archived: ZONED DATETIME,
//   limit: INTEGER
// returns: ids
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, id)
WHERE s.project = $project AND s.id > $after
  AND coalesce(s.memory_tier, '') <> CASE
    WHEN s.last_activity >= $active THEN 'ACTIVE'
    WHEN s.last_activity >= $recent THEN 'RECENT'
    WHEN s.last_activity >= $archived THEN 'ARCHIVED'
    ELSE 'EXPIRED'
  END
WITH s ORDER BY s.project, s.id LIMIT $limit
RETURN collect(s.id) AS ids
