// How many snapshots a project has, and how many were last scored up to a cutoff and after it, counted in the indexes.
// params: project: STRING, cutoff: ZONED DATETIME
// returns: total, stale, fresh
RETURN COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL } AS total,
  COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.last_predicted <= $cutoff } AS stale,
  COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.last_predicted > $cutoff } AS fresh
