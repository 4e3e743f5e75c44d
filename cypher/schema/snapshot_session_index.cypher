// Reads the snapshots of a project by session.
CREATE INDEX wakegraph_snapshot_session IF NOT EXISTS
FOR (s:Snapshot) ON (s.project, s.session)
