// The newest snapshot of a session.
// params: project: STRING, session: STRING
// returns: id
MATCH (s:Snapshot)
USING INDEX SEEK s:Snapshot(project, session)
WHERE s.project = $project AND s.session = $session
RETURN s.id AS id ORDER BY s.created_at DESC, s.id DESC LIMIT 1
