// The links that leave a page of a project's snapshots, with all their properties (times apart, as in
// `backup/snapshots`), and what each is about.
// params: project: STRING, after: STRING, limit: INTEGER
// returns: page
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $limit
RETURN collect({id: s.id,
  links: COLLECT {
    MATCH (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]->(t)
    RETURN {
      type: type(r), project: t.project, id: t.id,
      properties: {
        plain: [key IN keys(r) WHERE NOT r[key] IS :: ZONED DATETIME NOT NULL
          AND NOT r[key] IS :: LIST<ZONED DATETIME NOT NULL> NOT NULL | [key, r[key]]],
        times: [key IN keys(r) WHERE r[key] IS :: ZONED DATETIME NOT NULL
          | [key, r[key].epochMillis * 1000 + r[key].microsecond % 1000]],
        time_lists: [key IN keys(r) WHERE r[key] IS :: LIST<ZONED DATETIME NOT NULL> NOT NULL
          | [key, [moment IN r[key] | moment.epochMillis * 1000 + moment.microsecond % 1000]]]
      }
    }
    ORDER BY type(r), t.project, t.id
  },
  about: COLLECT { MATCH (s)-[:ABOUT]->(a:Artifact) RETURN a.ref ORDER BY a.ref }}) AS page
