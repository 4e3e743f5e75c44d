// Writes what snapshots are about.
// params: rows: LIST<MAP>
UNWIND $rows AS row
MATCH (s:Snapshot {project: row.project, id: row.id})
MERGE (a:Artifact {project: row.project, ref: row.ref})
MERGE (s)-[:ABOUT]->(a)
