// Why a snapshot exists: its own words, its causes and dependencies with theirs, and where its primary causes begin.
// Nothing outside $projects is walked or shown.
// params: project: STRING, id: STRING, projects: LIST<STRING>, include_detected: BOOLEAN, limit: INTEGER
// returns: title, summary, action_type, rationale, author, created_at, role, causes, cause_count, dependencies,
//   dependency_count, chain_length, root, supersedes, superseded_by, elsewhere
MATCH (t:Snapshot {project: $project, id: $id})
CALL (t) {
  MATCH (t)-[r:CAUSED_BY]->(c WHERE $projects IS NULL OR c.project IN $projects)
  WITH r, c ORDER BY r.primary DESC, r.recorded_at, c.project, c.id
  RETURN count(c) AS cause_count, collect({
    id: c.id, project: c.project, title: c.title, type: 'CAUSED_BY', origin: r.origin, primary: r.primary,
    rationale: r.rationale, action_type: c.action_type, author: c.author, created_at: c.created_at,
    own_rationale: c.rationale,
    superseded_by: [(c)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  })[..$limit] AS causes
}
CALL (t) {
  MATCH (t)-[r:DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']->
    (d WHERE $projects IS NULL OR d.project IN $projects)
  WITH r, d ORDER BY r.origin = 'detected', r.recorded_at, d.project, d.id
  RETURN count(d) AS dependency_count, collect({
    id: d.id, project: d.project, title: d.title, type: 'DEPENDS_ON', origin: r.origin, primary: false,
    rationale: r.rationale, action_type: d.action_type, author: d.author, created_at: d.created_at,
    own_rationale: d.rationale,
    superseded_by: [(d)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  })[..$limit] AS dependencies
}
CALL (t) {
  MATCH p = (t)((a)-[r:CAUSED_BY WHERE r.primary]->(b WHERE $projects IS NULL OR b.project IN $projects))*(x)
  WITH x, min(length(p)) AS distance
  ORDER BY distance DESC, x.project, x.id
  WITH collect(x) AS chain
  RETURN chain[0] AS first, size(chain) AS chain_length
}
RETURN t.title AS title, t.summary AS summary, t.action_type AS action_type, t.rationale AS rationale,
  t.author AS author, t.created_at AS created_at, t.causal_role AS role,
  causes, cause_count, dependencies, dependency_count, chain_length,
  CASE WHEN chain_length > 1 THEN {
    id: first.id, project: first.project, title: first.title, action_type: first.action_type, author: first.author,
    created_at: first.created_at, own_rationale: first.rationale,
    superseded_by: [(first)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}]
  } END AS root,
  [(t)-[:SUPERSEDES]->(o WHERE $projects IS NULL OR o.project IN $projects)
    | {id: o.id, project: o.project, title: o.title}] AS supersedes,
  [(t)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
    | {id: n.id, project: n.project, title: n.title}] AS superseded_by,
  $projects IS NOT NULL AND EXISTS {
    (t)-[r:CAUSED_BY|DEPENDS_ON WHERE $include_detected OR r.origin <> 'detected']->
    (c WHERE NOT c.project IN $projects)
  } AS elsewhere
