// Writes nothing new, but can only be done where writing is possible.
// returns: name
MATCH (l:WakegraphLock {name: 'links'})
SET l.name = 'links'
RETURN l.name AS name
