// Snapshots with all their links; ends in projects that may not be shown are left out.
// params: keys: LIST<MAP>, projects: LIST<STRING>
// returns: node, caused_by, depends_on, supersedes, effects, dependents, superseded_by, about,
//   effect_count, dependent_count, leads_elsewhere
UNWIND range(0, size($keys) - 1) AS position
WITH position, $keys[position] AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
WITH position, s ORDER BY position
RETURN properties(s) AS node,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY]->(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {id: t.id, project: t.project, title: t.title, origin: r.origin, rationale: r.rationale,
            primary: r.primary, recorded_at: r.recorded_at,
            superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
              | {id: n.id, project: n.project, title: n.title}]}
    ORDER BY r.primary DESC, r.recorded_at, t.project, t.id
  } AS caused_by,
  COLLECT {
    MATCH (s)-[r:DEPENDS_ON]->(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {id: t.id, project: t.project, title: t.title, origin: r.origin, rationale: r.rationale,
            gap_seconds: r.gap_seconds, recorded_at: r.recorded_at,
            superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
              | {id: n.id, project: n.project, title: n.title}]}
    ORDER BY r.recorded_at, t.created_at DESC, t.project, t.id
  } AS depends_on,
  COLLECT {
    MATCH (s)-[r:SUPERSEDES]->(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {id: t.id, project: t.project, title: t.title, rationale: r.rationale, recorded_at: r.recorded_at,
            superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
              | {id: n.id, project: n.project, title: n.title}]}
    ORDER BY r.recorded_at, t.project, t.id
  } AS supersedes,
  COLLECT {
    MATCH (s)<-[r:CAUSED_BY]-(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {id: t.id, project: t.project, title: t.title, origin: r.origin, rationale: r.rationale,
            primary: r.primary, recorded_at: r.recorded_at,
            superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
              | {id: n.id, project: n.project, title: n.title}]}
    ORDER BY t.created_at, t.project, t.id LIMIT 1000
  } AS effects,
  COLLECT {
    MATCH (s)<-[r:DEPENDS_ON]-(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {id: t.id, project: t.project, title: t.title, origin: r.origin, rationale: r.rationale,
            gap_seconds: r.gap_seconds, recorded_at: r.recorded_at,
            superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
              | {id: n.id, project: n.project, title: n.title}]}
    ORDER BY t.created_at, t.project, t.id LIMIT 1000
  } AS dependents,
  COLLECT {
    MATCH (s)<-[:SUPERSEDES]-(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {id: t.id, project: t.project, title: t.title} ORDER BY t.created_at, t.project, t.id
  } AS superseded_by,
  COLLECT { MATCH (s)-[:ABOUT]->(a:Artifact) RETURN a.ref ORDER BY a.ref } AS about,
  COUNT { MATCH (s)<-[:CAUSED_BY]-(t) WHERE $projects IS NULL OR t.project IN $projects } AS effect_count,
  COUNT { MATCH (s)<-[:DEPENDS_ON]-(t) WHERE $projects IS NULL OR t.project IN $projects } AS dependent_count,
  $projects IS NOT NULL AND EXISTS {
    MATCH (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot) WHERE NOT t.project IN $projects
  } AS leads_elsewhere
