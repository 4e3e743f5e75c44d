// Links newer snapshots to those they replace; a link that is there stays as it is.
// params: rows: LIST<MAP>, now: ZONED DATETIME
// returns: matched
UNWIND $rows AS row
MATCH (s:Snapshot {project: row.source_project, id: row.source})
MATCH (t:Snapshot {project: row.target_project, id: row.target})
MERGE (s)-[r:SUPERSEDES]->(t)
ON CREATE SET r.rationale = row.rationale, r.recorded_at = CASE WHEN row.seconds IS NULL THEN $now
    ELSE datetime({epochSeconds: row.seconds, nanosecond: row.nanosecond}) END
RETURN count(*) AS matched
