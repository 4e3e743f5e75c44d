// The best hits of a full-text query among its `read` most relevant ones: what holds before what was superseded, then by
// relevance times the weight of the tier. It also says how many were read and the least relevance among them (when all
// there are were read, nothing is missing), and how many of them pass the filters. A page goes on behind the last hit of
// the page before, at the relevance which that one has now, since every write moves all relevances a little.
// The index is asked twice, once to count and once for the best, since neither keeps the hits: collected, some hundred
// thousand of them exceed the memory of a transaction.
// params: query: STRING, read: INTEGER, projects: LIST<STRING>, since: ZONED DATETIME, until: ZONED DATETIME,
//   action_type: STRING, tag: STRING, author: STRING, session: STRING, about: STRING, tier_from: ZONED DATETIME,
//   tier_until: ZONED DATETIME, active_from: ZONED DATETIME, recent_from: ZONED DATETIME, archived_from: ZONED DATETIME,
//   weights: MAP, after: MAP, limit: INTEGER
// returns: read, floor, matching, hits
OPTIONAL MATCH (last:Snapshot {project: $after.project, id: $after.id})
CALL (last) {
  CALL db.index.fulltext.queryNodes('snapshot_text', $query, {limit: $read}) YIELD node AS s, score AS relevance
  RETURN count(s) AS read, min(relevance) AS floor,
    coalesce(max(CASE WHEN s = last THEN relevance END) * $after.weight, $after.score) AS reached,
    count(CASE WHEN relevance > 0 AND ($projects IS NULL OR s.project IN $projects)
      AND s.created_at >= $since AND s.created_at <= $until
      AND s.last_activity >= $tier_from AND s.last_activity < $tier_until
      AND ($action_type IS NULL OR s.action_type = $action_type)
      AND ($tag IS NULL OR $tag IN s.tags)
      AND ($author IS NULL OR s.author = $author)
      AND ($session IS NULL OR s.session = $session)
      AND ($about IS NULL OR EXISTS { (s)-[:ABOUT]->(:Artifact {ref: $about}) }) THEN 1 END) AS matching
}
CALL (reached) {
  CALL db.index.fulltext.queryNodes('snapshot_text', $query, {limit: $read}) YIELD node AS s, score AS relevance
  WHERE relevance > 0 AND ($projects IS NULL OR s.project IN $projects)
    AND s.created_at >= $since AND s.created_at <= $until
    AND s.last_activity >= $tier_from AND s.last_activity < $tier_until
    AND ($action_type IS NULL OR s.action_type = $action_type)
    AND ($tag IS NULL OR $tag IN s.tags)
    AND ($author IS NULL OR s.author = $author)
    AND ($session IS NULL OR s.session = $session)
    AND ($about IS NULL OR EXISTS { (s)-[:ABOUT]->(:Artifact {ref: $about}) })
  WITH reached, s, relevance, $weights[CASE
    WHEN s.last_activity >= $active_from THEN 'ACTIVE'
    WHEN s.last_activity >= $recent_from THEN 'RECENT'
    WHEN s.last_activity >= $archived_from THEN 'ARCHIVED'
    ELSE 'EXPIRED'
  END] AS weight
  WITH reached, s, relevance, weight, relevance * weight AS score,
    CASE WHEN EXISTS { (s)<-[:SUPERSEDES]-() } THEN 1 ELSE 0 END AS superseded
  WHERE $after IS NULL OR superseded > $after.superseded OR superseded = $after.superseded AND (
    score < reached OR score = reached AND (
      s.created_at < $after.created_at OR s.created_at = $after.created_at AND (
        s.project > $after.project OR s.project = $after.project AND s.id > $after.id)))
  WITH s, relevance, weight, score, superseded
  ORDER BY superseded, score DESC, s.created_at DESC, s.project, s.id LIMIT $limit
  RETURN collect({
    node: s {
      .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
    },
    relevance: relevance, weight: weight, score: score, superseded: superseded,
    superseded_by: COLLECT {
      MATCH (s)<-[:SUPERSEDES]-(t) WHERE $projects IS NULL OR t.project IN $projects
      RETURN {project: t.project, id: t.id, title: t.title} ORDER BY t.created_at, t.project, t.id
    }
  }) AS hits
}
RETURN read, floor, matching, hits
