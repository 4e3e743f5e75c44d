// Creates a snapshot, its stated links and what it is about, detects its dependencies, and brings its causes up to date;
// or writes nothing, and says why not: an end is missing, or it repeats a snapshot that is there.
// Ends are written in the order of their keys, so that saves that share some of them wait instead of deadlocking.
// params: project: STRING, id: STRING, retry_key: STRING, properties: MAP, links: LIST<MAP>, about: LIST<STRING>,
//   now: ZONED DATETIME, epoch: ZONED DATETIME, detect_from: ZONED DATETIME, detect_until: ZONED DATETIME,
//   detect_limit: INTEGER, session: STRING, named: LIST<STRING>
// returns: known_project, found, same_id, same_retry, created, detected
OPTIONAL MATCH (p:WakegraphProject {name: $project})
OPTIONAL MATCH (e:Snapshot {project: $project, id: $id})
OPTIONAL MATCH (r:Snapshot {project: $project, retry_key: $retry_key})
CALL () {
  UNWIND $links AS link
  MATCH (t:Snapshot {project: link.project, id: link.id})
  RETURN collect({node: t, link: link}) AS stated
}
WITH p, e, r, stated, e IS NULL AND r IS NULL AND size(stated) = size($links) AS free
OPTIONAL CALL (stated, free) {
  WITH stated, free WHERE free
  MERGE (project:WakegraphProject {name: $project})
  ON CREATE SET project.created_at = $now
  CREATE (s:Snapshot)
  SET s = $properties
  WITH s, stated
  CALL (s) {
    MATCH (d:Snapshot)
    USING INDEX SEEK d:Snapshot(project, created_at)
    WHERE d.project = $project AND d.created_at >= $detect_from AND d.created_at < $detect_until
      AND ($session IS NULL OR d.session = $session)
      AND NOT d.id IN $named
    WITH d ORDER BY d.project DESC, d.created_at DESC, d.id DESC LIMIT $detect_limit
    RETURN collect({node: d, link: {
      type: 'DETECTED', gap_seconds: duration.inSeconds(d.created_at, $detect_until).microseconds / 1000000.0
    }}) AS detected
  }
  CALL (s, stated, detected) {
    UNWIND stated + detected AS end
    WITH s, end.node AS t, end.link AS link ORDER BY t.project, t.id
    FOREACH (_ IN CASE link.type WHEN 'CAUSED_BY' THEN [1] ELSE [] END |
      CREATE (s)-[:CAUSED_BY {
        primary: link.primary, origin: 'stated', recorded_at: $now
      }]->(t)
      SET t.last_predicted = $epoch
    )
    FOREACH (_ IN CASE link.type WHEN 'DEPENDS_ON' THEN [1] ELSE [] END |
      CREATE (s)-[:DEPENDS_ON {origin: 'stated', recorded_at: $now}]->(t)
      SET t.last_predicted = $epoch
    )
    FOREACH (_ IN CASE link.type WHEN 'SUPERSEDES' THEN [1] ELSE [] END |
      CREATE (s)-[:SUPERSEDES {recorded_at: $now}]->(t)
    )
    FOREACH (_ IN CASE link.type WHEN 'DETECTED' THEN [1] ELSE [] END |
      CREATE (s)-[:DEPENDS_ON {origin: 'detected', gap_seconds: link.gap_seconds, recorded_at: $now}]->(t)
    )
    RETURN count(*) AS written
  }
  CALL (s) {
    MATCH (s)-[:CAUSED_BY]->(c)
    WITH c, COUNT { (c)-[:CAUSED_BY]->() } AS causes, COUNT { (c)<-[:CAUSED_BY]-() } AS effects
    SET c.causal_role = CASE WHEN causes = 0 THEN 'root' WHEN effects = 1 THEN 'link' ELSE 'branch' END
    RETURN count(c) AS caused
  }
  CALL (s) {
    UNWIND $about AS ref
    MERGE (a:Artifact {project: $project, ref: ref})
    CREATE (s)-[:ABOUT]->(a)
    RETURN count(a) AS artifacts
  }
  RETURN true AS created, [end IN detected | {
    project: end.node.project, id: end.node.id, title: end.node.title, gap_seconds: end.link.gap_seconds
  }] AS detected
}
RETURN p IS NOT NULL AS known_project,
  [end IN stated | {project: end.node.project, id: end.node.id}] AS found,
  e {
    .*, recent_accesses: [moment IN e.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS same_id,
  r {
    .*, recent_accesses: [moment IN r.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS same_retry,
  coalesce(created, false) AS created, detected
