// Deletes a snapshot with its links and what only it was about, and remembers that it was there.
// params: key: MAP, now: ZONED DATETIME, by: STRING, reason: STRING
// returns: deleted
MATCH (s:Snapshot {project: $key.project, id: $key.id})
CALL (s) {
  MATCH (s)-[:ABOUT]->(a:Artifact)
  WHERE COUNT { (a)<-[:ABOUT]-() } = 1
  DETACH DELETE a
}
DETACH DELETE s
CREATE (:WakegraphTombstone {project: $key.project, id: $key.id, at: $now, by: $by, reason: $reason})
RETURN true AS deleted
