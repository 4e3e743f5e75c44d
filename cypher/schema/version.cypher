// The applied schema version, and whether the database holds anything at all.
// returns: version, empty
OPTIONAL MATCH (v:WakegraphSchema {name: 'wakegraph'})
RETURN v.version AS version, NOT EXISTS { MATCH (n) RETURN n LIMIT 1 } AS empty
