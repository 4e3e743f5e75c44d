// Reads the snapshots of a project by created_at.
CREATE INDEX wakegraph_snapshot_created_at IF NOT EXISTS
FOR (s:Snapshot) ON (s.project, s.created_at)
