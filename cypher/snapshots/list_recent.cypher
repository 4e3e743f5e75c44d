// Snapshots of a project, newest first, read in the order of the index.
// params: project: STRING, since: ZONED DATETIME, until: ZONED DATETIME, after_id: STRING, action_type: STRING,
//   tag: STRING, author: STRING, session: STRING, limit: INTEGER
// returns: node, superseded_by
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, created_at)
WHERE s.project = $project AND s.created_at >= $since AND s.created_at <= $until
  AND ($after_id IS NULL OR s.created_at < $until OR s.id < $after_id)
  AND ($action_type IS NULL OR s.action_type = $action_type)
  AND ($tag IS NULL OR $tag IN s.tags)
  AND ($author IS NULL OR s.author = $author)
  AND ($session IS NULL OR s.session = $session)
WITH s ORDER BY s.project DESC, s.created_at DESC, s.id DESC LIMIT $limit
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node,
  COLLECT {
    MATCH (s)<-[:SUPERSEDES]-(t) WHERE t.project = $project
    RETURN {project: t.project, id: t.id, title: t.title} ORDER BY t.created_at, t.id
  } AS superseded_by
