// The primary causes of each named snapshot: columns of a window of steps, nearest first, and figures of the whole.
// One row a snapshot, in any order; `position` tells which key it answers. Nothing outside $projects is walked or shown.
// Times are microseconds since 1970: a list of integers costs a tenth of a list of datetimes.
// params: keys: LIST<MAP{project: STRING, id: STRING}>, projects: LIST<STRING>, skip: INTEGER, limit: INTEGER
// returns: position, length, irregular, other_causes, distinct_roots, distances, ids, step_projects, titles, summaries,
//   action_types, rationales, times, roles, authors, links, superseded_by, elsewhere
UNWIND range(0, size($keys) - 1) AS position
MATCH (t:Snapshot {project: $keys[position].project, id: $keys[position].id})
CALL (t) {
  MATCH p = (t)((a)-[r:CAUSED_BY WHERE r.primary]->(b WHERE $projects IS NULL OR b.project IN $projects))*(x)
  WITH x, min(length(p)) AS distance
  ORDER BY distance, x.project, x.id
  RETURN collect(x) AS chain, max(distance) AS deepest
}
CALL (chain) {
  UNWIND chain AS s
  MATCH (s)-[r:CAUSED_BY WHERE NOT r.primary]->(c WHERE $projects IS NULL OR c.project IN $projects)
  WITH c, chain
  WHERE NOT c IN chain
  RETURN count(DISTINCT c) AS other_causes
}
CALL (t) {
  MATCH (t)((a)-[:CAUSED_BY]->(b WHERE $projects IS NULL OR b.project IN $projects))*(x)
  WITH DISTINCT x
  WHERE NOT EXISTS { (x)-[:CAUSED_BY]->(c WHERE $projects IS NULL OR c.project IN $projects) }
  RETURN count(x) AS distinct_roots
}
WITH position, chain, other_causes, distinct_roots, size(chain) AS length, last(chain) AS first,
  deepest <> size(chain) - 1 AS forked,
  CASE WHEN size(chain) <= $limit OR $skip > 0 OR $limit = 1 THEN $skip + $limit ELSE $limit - 1 END AS until
CALL (chain, length, until) {
  UNWIND [i IN range(0, length - 1) WHERE $skip <= i < until OR ($skip = 0 AND $limit > 1 AND i = length - 1)] AS i
  WITH i, chain[i] AS x, chain[i + 1] AS cause
  OPTIONAL MATCH (x)-[r:CAUSED_BY WHERE r.primary]->(cause)
  WITH i, x, r,
    [(x)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
      | {id: n.id, project: n.project, title: n.title}] AS newer,
    $projects IS NOT NULL AND EXISTS { (x)-[:CAUSED_BY]->(c WHERE NOT c.project IN $projects) } AS leads_elsewhere
  ORDER BY i
  RETURN collect(i) AS distances, collect(x.id) AS ids, collect(x.project) AS step_projects,
    collect(x.title) AS titles, collect(x.summary) AS summaries, collect(x.action_type) AS action_types,
    collect([x.rationale]) AS rationales, collect([x.author]) AS authors, collect(x.causal_role) AS roles,
    collect(x.created_at.epochMillis * 1000 + x.created_at.microsecond % 1000) AS times,
    collect([r.origin, r.rationale]) AS links, collect(newer) AS superseded_by, collect(leads_elsewhere) AS elsewhere
}
RETURN position, length,
  forked OR EXISTS {
    (first)-[r:CAUSED_BY WHERE r.primary]->(c WHERE $projects IS NULL OR c.project IN $projects)
  } AS irregular,
  other_causes, distinct_roots, distances, ids, step_projects, titles, summaries, action_types, rationales, times,
  roles, authors, links, superseded_by, elsewhere
