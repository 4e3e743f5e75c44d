// The snapshots of a project with the highest scores, from a least score on: those that hold, or those superseded.
// params: project: STRING, at_least: FLOAT, superseded: BOOLEAN, limit: INTEGER
// returns: node, superseded_by
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, prediction_score)
WHERE s.project = $project AND s.prediction_score >= $at_least AND EXISTS { (s)<-[:SUPERSEDES]-() } = $superseded
WITH s ORDER BY s.project DESC, s.prediction_score DESC, s.id DESC LIMIT $limit
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node,
  COLLECT {
    MATCH (s)<-[:SUPERSEDES]-(t) WHERE t.project = $project
    RETURN {project: t.project, id: t.id, title: t.title} ORDER BY t.created_at, t.id
  } AS superseded_by
