// Writes scores and the other derived properties of snapshots, given as one list a property; categories as positions in
// the tables beside them, times in epoch milliseconds, null for none. The nodes are held, so their element ids are good.
// The project is held last, so that batches of it wait for each other's commit only; its formula is for the caller to
// check.
// params: project: STRING, nodes: LIST<STRING>, temporal: LIST<FLOAT>, causal: LIST<FLOAT>, frequency: LIST<FLOAT>,
//   prediction: LIST<FLOAT>, reason: LIST<INTEGER>, reasons: LIST<LIST<STRING>>, upcoming: LIST<INTEGER>,
//   tier: LIST<INTEGER>, tiers: LIST<STRING>, role: LIST<INTEGER>, roles: LIST<STRING>, current: LIST<BOOLEAN>,
//   profile: STRING, now: ZONED DATETIME
// returns: written, formula
UNWIND range(0, size($nodes) - 1) AS i
MATCH (s:Snapshot) WHERE elementId(s) = $nodes[i]
SET s.temporal_score = $temporal[i],
  s.causal_score = $causal[i],
  s.frequency_score = $frequency[i],
  s.prediction_score = $prediction[i],
  s.prediction_reasons = $reasons[$reason[i]],
  s.prediction_profile = $profile,
  s.predicted_next_access = CASE WHEN $upcoming[i] IS NULL THEN null ELSE datetime({epochMillis: $upcoming[i]}) END,
  s.memory_tier = $tiers[$tier[i]],
  s.causal_role = $roles[$role[i]],
  s.last_activity = CASE WHEN s.last_accessed > s.created_at THEN s.last_accessed ELSE s.created_at END,
  s.last_predicted = CASE WHEN $current[i] THEN $now ELSE s.last_predicted END
WITH count(s) AS written
MATCH (p:WakegraphProject {name: $project})
SET p.prediction_formula = p.prediction_formula
RETURN written, p.prediction_formula AS formula
