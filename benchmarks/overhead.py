"""What the Python API costs over the best single statement sent through the bare driver.

Usage: python -m benchmarks.overhead [ROUNDS]

The database is the one of WAKEGRAPH_NEO4J_URI, else the local engine. Both sides take turns within one run, so that
what else the machine does hits both; the figures are medians and their ratio.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

from neo4j import AsyncGraphDatabase, RoutingControl

from wakegraph import Wakegraph

CREATE = """
MATCH (c:Snapshot {project: $project, id: $cause})
CREATE (s:Snapshot) SET s = $properties
CREATE (s)-[:CAUSED_BY {primary: true, origin: 'stated', recorded_at: $properties.recorded_at}]->(c)
"""
GET = """
MATCH (s:Snapshot {project: $project, id: $id})
RETURN s, [(s)-[r:CAUSED_BY|DEPENDS_ON|SUPERSEDES]-(o) | [type(r), r, o.project, o.id, o.title]] AS links,
  [(s)-[:ABOUT]->(a) | a.ref] AS about
"""
CHAIN = """
MATCH p = (s:Snapshot {project: $project, id: $id})(()-[:CAUSED_BY {primary: true}]->())*(root)
WHERE NOT EXISTS { (root)-[:CAUSED_BY]->() }
RETURN [n IN nodes(p) | [n.id, n.project, n.summary, n.action_type, n.rationale, n.created_at, n.causal_role]] AS steps
"""
CLEAN = """
MATCH (n:Snapshot|WakegraphProject) WHERE n.project = $project OR n.name = $project
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
"""


async def timed(call: Callable[[], Awaitable[Any]]) -> float:
    start = time.perf_counter()
    await call()
    return (time.perf_counter() - start) * 1e3


async def main(rounds: int) -> None:
    project = f"bench-{uuid4().hex[:8]}"
    async with Wakegraph.open(project=project) as wake:
        target = await wake.graph.ready()
        driver = AsyncGraphDatabase.driver(target.uri, auth=(target.username, target.password))
        async with driver:
            await wake.snapshots.save("step 0", id="s0")
            for step in range(1, 10):
                saved = await wake.snapshots.save(f"step {step}", id=f"s{step}", caused_by=[f"s{step - 1}"])
            rows, _, _ = await driver.execute_query(
                "MATCH (s:Snapshot {project: $project, id: 's9'}) RETURN properties(s) AS p",
                {"project": project},
                database_=target.database,
            )
            stored = dict(rows[0]["p"])

            def bare(text: str, routing: RoutingControl = RoutingControl.READ, **parameters: Any) -> Awaitable[Any]:
                return driver.execute_query(
                    text, {"project": project, **parameters}, database_=target.database, routing_=routing
                )

            def bare_save() -> Awaitable[Any]:
                properties = stored | {"id": str(uuid4()), "content": uuid4().hex}
                return bare(CREATE, RoutingControl.WRITE, cause="s0", properties=properties)

            def save() -> Awaitable[Any]:
                return wake.snapshots.save(uuid4().hex, caused_by=["s0"], detect_dependencies=False)

            def save_detecting() -> Awaitable[Any]:
                return wake.snapshots.save(uuid4().hex, caused_by=["s0"])

            pairs: dict[str, tuple[Callable[[], Awaitable[Any]], Callable[[], Awaitable[Any]]]] = {
                "save with one cause": (save, bare_save),
                "save with one cause, detecting": (save_detecting, bare_save),
                "get": (lambda: wake.snapshots.get("s5"), lambda: bare(GET, id="s5")),
                "chain of 10": (lambda: wake.causality.chain("s9"), lambda: bare(CHAIN, id="s9")),
            }
            assert saved.links
            results = {}
            for name, (ours, theirs) in pairs.items():
                for _ in range(10):
                    await ours()
                    await theirs()
                times = [(await timed(ours), await timed(theirs)) for _ in range(rounds)]
                mine, floor = (statistics.median(column) for column in zip(*times, strict=True))
                results[name] = {"wakegraph_ms": mine, "bare_ms": floor, "ratio": mine / floor}
            async with driver.session(database=target.database) as session:
                await (await session.run(CLEAN, project=project)).consume()
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
