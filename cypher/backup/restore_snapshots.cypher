// Writes snapshots as they were.
// params: rows: LIST<MAP>
UNWIND $rows AS row
MERGE (s:Snapshot {project: row.project, id: row.id})
SET s = row
