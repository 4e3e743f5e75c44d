// Makes the nodes of projects that have none yet.
// params: names: LIST<STRING>, now: ZONED DATETIME
UNWIND $names AS name
MERGE (p:WakegraphProject {name: name})
ON CREATE SET p.created_at = $now
