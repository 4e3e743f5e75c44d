// Writes settings nodes, marked as being restored, so that an interrupted restore can be finished.
// params: rows: LIST<MAP>, digest: STRING
UNWIND $rows AS row
MERGE (p:WakegraphProject {name: row.name})
SET p = row, p.restoring = $digest
