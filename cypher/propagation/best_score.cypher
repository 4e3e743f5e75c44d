// The highest score in a project.
// params: project: STRING
// returns: project, id, title, score
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, prediction_score)
WHERE s.project = $project AND s.prediction_score >= 0.0
WITH s ORDER BY s.project DESC, s.prediction_score DESC LIMIT 1
RETURN s.project AS project, s.id AS id, s.title AS title, s.prediction_score AS score
