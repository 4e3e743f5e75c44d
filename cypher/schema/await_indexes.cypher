// Waits until all indexes are online.
// params: seconds: INTEGER
CALL db.awaitIndexes($seconds)
