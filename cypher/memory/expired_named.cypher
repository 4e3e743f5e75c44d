// Titles of expired snapshots, and one that needs each and is not among the expired ones of the given projects.
// params: keys: LIST<MAP>, projects: LIST<STRING>, until: ZONED DATETIME
// returns: project, id, title, held_by
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
RETURN s.project AS project, s.id AS id, s.title AS title,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
    WHERE (startNode(r) = s) = (type(r) = 'SUPERSEDES') AND coalesce(r.origin, '') <> 'detected'
      AND NOT (t.project IN $projects AND t.last_activity < $until)
    RETURN {project: t.project, id: t.id, title: t.title, type: type(r)} ORDER BY t.project, t.id LIMIT 1
  }[0] AS held_by
