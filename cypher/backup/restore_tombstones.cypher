// Writes what was deleted.
// params: rows: LIST<MAP>
UNWIND $rows AS row
MERGE (t:WakegraphTombstone {project: row.project, id: row.id, at: row.at})
SET t = row
