// A page of a project's snapshots with all that an export holds, in the order of (created_at, id), after a given one.
// Times are microseconds since 1970: the driver reads numbers far faster. (epochSeconds is wrong before 1970.)
// params: project: STRING, after: STRING, id: STRING, limit: INTEGER, projects: LIST<STRING>
// returns: node, caused_by, depends_on, supersedes, about, hidden, moment
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, created_at)
WHERE s.project = $project AND s.created_at >= datetime($after) AND (s.created_at > datetime($after) OR s.id > $id)
WITH s ORDER BY s.project, s.created_at, s.id LIMIT $limit
RETURN s {
    .id, .project, .content, .summary, .tags, .action_type, .rationale, .author, .author_type, .session, .source,
    .metadata_json, .access_count, .recent_accessors,
    created_at: s.created_at.epochMillis * 1000 + s.created_at.microsecond % 1000,
    last_accessed: s.last_accessed.epochMillis * 1000 + s.last_accessed.microsecond % 1000,
    recent_accesses: [t IN s.recent_accesses | t.epochMillis * 1000 + t.microsecond % 1000]
  } AS node,
  COLLECT {
    MATCH (s)-[r:CAUSED_BY]->(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {project: t.project, id: t.id, rationale: r.rationale, origin: r.origin,
            recorded_at: r.recorded_at.epochMillis * 1000 + r.recorded_at.microsecond % 1000}
    ORDER BY r.primary DESC, r.recorded_at, t.project, t.id
  } AS caused_by,
  COLLECT {
    MATCH (s)-[r:DEPENDS_ON]->(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {project: t.project, id: t.id, rationale: r.rationale, origin: r.origin, gap_seconds: r.gap_seconds,
            recorded_at: r.recorded_at.epochMillis * 1000 + r.recorded_at.microsecond % 1000}
    ORDER BY r.recorded_at, t.project, t.id
  } AS depends_on,
  COLLECT {
    MATCH (s)-[r:SUPERSEDES]->(t) WHERE $projects IS NULL OR t.project IN $projects
    RETURN {project: t.project, id: t.id, rationale: r.rationale,
            recorded_at: r.recorded_at.epochMillis * 1000 + r.recorded_at.microsecond % 1000}
    ORDER BY r.recorded_at, t.project, t.id
  } AS supersedes,
  COLLECT { MATCH (s)-[:ABOUT]->(a:Artifact) RETURN a.ref ORDER BY a.ref } AS about,
  CASE WHEN $projects IS NULL THEN 0
       ELSE COUNT { MATCH (s)-[:CAUSED_BY|DEPENDS_ON|SUPERSEDES]->(t:Snapshot) WHERE NOT t.project IN $projects }
  END AS hidden,
  toString(s.created_at) AS moment
