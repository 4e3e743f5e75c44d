// A page of a project in order of id, as columns: times in microseconds since 1970, links inside the project, counts.
// params: project: STRING, after: STRING, page: INTEGER
// returns: ids, times, causes, cause_counts, primaries, dependencies, linked
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $page
RETURN collect(s.id) AS ids, collect(s.created_at.epochMillis * 1000 + s.created_at.microsecond % 1000) AS times,
  collect([(s)-[:CAUSED_BY]->(c WHERE c.project = $project) | c.id]) AS causes,
  collect(COUNT { (s)-[:CAUSED_BY]->() }) AS cause_counts,
  collect(COUNT { (s)-[r:CAUSED_BY WHERE r.primary]->() }) AS primaries,
  collect([(s)-[r:DEPENDS_ON WHERE r.origin <> 'detected']->(d WHERE d.project = $project) | d.id]) AS dependencies,
  collect(EXISTS { (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-() }) AS linked
