"""query_graph: what it refuses, and what it cuts."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from tests.mcp.conftest import Agent
from wakegraph.errors import WakegraphError
from wakegraph.graph.driver import Graph
from wakegraph.mcp import guarded
from wakegraph.mcp.guarded import run_guarded

pytestmark = pytest.mark.db

REFUSED = [
    "CREATE (n:Evil)",
    "MATCH (n:Snapshot) SET n.x = 1",
    "MATCH (n:Snapshot) DETACH DELETE n",
    "MERGE (n:Evil {id: 1}) RETURN n",
    "CALL () { CREATE (n:Evil) } RETURN 1",
    "MATCH (n) FOREACH (x IN [1] | SET n.x = 1)",
    "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row",
    "LOAD CSV FROM 'http://127.0.0.1:1/' AS row RETURN row",
    "CALL apoc.load.json('file:///etc/passwd')",
    "CALL apoc.cypher.doIt('CREATE (n)', {}) YIELD value RETURN value",
    "CALL dbms.listConfig() YIELD name RETURN name",
    "CALL dbms.components() YIELD name RETURN name",
    "CALL db.createLabel('Evil')",
    "CALL db.clearQueryCaches()",
    "CALL tx.setMetaData({a: 1})",
    "SHOW SETTINGS",
    "SHOW TRANSACTIONS",
    "SHOW USERS",
    "TERMINATE TRANSACTIONS 'neo4j-transaction-1'",
    "ALTER USER neo4j SET PASSWORD 'x12345678'",
    "USE system SHOW USERS",
    "DROP INDEX snapshot_text",
    "CREATE INDEX evil FOR (n:Evil) ON (n.x)",
    "PROFILE CREATE (n:Evil)",
    "PROFILE MATCH (n:Snapshot) RETURN n LIMIT 1",
    "EXPLAIN CREATE (n:Evil)",
    "EXPLAIN MATCH (n) RETURN n",
    "RETURN 1; CREATE (n:Evil)",
    "RETURN 1 //\n; CREATE (n:Evil)",
    "/* RETURN 1 */ CREATE (n:Evil)",
    "\u0043REATE (n:Evil)",
    "CRE\u200bATE (n:Evil)",
    "\u0421REATE (n:Evil)",
    "CYPHER runtime=slotted CREATE (n:Evil)",
    "MATCH (n:Snapshot) CALL (n) { SET n.x = 1 } IN TRANSACTIONS",
    "",
    "   ",
    "this is not Cypher",
    # What nothing can end: it grew a text in the database for hours.
    "RETURN reduce(s = '', x IN range(1, 10) | s + 'x') AS r",
    "WITH 1 AS one WHERE one = REDUCE /* */ (s = 0, x IN [1] | s + x) RETURN one",
    "MATCH (s:Snapshot) WHERE EXISTS { MATCH (s)--(o) WHERE o.n = reduce(a = 0, x IN s.tags | a + 1) } RETURN s",
    "MATCH (s:Snapshot) RETURN s.id ORDER BY reduce(a = 0, x IN s.tags | a + 1) LIMIT 1",
    "RETURN COLLECT { UNWIND [1] AS y RETURN reduce(a = 0, x IN [1] | a + y) } AS r",
    "MATCH (n) RETURN $missing",
]


@pytest.mark.parametrize("cypher", REFUSED)
async def test_refused(modern: Agent, graph: Graph, cypher: str) -> None:
    """F19"""
    line = await modern.error("query_graph", cypher=cypher)
    assert line
    async with graph.session("READ") as session:
        found = await session.run("OPTIONAL MATCH (n:Evil) RETURN count(n) AS n")
        assert (await found.single(strict=True))["n"] == 0


ALLOWED: list[tuple[str, Any]] = [
    ("RETURN 1 AS x", [{"x": 1}]),
    ("UNWIND range(1, 3) AS i WITH i WHERE i > 1 RETURN collect(i) AS x", [{"x": [2, 3]}]),
    ("RETURN datetime('2026-01-01T00:00:00Z') AS x", [{"x": "2026-01-01T00:00:00.000000000+00:00"}]),
    ("RETURN duration('P1DT2S') AS x, [date('2026-01-02')] AS y", [{"x": "P1DT2S", "y": ["2026-01-02"]}]),
    ("RETURN 0.0 / 0.0 AS x, point({x: 1, y: 2}) AS p", None),
    ("MATCH (s:Snapshot {project: $p}) OPTIONAL MATCH path = (s)-[:CAUSED_BY]->*(c) RETURN s, path, c LIMIT 3", None),
    ("CALL db.index.fulltext.queryNodes('snapshot_text', 'owl') YIELD node, score RETURN score LIMIT 1", None),
    ("CALL db.labels() YIELD label RETURN count(label) AS n", None),
    (
        "MATCH (a:Snapshot {project: $p}), (b:Snapshot {project: $p}), p = shortestPath((a)-[*]-(b)) RETURN p LIMIT 0",
        None,
    ),
    ("MATCH (s:Snapshot {project: $p}) RETURN s.id ORDER BY s.created_at DESC SKIP 1 LIMIT 1", None),
    ("MATCH (s:Snapshot {project: $p}) RETURN count(*) AS n UNION ALL RETURN 2 AS n", None),
    (
        "MATCH (s:Snapshot {project: $p}) WHERE EXISTS { (s)-[:CAUSED_BY]->() } RETURN s.id, COUNT { (s)--() } AS d",
        None,
    ),
    ("MATCH (s:Snapshot) WHERE s.project = $p AND s.created_at > datetime('2000-01-01') RETURN count(s) AS n", None),
]


@pytest.mark.parametrize(("cypher", "rows"), ALLOWED)
async def test_allowed(modern: Agent, project: str, cypher: str, rows: Any) -> None:
    await modern("save_context", content="owl", id="a")
    await modern("save_context", content="owl too", id="b", causedBy=["a"])
    answer = await modern("query_graph", cypher=cypher, parameters={"p": project})
    if rows is not None:
        assert answer["rows"] == rows


async def test_rows_and_bytes_are_bounded(modern: Agent) -> None:
    answer = await modern("query_graph", cypher="UNWIND range(1, 5000) AS i RETURN i", limit=7)
    assert (len(answer["rows"]), answer["truncated"]) == (7, True)
    answer = await modern(
        "query_graph", cypher="UNWIND range(1, 5000) AS i RETURN i, $t AS t", parameters={"t": "x" * 500}
    )
    assert answer["truncated"] is True
    assert "bytes" in answer["note"]


async def test_what_is_received_is_bounded(graph: Graph) -> None:
    """One record of gigabytes must neither fill the memory nor stop everything else."""
    started = time.monotonic()
    with pytest.raises(WakegraphError, match="more than 8,000,000 bytes"):
        await run_guarded(graph, "RETURN range(1, 30000000) AS x", {}, 10)
    assert time.monotonic() - started < 10
    long = "UNWIND range(1, 3000) AS i RETURN i, $long AS t"
    answer = await run_guarded(graph, long, {"long": "x" * 20_000}, 10)
    assert (answer["truncated"], len(answer["rows"])) == (True, 1)
    assert await graph.read("schema/ping")


async def test_what_cannot_be_ended_is_not_added_to(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded, "_STUCK", 0)
    with pytest.raises(WakegraphError, match="have not stopped yet"):
        await run_guarded(graph, "RETURN 1 AS x", {}, 10)


async def test_time_is_bounded(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await tags(graph)
    monkeypatch.setattr(guarded, "SECONDS", 1.0)
    slow = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b = -1 RETURN count(*)"
    started = time.monotonic()
    with pytest.raises(WakegraphError, match="ran longer than 1 s"):
        await run_guarded(graph, slow, {}, 10)
    assert time.monotonic() - started < 15
    await nothing_new_runs(graph, before)


async def test_a_late_server_is_ended_from_outside(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    # The server's own limit is far off; ours is not.
    before = await tags(graph)
    monkeypatch.setattr(guarded, "SECONDS", 30.0)
    monkeypatch.setattr(guarded, "_GRACE", -28.0)
    slow = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b WITH a, b WHERE a * b = -1 RETURN count(*)"
    with pytest.raises(WakegraphError, match="was ended"):
        await run_guarded(graph, slow, {}, 10)
    await nothing_new_runs(graph, before)


async def tags(graph: Graph) -> set[str]:
    async with graph.session("READ") as session:
        found = await session.run("SHOW TRANSACTIONS YIELD metaData RETURN metaData.wakegraph AS tag")
        return {row["tag"] async for row in found if row["tag"]}


async def nothing_new_runs(graph: Graph, before: set[str]) -> None:
    for _ in range(50):
        running = await tags(graph) - before
        if not running:
            return
        await asyncio.sleep(0.2)
    raise AssertionError(running)
