// Holds a project until the end of the transaction and says by which formula its scores are made.
// params: project: STRING
// returns: formula
MATCH (p:WakegraphProject {name: $project})
SET p.prediction_formula = p.prediction_formula
RETURN p.prediction_formula AS formula
