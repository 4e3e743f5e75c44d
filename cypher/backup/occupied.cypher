// Those of the named projects that hold snapshots and are not being restored from this file.
// params: names: LIST<STRING>, digest: STRING
// returns: name
UNWIND $names AS name
OPTIONAL MATCH (p:WakegraphProject {name: name})
WITH name, p WHERE coalesce(p.restoring, '') <> $digest
  AND EXISTS { MATCH (s:Snapshot) WHERE s.project = name AND s.id IS NOT NULL }
RETURN name ORDER BY name
