// Reads the snapshots of a project by last_activity.
CREATE INDEX wakegraph_snapshot_last_activity IF NOT EXISTS
FOR (s:Snapshot) ON (s.project, s.last_activity)
