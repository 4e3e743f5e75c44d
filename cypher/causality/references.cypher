// Which of some references a project has.
// params: project: STRING, refs: LIST<STRING>
// returns: ref
UNWIND $refs AS ref
MATCH (a:Artifact {project: $project, ref: ref})
RETURN a.ref AS ref
