// The neighbours in a project of the snapshots in hand, along causes and dependencies, both ways; per snapshot in hand
// at most so many that more would share its attention into nothing.
// params: keys: LIST<MAP>, project: STRING, limit: INTEGER
// returns: given, neighbours
UNWIND range(0, size($keys) - 1) AS given
WITH given, $keys[given] AS key ORDER BY given
MATCH (s:Snapshot {project: key.project, id: key.id})
RETURN given, COLLECT {
  MATCH (s)-[r:CAUSED_BY|DEPENDS_ON]-(t:Snapshot)
  WHERE r.origin <> 'detected' AND t.project = $project
  WITH DISTINCT t LIMIT $limit
  RETURN t.id
} AS neighbours
