"""The schema in databases that are empty, foreign, newer or at odds with it: each on an engine of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from databases import test_home as home_of_run

from wakegraph import engine
from wakegraph.app import Wakegraph
from wakegraph.errors import DatabaseError
from wakegraph.graph import schema
from wakegraph.graph.driver import Graph
from wakegraph.settings import Settings

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
async def own() -> AsyncIterator[Settings]:
    """Settings that lead to an engine of this file alone; its artifacts are hard links to those of the run's home."""
    source = home_of_run()
    await engine.prefetch(engine.EngineConfig(source))
    with tempfile.TemporaryDirectory(dir=source, prefix="schema ") as folder:
        home = Path(folder) / "home"
        for name in ("jars", "java"):
            shutil.copytree(
                source / name, home / name, copy_function=os.link, ignore=shutil.ignore_patterns(".staging", "launch-*")
            )
        config = engine.EngineConfig(home, archive=False, heap_mb=384, page_cache_mb=32, offline=True)
        endpoint = await engine.ensure(config, None)
        try:
            yield Settings(
                neo4j_uri=endpoint.uri,
                neo4j_username=endpoint.username,
                neo4j_password=endpoint.password,  # type: ignore[arg-type]  # pydantic makes it a secret
                neo4j_database=endpoint.database,
            )
        finally:
            await engine.stop(config)


@pytest.fixture
async def raw(own: Settings) -> AsyncIterator[Graph]:
    """The engine's database as it is, emptied to the last constraint."""
    wake = Wakegraph(own, prepare=False)
    for row in await run(wake.graph, "SHOW CONSTRAINTS YIELD name RETURN name"):
        await run(wake.graph, f"DROP CONSTRAINT `{row['name']}`")
    for row in await run(wake.graph, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
        await run(wake.graph, f"DROP INDEX `{row['name']}`")
    await run(wake.graph, "MATCH (n) DETACH DELETE n")
    yield wake.graph
    await wake.close()


async def run(graph: Graph, query: str, **parameters: Any) -> list[dict[str, Any]]:
    async with graph.session("WRITE") as session:
        result = await session.run(query, parameters)
        return [record.data() async for record in result]


async def first_call(settings: Settings, **facts: Any) -> None:
    wake = Wakegraph(settings.model_copy(update=facts))
    try:
        await wake.snapshots.projects()
    finally:
        await wake.close()


async def apply(settings: Settings) -> None:
    wake = Wakegraph(settings, prepare=False)
    try:
        assert (await wake.apply_schema()).ok
    finally:
        await wake.close()


async def test_two_processes_that_start_at_once_make_one_schema(own: Settings, raw: Graph) -> None:
    password = own.neo4j_password.get_secret_value() if own.neo4j_password else ""
    environment = {
        **os.environ,
        "WAKEGRAPH_NEO4J_URI": own.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_PASSWORD": password,
        "WAKEGRAPH_NEO4J_DATABASE": own.neo4j_database or "",
    }
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "wakegraph", "projects", env=environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    ended = await asyncio.gather(*(process.communicate() for process in running))
    assert [process.returncode for process in running] == [0, 0], ended
    assert await schema.missing_indexes(raw) == []
    counts = await run(raw, "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS n ORDER BY label")
    assert [(row["label"], row["n"]) for row in counts] == [("WakegraphLock", 1), ("WakegraphSchema", 1)]


async def test_applying_it_many_times_at_once_is_harmless(own: Settings, raw: Graph) -> None:
    await asyncio.gather(*(apply(own) for _ in range(4)))
    await apply(own)
    assert await schema.missing_indexes(raw) == []


async def test_a_foreign_database_is_left_alone_until_told_otherwise(own: Settings, raw: Graph) -> None:
    await run(raw, "CREATE (:Film {title: 'Alien'})")
    with pytest.raises(DatabaseError, match=r"not empty and was not made by wakegraph.*wakegraph schema apply"):
        await first_call(own)
    assert await run(raw, "SHOW CONSTRAINTS YIELD name RETURN name") == []
    assert len(await run(raw, "MATCH (n) RETURN n")) == 1
    await apply(own)
    await first_call(own)
    assert len(await run(raw, "MATCH (n:Film) RETURN n")) == 1


async def test_a_newer_schema_is_refused(own: Settings, raw: Graph) -> None:
    await apply(own)
    await run(raw, "MATCH (v:WakegraphSchema) SET v.version = 99")
    with pytest.raises(DatabaseError, match=r"has wakegraph schema 99, .*upgrade wakegraph"):
        await first_call(own)
    with pytest.raises(DatabaseError, match=r"has wakegraph schema 99, .*upgrade wakegraph"):
        await apply(own)
    assert await run(raw, "MATCH (v:WakegraphSchema) RETURN v.version AS version") == [{"version": 99}]


async def test_duplicates_are_named(own: Settings, raw: Graph) -> None:
    await run(raw, "UNWIND range(1, 3) AS n CREATE (:Snapshot {project: 'p', id: 'twice'})")
    await run(raw, "CREATE (:Snapshot {project: 'p', id: 'once'})")
    with pytest.raises(DatabaseError, match=r"p::twice \(3 copies\).*remove the copies"):
        await apply(own)
    await run(raw, "MATCH (s:Snapshot {id: 'twice'}) DELETE s")
    await run(raw, "UNWIND [1, 2] AS n CREATE (:Artifact {project: 'p', ref: 'a.py'})")
    with pytest.raises(DatabaseError, match=r"p::a.py \(2 copies\)"):
        await apply(own)
    await run(raw, "MATCH (a:Artifact) DELETE a")
    await apply(own)


async def test_read_only_creates_nothing(own: Settings, raw: Graph) -> None:
    with pytest.raises(DatabaseError, match=r"read-only mode may not create it"):
        await first_call(own, read_only=True)
    assert await run(raw, "MATCH (n) RETURN n") == []
    assert await run(raw, "SHOW CONSTRAINTS YIELD name RETURN name") == []


async def test_without_its_lock_node_no_link_is_made(own: Settings, raw: Graph) -> None:
    await apply(own)
    await run(raw, "MATCH (l:WakegraphLock) DELETE l")
    async with Wakegraph.open(own) as wake:
        await wake.snapshots.save("a", project="p", id="a")
        await wake.snapshots.save("b", project="p", id="b")
        with pytest.raises(DatabaseError, match=r"lock node .* is missing, nothing was written"):
            await wake.snapshots.link("a", project="p", caused_by=["b"])
        assert (await wake.snapshots.get("a", project="p"))[0].caused_by == []
        await apply(own)
        await wake.snapshots.link("a", project="p", caused_by=["b"])
