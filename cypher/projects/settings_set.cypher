// Changes settings of a project; null takes one away.
// params: name: STRING, changes: MAP
// returns: settings
MATCH (p:WakegraphProject {name: $name})
SET p += $changes
RETURN properties(p) AS settings
