// A project's settings node.
// params: name: STRING
// returns: settings
MATCH (p:WakegraphProject {name: $name})
RETURN properties(p) AS settings
