// What deleting a snapshot would remove, and what it would leave without a cause.
// params: key: MAP
// returns: title, links, artifacts, orphans, reassigned, neighbours
MATCH (s:Snapshot {project: $key.project, id: $key.id})
RETURN s.title AS title,
  COUNT { (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-() } AS links,
  COUNT { MATCH (s)-[:ABOUT]->(a) WHERE COUNT { (a)<-[:ABOUT]-() } = 1 } AS artifacts,
  COLLECT {
    MATCH (e)-[:CAUSED_BY]->(s) WHERE COUNT { (e)-[:CAUSED_BY]->() } = 1
    RETURN {project: e.project, id: e.id, title: e.title} ORDER BY e.created_at, e.project, e.id
  } AS orphans,
  COLLECT {
    MATCH (e)-[r:CAUSED_BY]->(s) WHERE r.primary AND COUNT { (e)-[:CAUSED_BY]->() } > 1
    RETURN {project: e.project, id: e.id}
  } AS reassigned,
  COLLECT {
    MATCH (n:Snapshot)-[:CAUSED_BY|DEPENDS_ON]-(s) WHERE n <> s
    RETURN DISTINCT {project: n.project, id: n.id}
  } AS neighbours
