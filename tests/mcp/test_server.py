"""What the server does around its tools: names, failures, traces, the database that is not there yet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from fastmcp import Client

from tests.mcp.conftest import Agent, connected
from wakegraph.app import Wakegraph
from wakegraph.engine import Progress
from wakegraph.errors import DatabaseUnavailableError
from wakegraph.mcp import database as module
from wakegraph.mcp.database import Database
from wakegraph.mcp.options import ServerOptions
from wakegraph.mcp.server import create_server
from wakegraph.settings import Settings

pytestmark = pytest.mark.db


async def test_an_unexpected_failure_tells_nothing(
    serve: Callable[..., Any], project: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(serve(project=project)) as agent:
        await agent("list_projects")

        async def fail(*_: object, **__: object) -> None:
            raise RuntimeError("a secret of the machine")

        monkeypatch.setattr("wakegraph.snapshots.service.Snapshots.list", fail)
        with caplog.at_level(logging.CRITICAL):
            line = await agent.error("load_context")
    assert line == "Error calling tool 'load_context'"


async def test_a_failure_to_count_access_is_logged_only(
    modern: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await modern("save_context", content="x", id="x")

    async def fail(*_: object, **__: object) -> int:
        raise DatabaseUnavailableError("gone")

    monkeypatch.setattr("wakegraph.memory.service.Memory.record_access", fail)
    assert (await modern("get_context", ids=["x"]))["snapshots"][0]["id"] == "x"
    assert any("not counted" in record.getMessage() for record in caplog.records)


async def test_the_client_is_the_author_when_nobody_is_named(modern: Agent) -> None:
    saved = await modern("save_context", content="x")
    assert saved["snapshot"]["author"]
    named = await modern("save_context", content="y", author="ada")
    assert named["snapshot"]["author"] == "ada"


async def test_a_database_that_comes_up_late_is_waited_for_with_progress(settings: Settings, project: str) -> None:
    told: list[str] = []
    seen: list[Callable[[Progress], None]] = []

    class Slow(Wakegraph):
        async def _find_database(self) -> Any:
            seen[0](Progress("downloading", 40, 100, ""))
            await asyncio.sleep(1.5)
            return await super()._find_database()

    def opened(note: Callable[[Progress], None]) -> Wakegraph:
        seen.append(note)
        return Slow(settings.model_copy(update={"project": project}))

    async def progress(_: float, __: float | None, message: str | None) -> None:
        told.append(message or "")

    async with Client(create_server(opened)) as client:
        answer = await client.call_tool("load_context", {}, progress_handler=progress)
    assert answer.structured_content["snapshots"] == []
    assert any("downloading 40 %" in line for line in told)


async def test_a_database_that_does_not_come_up_is_reported(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_AGAIN", 0.05)
    away = settings.model_copy(update={"neo4j_uri": "bolt://127.0.0.1:1", "connection_timeout": 0.5})
    database = Database(lambda _: Wakegraph(away), wait=0.6)
    told: list[str] = []

    async def tell(_: float, __: float, state: str) -> None:
        told.append(state)

    for _ in range(2):
        with pytest.raises(DatabaseUnavailableError, match=r"127\.0\.0\.1:1"):
            await database.ready(tell)
    with pytest.raises(DatabaseUnavailableError):
        await database.now()
    await database.close()


async def test_statements_are_spans_of_the_trace(
    serve: Callable[..., Any], project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from opentelemetry import trace

    names: list[str] = []

    class Tracer:
        def start_as_current_span(self, name: str, **_: Any) -> Any:
            names.append(name)
            return nullcontext()

    real = trace.get_tracer
    monkeypatch.setattr(
        trace, "get_tracer", lambda name, *rest, **more: Tracer() if name == "wakegraph" else real(name, *rest, **more)
    )
    async with connected(serve(project=project)) as agent:
        await agent("load_context")
    assert "neo4j snapshots/list_recent" in names


async def test_calls_wait_for_their_turn(
    serve: Callable[..., Any], project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F01: what comes at once is answered, not refused."""
    from wakegraph.mcp import server

    async with connected(serve(ServerOptions(concurrency=2), project=project)) as agent:
        calls = [agent.raw("save_context", content=f"note {number}") for number in range(20)]
        assert not [answer.content[0].text for answer in await asyncio.gather(*calls) if answer.is_error]
        monkeypatch.setattr(server, "_QUEUE", 0.0)
        calls = [agent.raw("save_context", content=f"more {number}") for number in range(20)]
        refused = [answer.content[0].text for answer in await asyncio.gather(*calls) if answer.is_error]
        assert refused
        assert all("try again in a second" in line for line in refused)
        assert not (await agent.raw("load_context")).is_error
