// Snapshots of a project with what supersedes them.
// params: project: STRING, ids: LIST<STRING>
// returns: node, superseded_by
UNWIND range(0, size($ids) - 1) AS position
WITH position ORDER BY position
MATCH (s:Snapshot {project: $project, id: $ids[position]})
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node,
  COLLECT {
    MATCH (s)<-[:SUPERSEDES]-(t) WHERE t.project = $project
    RETURN {project: t.project, id: t.id, title: t.title} ORDER BY t.created_at, t.id
  } AS superseded_by
