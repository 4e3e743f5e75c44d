// Highest predictions: what will probably be needed next, and the reasons
// params: project: STRING
// returns: title, score, reasons, temporal, causal, frequency, profile, predicted, id
// Set the project first:  :param project => 'my-app'
// Scores are those of the last refresh: run  wakegraph refresh  when `predicted` is old.
MATCH (s:Snapshot)
WHERE s.project = $project AND s.prediction_score IS NOT NULL
WITH s ORDER BY s.project DESC, s.prediction_score DESC LIMIT 25
RETURN s.title AS title, s.prediction_score AS score, s.prediction_reasons AS reasons, s.temporal_score AS temporal,
  s.causal_score AS causal, s.frequency_score AS frequency, s.prediction_profile AS profile,
  s.last_predicted AS predicted, s.id AS id
