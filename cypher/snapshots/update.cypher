// Changes what may be changed of a snapshot; null removes a property, keys that are not there stay.
// params: key: MAP, changes: MAP
// returns: node
MATCH (s:Snapshot {project: $key.project, id: $key.id})
SET s += $changes
RETURN s {
    .*, recent_accesses: [moment IN s.recent_accesses | moment.epochMillis * 1000 + moment.microsecond % 1000]
  } AS node
