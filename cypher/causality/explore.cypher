// Everything that leads to a snapshot, or follows from it, or both: each snapshot once with its smallest distance,
// nearest first, cut at a depth and a count. One row of columns; nothing outside $projects is walked or shown.
// Links are those that leave each snapshot; the caller keeps those whose other end is listed too.
// params: project: STRING, id: STRING, projects: LIST<STRING>, causes: BOOLEAN, effects: BOOLEAN,
//   include_detected: BOOLEAN, depth: INTEGER, limit: INTEGER
// returns: total, distances, ids, node_projects, titles, summaries, action_types, roles, scores, created, active,
//   authors, links, superseded_by, elsewhere
MATCH (t:Snapshot {project: $project, id: $id})
CALL (t) {
  MATCH p = (t)((a)-[r:CAUSED_BY|DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']->
    (b WHERE $projects IS NULL OR b.project IN $projects))*(x)
  WHERE $causes
  RETURN x, min(length(p)) AS steps
  UNION ALL
  MATCH p = (t)((a)<-[r:CAUSED_BY|DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']-
    (b WHERE $projects IS NULL OR b.project IN $projects))*(x)
  WHERE $effects
  RETURN x, min(length(p)) AS steps
}
WITH x, min(steps) AS distance
ORDER BY distance, x.created_at, x.project, x.id
WITH collect(x) AS reached, collect(distance) AS reached_at, sum(CASE WHEN distance <= $depth THEN 1 ELSE 0 END) AS near
CALL (reached, reached_at, near) {
  UNWIND range(0, CASE WHEN near < $limit THEN near ELSE $limit END - 1) AS i
  WITH i, reached[i] AS x, reached_at[i] AS distance
  WITH i, x, distance,
    [(x)-[r:CAUSED_BY|DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']->
      (m WHERE $projects IS NULL OR m.project IN $projects)
      | [type(r), m.project, m.id, r.origin, r.rationale, r.primary, r.gap_seconds,
        r.recorded_at.epochMillis * 1000 + r.recorded_at.microsecond % 1000]] AS out,
    [(x)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}] AS newer,
    $projects IS NOT NULL AND (
      $causes AND EXISTS {
        (x)-[r:CAUSED_BY|DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']->
        (c WHERE NOT c.project IN $projects)
      } OR $effects AND EXISTS {
        (x)<-[r:CAUSED_BY|DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']-
        (c WHERE NOT c.project IN $projects)
      }) AS leads_elsewhere
  ORDER BY i
  RETURN collect(distance) AS distances, collect(x.id) AS ids, collect(x.project) AS node_projects,
    collect(x.title) AS titles, collect(x.summary) AS summaries, collect(x.action_type) AS action_types,
    collect(x.causal_role) AS roles, collect([x.prediction_score]) AS scores, collect([x.author]) AS authors,
    collect(x.created_at.epochMillis * 1000 + x.created_at.microsecond % 1000) AS created,
    collect(x.last_activity.epochMillis * 1000 + x.last_activity.microsecond % 1000) AS active,
    collect(out) AS links, collect(newer) AS superseded_by, collect(leads_elsewhere) AS elsewhere
}
RETURN size(reached) AS total, distances, ids, node_projects, titles, summaries, action_types, roles, scores, created,
  active, authors, links, superseded_by, elsewhere
