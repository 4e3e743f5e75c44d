// What is new in a project, from its newest `window` snapshots only: where to go on (of an author, or of all), decisions
// without effects yet, and what others saved since an author's newest snapshot, or in the whole window when there is none.
// params: project: STRING, latest: ZONED DATETIME, author: STRING, window: INTEGER, limit: INTEGER
// returns: read, newest, newest_own, own_at, open_decisions, open_count, others, others_count
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, created_at)
WHERE s.project = $project AND s.created_at <= $latest
WITH s ORDER BY s.project DESC, s.created_at DESC, s.id DESC LIMIT $window
WITH collect(s) AS window
WITH window, [s IN window WHERE s.author = $author][0] AS own,
  [s IN window WHERE s.action_type = 'decision'
    AND NOT EXISTS { (s)<-[:CAUSED_BY]-() } AND NOT EXISTS { (s)<-[:SUPERSEDES]-() }] AS open
WITH window, own, open,
  [s IN window WHERE $author IS NOT NULL AND coalesce(s.author, '') <> $author
    AND (own IS NULL OR s.created_at > own.created_at)] AS others
RETURN size(window) AS read, window[0].id AS newest, own.id AS newest_own, own.created_at AS own_at,
  [s IN open[..$limit] | {
    project: s.project, id: s.id, title: s.title, action_type: s.action_type, author: s.author, created_at: s.created_at
  }] AS open_decisions,
  size(open) AS open_count,
  [s IN others[..$limit] | {
    project: s.project, id: s.id, title: s.title, action_type: s.action_type, author: s.author, created_at: s.created_at,
    superseded_by: [(s)<-[:SUPERSEDES]-(n WHERE n.project = $project) | {id: n.id, project: n.project, title: n.title}]
  }] AS others,
  size(others) AS others_count
