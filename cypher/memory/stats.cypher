// Tiers of the snapshots of a project at a moment, counted in the index; the oldest, the newest, and those never accessed.
// params: project: STRING, active: ZONED DATETIME, recent: ZONED DATETIME, archived: ZONED DATETIME
// returns: total, active, recent, archived, expired, never_accessed, oldest, newest
RETURN COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL } AS total,
  COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.last_activity >= $active } AS active,
  COUNT {
    MATCH (s:Snapshot) WHERE s.project = $project AND s.last_activity >= $recent AND s.last_activity < $active
  } AS recent,
  COUNT {
    MATCH (s:Snapshot) WHERE s.project = $project AND s.last_activity >= $archived AND s.last_activity < $recent
  } AS archived,
  COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.last_activity < $archived } AS expired,
  COUNT {
    MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL AND s.last_accessed IS NULL
  } AS never_accessed,
  COLLECT {
    MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL
    WITH s ORDER BY s.project, s.created_at LIMIT 1
    RETURN {project: s.project, id: s.id, title: s.title, created_at: s.created_at}
  }[0] AS oldest,
  COLLECT {
    MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL
    WITH s ORDER BY s.project DESC, s.created_at DESC LIMIT 1
    RETURN {project: s.project, id: s.id, title: s.title, created_at: s.created_at}
  }[0] AS newest
