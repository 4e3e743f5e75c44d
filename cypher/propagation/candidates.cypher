// The snapshots of a project that were active last, and those with the highest scores.
// params: project: STRING, until: ZONED DATETIME, active: INTEGER, scored: INTEGER
// returns: ids
RETURN COLLECT {
  MATCH (s:Snapshot)
  USING INDEX SEEK s:Snapshot(project, last_activity)
  WHERE s.project = $project AND s.last_activity <= $until
  RETURN s.id ORDER BY s.project DESC, s.last_activity DESC LIMIT $active
} + COLLECT {
  MATCH (s:Snapshot)
  USING INDEX SEEK s:Snapshot(project, prediction_score)
  WHERE s.project = $project AND s.prediction_score >= 0.0
  RETURN s.id ORDER BY s.project DESC, s.prediction_score DESC LIMIT $scored
} AS ids
