// Ends the restoring of projects.
// params: names: LIST<STRING>
UNWIND $names AS name
MATCH (p:WakegraphProject {name: name})
REMOVE p.restoring
