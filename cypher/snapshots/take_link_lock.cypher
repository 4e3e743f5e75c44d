// Serialises changes of causal links between existing snapshots, in the whole database.
// params: now: ZONED DATETIME
// returns: name
MATCH (l:WakegraphLock {name: 'links'})
SET l.taken_at = $now
RETURN l.name AS name
