// Orphans: snapshots without any link that somebody stated
// params: project: STRING
// returns: s
// Set the project first:  :param project => 'my-app'
MATCH (s:Snapshot)
WHERE s.project = $project AND s.created_at IS NOT NULL
  AND NOT EXISTS { (s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES WHERE r.origin IS NULL OR r.origin <> 'detected']-() }
RETURN s
LIMIT 150
