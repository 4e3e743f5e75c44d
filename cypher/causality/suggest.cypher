// Snapshots of a project, not later than a moment, that may be causes of a new one: similar text, same artifacts, and
// the newest ones. An artifact that more than 1,000 snapshots are about says nothing and is not walked. Times are
// microseconds since 1970.
// params: project: STRING, exclude_id: STRING, query: STRING, about: LIST<STRING>, created_at: ZONED DATETIME,
//   hits: INTEGER, newest: INTEGER
// returns: id, title, session, created, relevance, refs, superseded, newer
CALL () {
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('snapshot_text', query, {limit: $hits}) YIELD node AS s, score
  WHERE s.project = $project AND s.created_at <= $created_at
  RETURN s, score AS relevance, [] AS refs
  UNION ALL
  UNWIND $about AS ref
  MATCH (a:Artifact {project: $project, ref: ref})
  WHERE COUNT { (a)<-[:ABOUT]-() } <= 1000
  MATCH (a)<-[:ABOUT]-(s:Snapshot WHERE s.project = $project AND s.created_at <= $created_at)
  WITH s, collect(DISTINCT ref) AS refs
  ORDER BY size(refs) DESC, s.created_at DESC, s.id DESC LIMIT $hits
  RETURN s, 0.0 AS relevance, refs
  UNION ALL
  MATCH (s:Snapshot)
  WHERE s.project = $project AND s.created_at <= $created_at
  WITH s ORDER BY s.project DESC, s.created_at DESC, s.id DESC LIMIT $newest
  RETURN s, 0.0 AS relevance, [] AS refs
}
WITH s, max(relevance) AS relevance, reduce(all = [], some IN collect(refs) | all + some) AS refs
WHERE s.id <> coalesce($exclude_id, '')
RETURN s.id AS id, s.title AS title, s.session AS session, s.created_at.epochMillis * 1000 + s.created_at.microsecond % 1000 AS created,
  relevance, refs,
  EXISTS { (s)<-[:SUPERSEDES]-() } AS superseded,
  [(s)<-[:SUPERSEDES]-(n WHERE n.project = $project) | {id: n.id, project: n.project, title: n.title}] AS newer
