// Records the applied version, and makes the lock node that serialises links between existing snapshots.
// params: version: INTEGER, now: ZONED DATETIME
MERGE (v:WakegraphSchema {name: 'wakegraph'})
SET v.version = $version, v.applied_at = coalesce(v.applied_at, $now)
MERGE (:WakegraphLock {name: 'links'})
