// Lengths of the primary chains of a project, one a leaf, from distances to where they begin: a snapshot without a
// primary cause in this project. A chain through another project begins anew where it comes back.
// params: project: STRING
// returns: chains, snapshots, longest
MATCH (start:Snapshot)
WHERE start.project = $project AND start.created_at IS NOT NULL
  AND NOT EXISTS { (start)-[r:CAUSED_BY WHERE r.primary]->(c WHERE c.project = $project) }
CALL (start) {
  MATCH p = (start)((a)<-[r:CAUSED_BY WHERE r.primary]-(b WHERE b.project = $project))*(x)
  WITH x, min(length(p)) + 1 AS length
  WHERE EXISTS { (x)-[:CAUSED_BY]->() } AND NOT EXISTS { (x)<-[:CAUSED_BY]-() }
  RETURN count(x) AS leaves, sum(length) AS total, max(length) AS longest_here
}
RETURN sum(leaves) AS chains, sum(total) AS snapshots, max(longest_here) AS longest
