"""Writes generated projects into the database, as fast as it takes them, and removes them again."""

from __future__ import annotations

from typing import Any

from benchmarks.generate import END, Shape, rows
from wakegraph import Wakegraph
from wakegraph.graph.times import EPOCH

# Times come as numbers: the driver needs far longer for a list of times than for one of numbers.
CREATE = """
UNWIND $rows AS row
WITH row.properties AS given
WITH given, datetime({epochMillis: given.created}) AS created,
  [moment IN given.times | datetime({epochMillis: moment})] AS times
CREATE (s:Snapshot {
  project: given.project, id: given.id, content: given.content, summary: given.summary, title: given.title,
  tags: given.tags, action_type: given.action_type, source: 'import', created_at: created, recorded_at: $now,
  access_count: given.count, recent_accesses: times, recent_accessors: [_ IN times | ''], last_accessed: times[-1],
  last_activity: CASE WHEN times[-1] > created THEN times[-1] ELSE created END,
  memory_tier: 'EXPIRED', causal_role: 'isolated', last_predicted: $epoch
})
"""
CAUSES = """
UNWIND $rows AS row
WITH row WHERE row.cause IS NOT NULL
MATCH (s:Snapshot {project: $project, id: row.properties.id})
MATCH (t:Snapshot {project: $project, id: row.cause})
CREATE (s)-[:CAUSED_BY {primary: true, origin: 'imported', recorded_at: $now}]->(t)
"""
DEPENDENCIES = """
UNWIND $rows AS row
UNWIND row.dependencies AS end
MATCH (s:Snapshot {project: $project, id: row.properties.id})
MATCH (t:Snapshot {project: $project, id: end})
CREATE (s)-[:DEPENDS_ON {origin: 'imported', recorded_at: $now}]->(t)
"""
REMOVE = """
MATCH (s:Snapshot) WHERE s.project = $project AND s.created_at IS NOT NULL
CALL (s) { DETACH DELETE s } IN TRANSACTIONS OF 5000 ROWS
"""
FORGET = "MATCH (p:WakegraphProject {name: $project}) DELETE p"
MAKE = "MERGE (p:WakegraphProject {name: $project}) ON CREATE SET p.created_at = $now"
UNSCORE = """
MATCH (s:Snapshot) WHERE s.project = $project AND s.last_predicted > $epoch
CALL (s) { SET s.last_predicted = $epoch } IN TRANSACTIONS OF 5000 ROWS
"""


async def run(wake: Wakegraph, text: str, **parameters: Any) -> None:
    """One statement in a transaction of its own."""
    async with wake.graph.session("WRITE") as session:
        await (await session.run(text, parameters)).consume()


async def fill(wake: Wakegraph, shape: Shape, project: str, size: int) -> None:
    """Make a project of a size, unless it is there already."""
    there = await _size(wake, project)
    if there == size:
        return
    if there:
        await remove(wake, project)
    await run(wake, MAKE, project=project, now=END)
    for batch in rows(shape, project, size):
        await run(wake, CREATE, rows=batch, now=END, epoch=EPOCH)
        await run(wake, CAUSES, rows=batch, project=project, now=END)
        await run(wake, DEPENDENCIES, rows=batch, project=project, now=END)


async def _size(wake: Wakegraph, project: str) -> int:
    row = await wake.graph.read_one("propagation/counts", project=project, cutoff=EPOCH)
    return int(row["total"]) if row else 0


async def unscore(wake: Wakegraph, project: str) -> None:
    """Make all scores of a project stale."""
    await run(wake, UNSCORE, project=project, epoch=EPOCH)


async def remove(wake: Wakegraph, project: str) -> None:
    """Take a project out of the database."""
    await run(wake, REMOVE, project=project)
    await run(wake, FORGET, project=project)
