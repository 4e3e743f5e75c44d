// References of a project that end like the one asked for, such as a path given from another folder.
// params: project: STRING, ending: STRING, limit: INTEGER
// returns: ref
MATCH (a:Artifact)
WHERE a.project = $project AND a.ref ENDS WITH $ending
RETURN a.ref AS ref ORDER BY size(a.ref), ref LIMIT $limit
