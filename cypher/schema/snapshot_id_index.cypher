// Finds a snapshot by a bare id, or by the beginning of one, in any project.
CREATE INDEX wakegraph_snapshot_id IF NOT EXISTS
FOR (s:Snapshot) ON (s.id)
