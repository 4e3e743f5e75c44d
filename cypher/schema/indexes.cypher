// The indexes there are, for the doctor.
// returns: name, state, type, populated, entity
SHOW INDEXES YIELD name, state, type, populationPercent, labelsOrTypes
RETURN name, state, type, populationPercent AS populated, labelsOrTypes AS entity ORDER BY name
