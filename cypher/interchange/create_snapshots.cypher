// Creates snapshots that are not there yet. Times that all have come as numbers: the driver packs them far faster.
// (A SET does not see what an earlier item of the same SET has set, hence the WITH.)
// params: rows: LIST<MAP>, now: ZONED DATETIME, epoch: ZONED DATETIME
UNWIND $rows AS row
WITH row.properties AS properties, datetime({epochSeconds: row.seconds, nanosecond: row.nanosecond}) AS created
CREATE (s:Snapshot)
SET s = properties,
  s.recorded_at = $now,
  s.last_predicted = $epoch,
  s.created_at = created,
  s.last_activity = CASE WHEN properties.last_accessed > created THEN properties.last_accessed ELSE created END
