// What deleting a snapshot would remove, and what it would leave without a cause.
// Links are counted by whether their other end may be shown.
// params: key: MAP, projects: LIST<STRING>
// returns: title, links, links_elsewhere, artifacts, orphans, reassigned, neighbours
MATCH (s:Snapshot {project: $key.project, id: $key.id})
RETURN s.title AS title,
  COUNT {
    MATCH (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot) WHERE $projects IS NULL OR t.project IN $projects
  } AS links,
  $projects IS NOT NULL AND EXISTS {
    MATCH (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot) WHERE NOT t.project IN $projects
  } AS links_elsewhere,
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
