// A page of the expired snapshots of a project, longest without activity first, as columns: what each needs of the
// expired ones of the given projects (ids, `project::id` for those of another one), and whether something that is not
// among them needs it. A snapshot needs its causes, the dependencies that were not merely detected, and what supersedes
// it.
// params: project: STRING, projects: LIST<STRING>, from: ZONED DATETIME, after_id: STRING, until: ZONED DATETIME,
//   limit: INTEGER
// returns: ids, activity, needs, held, last
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, last_activity)
WHERE s.project = $project AND s.last_activity >= $from AND s.last_activity < $until
  AND ($after_id IS NULL OR s.last_activity > $from OR s.id > $after_id)
WITH s ORDER BY s.project, s.last_activity, s.id LIMIT $limit
RETURN collect(s.id) AS ids,
  collect(s.last_activity.epochMillis) AS activity,
  collect(COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
    WHERE (startNode(r) = s) = (type(r) <> 'SUPERSEDES') AND coalesce(r.origin, '') <> 'detected'
      AND t.project IN $projects AND t.last_activity < $until
    RETURN DISTINCT CASE t.project WHEN $project THEN t.id ELSE t.project + '::' + t.id END
  }) AS needs,
  collect(EXISTS {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
    WHERE (startNode(r) = s) = (type(r) = 'SUPERSEDES') AND coalesce(r.origin, '') <> 'detected'
      AND NOT (t.project IN $projects AND t.last_activity < $until)
  }) AS held,
  collect(s.last_activity)[-1] AS last
