// Snapshots with all their links by kind; ends in projects that may not be shown are left out.
// The kinds are parts of a union: as columns of one row, each would carry the lists of those before it through its sort,
// and a star of some thousand effects would exceed the memory of a transaction.
// params: keys: LIST<MAP>, projects: LIST<STRING>
// returns: node, parts, effect_count, dependent_count, leads_elsewhere
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
CALL (s) {
  MATCH (s)-[r:CAUSED_BY]->(t) WHERE $projects IS NULL OR t.project IN $projects
  WITH r, t ORDER BY r.primary DESC, r.recorded_at, t.project, t.id
  WITH collect({
    id: t.id, project: t.project, title: t.title, origin: r.origin, primary: r.primary,
    rationale: r.rationale, recorded_at: r.recorded_at,
    superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  }) AS links
  RETURN 'caused_by' AS kind, links
  UNION ALL
  MATCH (s)-[r:DEPENDS_ON]->(t) WHERE $projects IS NULL OR t.project IN $projects
  WITH r, t ORDER BY r.recorded_at, t.created_at DESC, t.project, t.id
  WITH collect({
    id: t.id, project: t.project, title: t.title, origin: r.origin, gap_seconds: r.gap_seconds,
    rationale: r.rationale, recorded_at: r.recorded_at,
    superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  }) AS links
  RETURN 'depends_on' AS kind, links
  UNION ALL
  MATCH (s)-[r:SUPERSEDES]->(t) WHERE $projects IS NULL OR t.project IN $projects
  WITH r, t ORDER BY r.recorded_at, t.project, t.id
  WITH collect({
    id: t.id, project: t.project, title: t.title, rationale: r.rationale, recorded_at: r.recorded_at,
    superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  }) AS links
  RETURN 'supersedes' AS kind, links
  UNION ALL
  MATCH (s)<-[r:CAUSED_BY]-(t) WHERE $projects IS NULL OR t.project IN $projects
  WITH r, t ORDER BY t.created_at, t.project, t.id LIMIT 1000
  WITH collect({
    id: t.id, project: t.project, title: t.title, origin: r.origin, primary: r.primary,
    rationale: r.rationale, recorded_at: r.recorded_at,
    superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  }) AS links
  RETURN 'effects' AS kind, links
  UNION ALL
  MATCH (s)<-[r:DEPENDS_ON]-(t) WHERE $projects IS NULL OR t.project IN $projects
  WITH r, t ORDER BY t.created_at, t.project, t.id LIMIT 1000
  WITH collect({
    id: t.id, project: t.project, title: t.title, origin: r.origin, gap_seconds: r.gap_seconds,
    rationale: r.rationale, recorded_at: r.recorded_at,
    superseded_by: [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  }) AS links
  RETURN 'dependents' AS kind, links
  UNION ALL
  MATCH (s)<-[:SUPERSEDES]-(t) WHERE $projects IS NULL OR t.project IN $projects
  WITH t ORDER BY t.created_at, t.project, t.id
  WITH collect({id: t.id, project: t.project, title: t.title}) AS links
  RETURN 'superseded_by' AS kind, links
  UNION ALL
  MATCH (s)-[:ABOUT]->(a:Artifact)
  WITH a ORDER BY a.ref
  WITH collect(a.ref) AS links
  RETURN 'about' AS kind, links
}
WITH s, collect({kind: kind, links: links}) AS parts
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node, parts,
  COUNT { MATCH (s)<-[:CAUSED_BY]-(t) WHERE $projects IS NULL OR t.project IN $projects } AS effect_count,
  COUNT { MATCH (s)<-[:DEPENDS_ON]-(t) WHERE $projects IS NULL OR t.project IN $projects } AS dependent_count,
  $projects IS NOT NULL AND EXISTS {
    MATCH (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t:Snapshot) WHERE NOT t.project IN $projects
  } AS leads_elsewhere
