// Bring the labels that Neo4j Browser's style sheet goes by up to date, for the next snapshots of a project in the order
// of their ids: one for the causal role, one for the band of the score. Nothing else looks at these labels.
// params: project: STRING, after: STRING, limit: INTEGER, high: FLOAT, middle: FLOAT
// returns: seen, changed, last
MATCH (s:Snapshot)
WHERE s.project = $project AND s.id > $after
WITH s ORDER BY s.project, s.id LIMIT $limit
WITH s,
  CASE s.causal_role
    WHEN 'root' THEN 'RoleRoot'
    WHEN 'branch' THEN 'RoleBranch'
    WHEN 'link' THEN 'RoleLink'
    WHEN 'leaf' THEN 'RoleLeaf'
    ELSE 'RoleIsolated'
  END AS role,
  CASE
    WHEN s.prediction_score >= $high THEN 'ScoreHigh'
    WHEN s.prediction_score >= $middle THEN 'ScoreMiddle'
    ELSE 'ScoreLow'
  END AS band
WITH s, role, band, NOT role IN labels(s) OR NOT band IN labels(s) AS differs
CALL (s, role, band, differs) {
  WITH s, role, band, differs WHERE differs
  REMOVE s:RoleRoot:RoleBranch:RoleLink:RoleLeaf:RoleIsolated:ScoreHigh:ScoreMiddle:ScoreLow
  SET s:$(role):$(band)
}
RETURN count(*) AS seen, sum(CASE WHEN differs THEN 1 ELSE 0 END) AS changed, max(s.id) AS last
