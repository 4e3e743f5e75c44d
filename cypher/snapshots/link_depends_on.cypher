// Links a dependent to its dependencies; a link that is there stays, one that was only guessed becomes a stated one.
// params: source: MAP, targets: LIST<MAP>, rationale: STRING, now: ZONED DATETIME
// returns: project, id, properties, change
MATCH (s:Snapshot {project: $source.project, id: $source.id})
UNWIND range(0, size($targets) - 1) AS position
MATCH (t:Snapshot {project: $targets[position].project, id: $targets[position].id})
WITH s, t, position ORDER BY position
OPTIONAL MATCH (s)-[old:DEPENDS_ON]->(t)
WITH s, t, CASE
  WHEN old IS NULL THEN 'created'
  WHEN old.origin <> 'stated' OR ($rationale IS NOT NULL AND coalesce(old.rationale, '') <> $rationale) THEN 'updated'
  ELSE 'unchanged'
END AS change
MERGE (s)-[r:DEPENDS_ON]->(t)
ON CREATE SET r.recorded_at = $now
SET r.origin = 'stated', r.gap_seconds = null, r.rationale = coalesce($rationale, r.rationale)
RETURN t.project AS project, t.id AS id, properties(r) AS properties, change
