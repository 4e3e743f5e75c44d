// The newest snapshots about a reference of a project.
// params: project: STRING, ref: STRING, limit: INTEGER, projects: LIST<STRING>
// returns: total, snapshots
MATCH (a:Artifact {project: $project, ref: $ref})
CALL (a) {
  MATCH (a)<-[:ABOUT]-(s:Snapshot WHERE s.project = $project)
  WITH s ORDER BY s.created_at DESC, s.id DESC
  RETURN count(s) AS total, collect(s)[..$limit] AS newest
}
RETURN total, [s IN newest | {
  id: s.id, project: s.project, title: s.title,
  superseded_by: [(s)<-[:SUPERSEDES]-(n WHERE $projects IS NULL OR n.project IN $projects)
    | {id: n.id, project: n.project, title: n.title}]
}] AS snapshots
