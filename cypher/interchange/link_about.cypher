// Says what snapshots are about: artifacts with the ids of snapshots of their project.
// params: rows: LIST<MAP>
// returns: matched
UNWIND $rows AS row
MERGE (a:Artifact {project: row.project, ref: row.ref})
WITH a, row
UNWIND row.ids AS id
MATCH (s:Snapshot {project: row.project, id: id})
MERGE (s)-[:ABOUT]->(a)
RETURN count(*) AS matched
