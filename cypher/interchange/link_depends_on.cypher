// Links dependents to dependencies; a link that is there stays as it is.
// params: rows: LIST<MAP>, now: ZONED DATETIME
// returns: matched
UNWIND $rows AS row
MATCH (s:Snapshot {project: row.source_project, id: row.source})
MATCH (t:Snapshot {project: row.target_project, id: row.target})
MERGE (s)-[r:DEPENDS_ON]->(t)
ON CREATE SET r.origin = row.origin, r.rationale = row.rationale, r.gap_seconds = row.gap_seconds,
  r.recorded_at = CASE WHEN row.seconds IS NULL THEN $now
    ELSE datetime({epochSeconds: row.seconds, nanosecond: row.nanosecond}) END
RETURN count(*) AS matched
