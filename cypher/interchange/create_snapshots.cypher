// Creates snapshots that are not there yet.
// params: rows: LIST<MAP>
UNWIND $rows AS row
CREATE (s:Snapshot)
SET s = row
