// Finds what became of a deleted snapshot.
CREATE INDEX wakegraph_tombstone_id IF NOT EXISTS
FOR (t:WakegraphTombstone) ON (t.id, t.project)
