// What a save needs to know first: the ends that exist, the snapshot it would repeat, and whether the project is new.
// params: project: STRING, id: STRING, retry_key: STRING, keys: LIST<MAP>
// returns: known_project, found, same_id, same_retry
OPTIONAL MATCH (p:WakegraphProject {name: $project})
OPTIONAL MATCH (e:Snapshot {project: $project, id: $id})
OPTIONAL MATCH (r:Snapshot {project: $project, retry_key: $retry_key})
CALL () {
  UNWIND $keys AS key
  MATCH (s:Snapshot {project: key.project, id: key.id})
  RETURN collect({project: s.project, id: s.id}) AS found
}
RETURN p IS NOT NULL AS known_project, found, properties(e) AS same_id, properties(r) AS same_retry
