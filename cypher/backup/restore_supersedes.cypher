// Writes SUPERSEDES links with the properties that they had; says how many.
// params: rows: LIST<MAP>
// returns: written
UNWIND $rows AS row
MATCH (s:Snapshot {project: row.source_project, id: row.source})
MATCH (t:Snapshot {project: row.target_project, id: row.target})
MERGE (s)-[r:SUPERSEDES]->(t)
SET r = row.properties
RETURN count(r) AS written
