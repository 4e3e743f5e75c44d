// A page of the expired snapshots of a project, longest without activity first: what each needs of the expired ones of
// the given projects, and one that is not among them and needs it. A snapshot needs its causes, the dependencies that
// were not merely detected, and what supersedes it.
// params: project: STRING, projects: LIST<STRING>, from: ZONED DATETIME, after_id: STRING, until: ZONED DATETIME,
//   limit: INTEGER
// returns: id, title, last_activity, needs, held_by
MATCH (s:Snapshot)
WHERE s.project = $project AND s.last_activity >= $from AND s.last_activity < $until
  AND ($after_id IS NULL OR s.last_activity > $from OR s.id > $after_id)
WITH s ORDER BY s.project, s.last_activity, s.id LIMIT $limit
RETURN s.id AS id, s.title AS title, s.last_activity AS last_activity,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
    WHERE (startNode(r) = s) = (type(r) <> 'SUPERSEDES') AND coalesce(r.origin, '') <> 'detected'
      AND t.project IN $projects AND t.last_activity < $until
    RETURN DISTINCT {project: t.project, id: t.id}
  } AS needs,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
    WHERE (startNode(r) = s) = (type(r) = 'SUPERSEDES') AND coalesce(r.origin, '') <> 'detected'
      AND NOT (t.project IN $projects AND t.last_activity < $until)
    RETURN {project: t.project, id: t.id, title: t.title, type: type(r)} ORDER BY t.project, t.id LIMIT 1
  }[0] AS held_by
