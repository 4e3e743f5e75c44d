// The projects with their counts, read from the index of each.
// params: projects: LIST<STRING>
// returns: project, snapshots, last_activity, created_at
MATCH (p:WakegraphProject)
WHERE p.name IS NOT NULL AND ($projects IS NULL OR p.name IN $projects)
RETURN p.name AS project,
  COUNT { MATCH (s:Snapshot) WHERE s.project = p.name AND s.created_at IS NOT NULL } AS snapshots,
  COLLECT {
    MATCH (s:Snapshot) WHERE s.project = p.name AND s.last_activity IS NOT NULL
    RETURN s.last_activity ORDER BY s.project DESC, s.last_activity DESC LIMIT 1
  }[0] AS last_activity,
  p.created_at AS created_at
ORDER BY project
