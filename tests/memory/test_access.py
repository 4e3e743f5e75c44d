"""Access: counted exactly, whoever counts at the same time."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from graphdata import NOW, at, nodes, plant, run, snapshot

from wakegraph.graph.times import EPOCH
from wakegraph.snapshots.naming import Key

pytestmark = pytest.mark.db

COUNTER = """
import asyncio, sys
from wakegraph import Wakegraph
from wakegraph.snapshots.naming import Key

async def main():
    uri, username, password, database, project, author = sys.argv[1:7]
    given = dict(neo4j_uri=uri, neo4j_username=username, neo4j_password=password, neo4j_database=database)
    async with Wakegraph.open(**given) as wake:
        keys = [Key(project, name) for name in ("b", "a", "c")]
        await wake.graph.ready()
        await asyncio.gather(*(wake.memory.record_access(keys, accessor=author) for _ in range(50)))

asyncio.run(main())
"""


async def stored(graph: Any, project: str, name: str) -> dict[str, Any]:
    return (await nodes(graph, project))[name]


async def test_an_access_is_counted_with_time_author_and_tier(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a", memory_tier="EXPIRED", last_predicted=at(1))])
    assert await wake.memory.record_access([Key(project, "a")], accessor="ann", now=NOW) == 1
    node = await stored(graph, project, "a")
    assert (node["access_count"], node["recent_accessors"], node["memory_tier"]) == (1, ["ann"], "ACTIVE")
    assert node["last_accessed"] == node["last_activity"] == node["recent_accesses"][0] == NOW
    assert node["last_predicted"] == EPOCH


async def test_an_access_is_counted_once_a_snapshot_and_unknown_ones_are_left_out(
    wake: Any, graph: Any, project: str
) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    keys = [Key(project, "a"), Key(project, "a"), Key(project, "nothing")]
    assert await wake.memory.record_access(keys, now=NOW) == 1
    assert (await stored(graph, project, "a"))["recent_accessors"] == [""]
    assert await wake.memory.record_access([], now=NOW) == 0


async def test_the_newest_sixteen_are_kept(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    for number in range(20):
        moment = NOW + timedelta(minutes=number)
        await wake.memory.record_access([Key(project, "a")], accessor=f"u{number}", now=moment)
    node = await stored(graph, project, "a")
    assert node["access_count"] == 20
    assert node["recent_accessors"] == [f"u{number}" for number in range(4, 20)]
    assert node["recent_accesses"] == [NOW + timedelta(minutes=number) for number in range(4, 20)]


async def test_an_access_in_the_past_does_not_turn_time_back(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a", 100, 2)])
    await wake.memory.record_access([Key(project, "a")], now=at(50))
    node = await stored(graph, project, "a")
    assert node["access_count"] == 2
    assert node["last_accessed"] == node["last_activity"] == at(2)


async def test_canonical_facts_other_than_access_stay(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a", tags=["x"], rationale="because")])
    before = await stored(graph, project, "a")
    await wake.memory.record_access([Key(project, "a")], now=NOW)
    after = await stored(graph, project, "a")
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"access_count", "last_accessed", "last_activity", "recent_accesses", "recent_accessors"}


async def test_nothing_is_counted_in_read_only_mode(wake_at: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    assert await wake_at(NOW, read_only=True).memory.record_access([Key(project, "a")]) == 0
    assert (await stored(graph, project, "a"))["access_count"] == 0


@pytest.mark.process
async def test_a_hundred_accesses_from_two_processes_are_exactly_a_hundred(
    settings: Any, graph: Any, project: str, tmp_path: Path
) -> None:
    """F02: no read-modify-write, whatever else writes the same snapshots meanwhile."""
    await plant(graph, project, [snapshot(project, name) for name in "abc"])
    script = tmp_path / "counter.py"
    script.write_text(COUNTER)
    password = settings.neo4j_password.get_secret_value()
    where = (settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database, project)
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, str(script), *where, author) for author in ("one", "two")
    ]
    assert [await process.wait() for process in processes] == [0, 0]
    for node in (await nodes(graph, project)).values():
        assert node["access_count"] == 100
        assert len(node["recent_accesses"]) == len(node["recent_accessors"]) == 16
        assert set(node["recent_accessors"]) <= {"one", "two"}


async def test_reads_for_upkeep_count_nothing(wake: Any, graph: Any, project: str) -> None:
    """F30: statistics, refresh, predictions, chains and lists are no accesses."""
    await wake.snapshots.save("first", project=project, id="a", now=at(50))
    await wake.snapshots.save("second", project=project, id="b", caused_by=["a"], now=at(40))
    await wake.propagation.refresh(project=project, now=NOW)
    await wake.propagation.high_value(project=project, min_score=0, now=NOW)
    await wake.propagation.predict_next(["a"], project=project, now=NOW)
    await wake.propagation.stats(project=project, now=NOW)
    await wake.propagation.explain_score("a", project=project, now=NOW)
    await wake.memory.stats(project=project, now=NOW)
    await wake.memory.recalculate_tiers(project=project, now=NOW)
    await wake.memory.prune(project=project, now=NOW)
    await wake.causality.chain("b", project=project)
    await wake.snapshots.list(project=project, order="predicted", now=NOW)
    for node in (await nodes(graph, project)).values():
        assert node["access_count"] == 0
        assert "last_accessed" not in node


async def test_changing_tags_is_no_access(wake: Any, graph: Any, project: str) -> None:
    """F28: metadata edits do not move last_accessed, nor the scores."""
    await wake.snapshots.save("first", project=project, id="a", now=at(50))
    await wake.propagation.refresh(project=project, now=NOW)
    before = await stored(graph, project, "a")
    await wake.snapshots.update("a", project=project, tags=["new"], now=NOW)
    assert {**await stored(graph, project, "a"), "tags": []} == before
    await run(graph, "RETURN 1")
