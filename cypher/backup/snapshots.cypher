// A page of a project's snapshots by id, as they are stored, whatever properties they have. Times are apart, as
// microseconds since 1970, and all is one row: the driver reads numbers and long rows many times faster.
// params: project: STRING, after: STRING, limit: INTEGER
// returns: page
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $limit
RETURN collect({id: s.id, properties: {
  plain: [key IN keys(s) WHERE NOT s[key] IS :: ZONED DATETIME NOT NULL
    AND NOT s[key] IS :: LIST<ZONED DATETIME NOT NULL> NOT NULL | [key, s[key]]],
  times: [key IN keys(s) WHERE s[key] IS :: ZONED DATETIME NOT NULL
    | [key, s[key].epochMillis * 1000 + s[key].microsecond % 1000]],
  time_lists: [key IN keys(s) WHERE s[key] IS :: LIST<ZONED DATETIME NOT NULL> NOT NULL
    | [key, [moment IN s[key] | moment.epochMillis * 1000 + moment.microsecond % 1000]]]
}}) AS page
