// Snapshots of a project, highest prediction score first: those that hold, or those that were superseded.
// params: project: STRING, at_most: FLOAT, after_id: STRING, superseded: BOOLEAN, since: ZONED DATETIME,
//   until: ZONED DATETIME, action_type: STRING, tag: STRING, author: STRING, session: STRING, limit: INTEGER
// returns: node, superseded_by
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, prediction_score)
WHERE s.project = $project AND s.prediction_score <= $at_most
  AND ($after_id IS NULL OR s.prediction_score < $at_most OR s.id < $after_id)
  AND EXISTS { (s)<-[:SUPERSEDES]-() } = $superseded
  AND s.created_at >= $since AND s.created_at <= $until
  AND ($action_type IS NULL OR s.action_type = $action_type)
  AND ($tag IS NULL OR $tag IN s.tags)
  AND ($author IS NULL OR s.author = $author)
  AND ($session IS NULL OR s.session = $session)
WITH s ORDER BY s.project DESC, s.prediction_score DESC, s.id DESC LIMIT $limit
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node,
  COLLECT {
    MATCH (s)<-[:SUPERSEDES]-(t) WHERE t.project = $project
    RETURN {project: t.project, id: t.id, title: t.title} ORDER BY t.created_at, t.id
  } AS superseded_by
