// Makes the scores of snapshots stale, because something that they rest on has changed.
// params: keys: LIST<MAP>, epoch: ZONED DATETIME
UNWIND $keys AS key
MATCH (s:Snapshot {project: key.project, id: key.id})
SET s.last_predicted = $epoch
