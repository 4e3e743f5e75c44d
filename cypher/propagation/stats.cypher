// Scores of all snapshots of a project: how many, their mean, and how many lie from 0.8 and from 0.5 on.
// params: project: STRING
// returns: total, predicted, average, high, medium
CALL () {
  MATCH (s:Snapshot) WHERE s.project = $project AND s.prediction_score >= 0.0
  RETURN count(s) AS predicted, avg(s.prediction_score) AS average,
    sum(CASE WHEN s.prediction_score >= 0.8 THEN 1 ELSE 0 END) AS high,
    sum(CASE WHEN s.prediction_score >= 0.5 AND s.prediction_score < 0.8 THEN 1 ELSE 0 END) AS medium
}
RETURN COUNT { MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL } AS total,
  predicted, average, high, medium
