// Holds the stale snapshots of a stretch of ids until the end of the transaction, and reads what their scores rest on, as
// `propagation/columns` does.
// params: project: STRING, after: STRING, until: STRING, cutoff: ZONED DATETIME, epoch: ZONED DATETIME,
//   with_times: BOOLEAN, missing: INTEGER, now: ZONED DATETIME
// returns: nodes, ids, created, accessed, counts, dependents, dependencies, causes, effects, actions, recent,
//   settled
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, id)
WHERE s.project = $project AND s.id > $after AND s.id <= $until
WITH s ORDER BY s.project, s.id
SET s.source = s.source
WITH s WHERE coalesce(s.last_predicted, $epoch) <= $cutoff
RETURN collect(elementId(s)) AS nodes,
  collect(s.id) AS ids,
  collect(s.created_at.epochMillis) AS created,
  collect(coalesce(s.last_accessed.epochMillis, $missing)) AS accessed,
  collect(coalesce(s.access_count, 0)) AS counts,
  collect(COUNT {
    MATCH (s)<-[r:CAUSED_BY|DEPENDS_ON]-(t) WHERE r.origin <> 'detected' RETURN DISTINCT t
  }) AS dependents,
  collect(CASE WHEN EXISTS { (s)-[r:DEPENDS_ON]->() WHERE r.origin <> 'detected' } THEN 1 ELSE 0 END) AS dependencies,
  collect(COUNT { (s)-[:CAUSED_BY]->() }) AS causes,
  collect(COUNT { (s)<-[:CAUSED_BY]-() }) AS effects,
  collect(CASE s.action_type
    WHEN 'decision' THEN 1 WHEN 'file_edit' THEN 2 WHEN 'tool_use' THEN 3 WHEN 'research' THEN 4 ELSE 0
  END) AS actions,
  CASE WHEN $with_times THEN collect([moment IN coalesce(s.recent_accesses, []) | moment.epochMillis]) ELSE [] END
    AS recent,
  collect(CASE WHEN s.last_predicted = $now OR s.last_accessed > $now THEN {
    id: s.id, temporal: s.temporal_score, causal: s.causal_score, frequency: s.frequency_score,
    prediction: s.prediction_score, reasons: s.prediction_reasons, profile: s.prediction_profile,
    upcoming: s.predicted_next_access.epochMillis, tier: s.memory_tier, role: s.causal_role
  } END) AS settled
