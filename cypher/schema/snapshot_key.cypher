// One snapshot per project and id.
CREATE CONSTRAINT wakegraph_snapshot_key IF NOT EXISTS
FOR (s:Snapshot) REQUIRE (s.project, s.id) IS UNIQUE
