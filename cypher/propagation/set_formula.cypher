// Says by which formula the scores of a project are made.
// params: project: STRING, formula: STRING
// returns: project
MATCH (p:WakegraphProject {name: $project})
SET p.prediction_formula = $formula
RETURN p.name AS project
