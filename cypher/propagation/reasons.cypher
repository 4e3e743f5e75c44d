// How often each set of reasons occurs in a project.
// params: project: STRING
// returns: reasons, snapshots
MATCH (s:Snapshot) WHERE s.project = $project AND s.prediction_score >= 0.0
RETURN s.prediction_reasons AS reasons, count(s) AS snapshots
