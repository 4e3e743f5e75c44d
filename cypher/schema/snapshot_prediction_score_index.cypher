// Reads the snapshots of a project by prediction_score.
CREATE INDEX wakegraph_snapshot_prediction_score IF NOT EXISTS
FOR (s:Snapshot) ON (s.project, s.prediction_score)
