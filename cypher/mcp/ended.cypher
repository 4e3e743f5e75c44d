// Statements of query_graph that were ended long ago and have not stopped: the database looks at that between the steps
// of a plan only, not while it evaluates one expression.
// params: seconds: INTEGER
// returns: running
SHOW TRANSACTIONS YIELD metaData, status, elapsedTime
WHERE metaData.wakegraph STARTS WITH 'wakegraph-query-' AND status STARTS WITH 'Terminated'
  AND elapsedTime.seconds >= $seconds
RETURN count(*) AS running
