// About a file: the snapshots about a path or another reference, newest first, with their causes
// params: project: STRING, ref: STRING
// returns: a, about, s, r, cause
// Set the reference first:  :param {project: 'my-app', ref: 'src/app.py'}
MATCH (a:Artifact {project: $project, ref: $ref})<-[about:ABOUT]-(s:Snapshot)
OPTIONAL MATCH (s)-[r:CAUSED_BY]->(cause)
RETURN a, about, s, r, cause
ORDER BY s.created_at DESC
LIMIT 100
