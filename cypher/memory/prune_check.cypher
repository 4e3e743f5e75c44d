// Whether each of the snapshots to prune, held by now, is still expired, and which snapshots need it.
// params: keys: LIST<MAP>, until: ZONED DATETIME
// returns: project, id, expired, needed_by
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
RETURN s.project AS project, s.id AS id, s.last_activity < $until AS expired,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot)
    WHERE (startNode(r) = s) = (type(r) = 'SUPERSEDES') AND coalesce(r.origin, '') <> 'detected'
    RETURN DISTINCT {project: t.project, id: t.id}
  } AS needed_by
