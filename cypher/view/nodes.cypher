// What a picture shows of the named snapshots, as columns in their order. Each comes with all its outgoing links, so
// that a link can be drawn by whoever has both ends. Times are microseconds since 1970.
// params: keys: LIST<MAP{project: STRING, id: STRING}>, projects: LIST<STRING>
// returns: ids, node_projects, titles, action_types, roles, scores, created, active, authors, links, effects, elsewhere
UNWIND range(0, size($keys) - 1) AS i
MATCH (s:Snapshot {project: $keys[i].project, id: $keys[i].id})
WITH i, s,
  [(s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]->(t WHERE $projects IS NULL OR t.project IN $projects)
    | [type(r), t.project, t.id, r.origin, r.primary]] AS out,
  COUNT {
    MATCH (s)<-[r:CAUSED_BY|DEPENDS_ON WHERE r.origin <> 'detected']-(t WHERE $projects IS NULL OR t.project IN $projects)
    RETURN DISTINCT t
  } AS effect_count,
  $projects IS NOT NULL AND EXISTS {
    (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(t WHERE NOT t.project IN $projects)
  } AS leads_elsewhere
ORDER BY i
RETURN collect(s.id) AS ids, collect(s.project) AS node_projects, collect(s.title) AS titles,
  collect(s.action_type) AS action_types, collect(s.causal_role) AS roles, collect([s.prediction_score]) AS scores,
  collect(s.created_at.epochMillis * 1000 + s.created_at.microsecond % 1000) AS created,
  collect(s.last_activity.epochMillis * 1000 + s.last_activity.microsecond % 1000) AS active,
  collect([s.author]) AS authors, collect(out) AS links, collect(effect_count) AS effects,
  collect(leads_elsewhere) AS elsewhere
