// What follows: everything caused by a snapshot or depending on it, the nearest 150
// params: project: STRING, id: STRING
// returns: s, r, t
// Set the snapshot first:  :param {project: 'my-app', id: 'the-id'}
MATCH p = (:Snapshot {project: $project, id: $id})
  (()<-[l:CAUSED_BY|DEPENDS_ON WHERE l.origin <> 'detected']-())*(n)
WITH n, min(length(p)) AS distance
ORDER BY distance, n.created_at LIMIT 150
WITH collect(n) AS shown
UNWIND shown AS s
OPTIONAL MATCH (s)-[r:CAUSED_BY|DEPENDS_ON WHERE r.origin <> 'detected']->(t)
WHERE t IN shown
RETURN s, r, t
