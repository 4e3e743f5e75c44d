// One snapshot per project and retry key: of two identical saves without an id that run at once, one is the retry.
CREATE CONSTRAINT wakegraph_snapshot_retry_key IF NOT EXISTS
FOR (s:Snapshot) REQUIRE (s.project, s.retry_key) IS UNIQUE
