// The longest primary chain of a project that ends in a leaf; of several the newest.
// params: project: STRING
// returns: id, root, length
MATCH (leaf:Snapshot {project: $project, causal_role: 'leaf'})
WHERE leaf.created_at IS NOT NULL
MATCH p = (leaf)-[:CAUSED_BY {primary: true}]->+(root:Snapshot)
WHERE NOT (root)-[:CAUSED_BY]->()
RETURN leaf.id AS id, root.id AS root, length(p) + 1 AS length
ORDER BY length DESC, leaf.created_at DESC, id LIMIT 1
