// Why this: the chain of primary causes of one snapshot, back to the root
// params: project: STRING, id: STRING
// returns: path
// Set the snapshot first:  :param {project: 'my-app', id: 'the-id'}
MATCH path = (s:Snapshot {project: $project, id: $id})(()-[r:CAUSED_BY WHERE r.primary]->())*(cause)
RETURN path
ORDER BY length(path) DESC
LIMIT 1
