// Reads the snapshots of a project by last_predicted.
CREATE INDEX wakegraph_snapshot_last_predicted IF NOT EXISTS
FOR (s:Snapshot) ON (s.project, s.last_predicted)
