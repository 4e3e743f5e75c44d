// Which of the snapshots of a project were superseded.
// params: project: STRING, ids: LIST<STRING>
// returns: ids
UNWIND $ids AS id
MATCH (s:Snapshot {project: $project, id: id}) WHERE EXISTS { (s)<-[:SUPERSEDES]-() }
RETURN collect(s.id) AS ids
