// What a snapshot is about.
// params: project: STRING, id: STRING
// returns: ref
MATCH (:Snapshot {project: $project, id: $id})-[:ABOUT]->(a:Artifact)
RETURN a.ref AS ref ORDER BY ref
