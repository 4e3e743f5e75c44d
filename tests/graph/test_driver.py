"""The connection: what goes wrong, in one line each, and what mends itself."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from neo4j.exceptions import Neo4jError

from tests.graphdata import run
from wakegraph.app import Wakegraph
from wakegraph.errors import DatabaseError, DatabaseUnavailableError
from wakegraph.graph import driver as driver_module
from wakegraph.graph.driver import Graph, Target, translate
from wakegraph.settings import Settings

pytestmark = pytest.mark.db


class Proxy:
    """Passes bytes to the database until told to cut."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None
        self.port = 0
        self.accepted = 0

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        await asyncio.sleep(0)

    def cut(self) -> None:
        """Break all connections at once, without a word to either side."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        back, forth = await asyncio.open_connection(self._host, self._port)
        self._writers += [writer, forth]
        await asyncio.gather(self._pump(reader, forth), self._pump(back, writer))

    @staticmethod
    async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()


@asynccontextmanager
async def proxied(settings: Settings, **facts: Any) -> AsyncIterator[tuple[Proxy, Wakegraph]]:
    address = urlsplit(settings.neo4j_uri or "")
    proxy = Proxy(address.hostname or "", address.port or 7687)
    await proxy.start()
    near = settings.model_copy(update={"neo4j_uri": f"bolt://127.0.0.1:{proxy.port}", **facts})
    wake = Wakegraph(near)
    try:
        yield proxy, wake
    finally:
        await wake.close()
        await proxy.stop()


async def test_a_connection_cut_while_idle_is_not_noticed(settings: Settings, project: str) -> None:
    async with proxied(settings) as (proxy, wake):
        await asyncio.gather(*(wake.graph.read("schema/ping") for _ in range(5)))
        for round_ in range(3):
            before = proxy.accepted
            proxy.cut()
            assert await wake.graph.read("schema/ping") == [{"answer": 1}]
            assert proxy.accepted > before
            proxy.cut()
            saved = await wake.snapshots.save(f"text {round_}", project=project, id=f"x{round_}")
            assert not saved.already_saved
        assert len((await wake.snapshots.list(project=project)).snapshots) == 3


async def test_a_database_that_comes_back_is_used_again(settings: Settings) -> None:
    async with proxied(settings, retry_time=0.3, connection_timeout=1.0) as (proxy, wake):
        await wake.graph.read("schema/ping")
        port = proxy.port
        await proxy.stop()
        with pytest.raises(DatabaseUnavailableError, match=f"bolt://127.0.0.1:{port} cannot be reached"):
            await wake.graph.read("schema/ping")
        await proxy.start(port)
        assert await wake.graph.read("schema/ping") == [{"answer": 1}]


async def test_a_database_that_is_not_there_yet_is_used_when_it_is(settings: Settings) -> None:
    async with proxied(settings, retry_time=0.3, connection_timeout=1.0) as (proxy, wake):
        port = proxy.port
        await proxy.stop()
        started = asyncio.get_running_loop().time()
        with pytest.raises(DatabaseUnavailableError, match="check that it runs there"):
            await wake.graph.ready()
        assert asyncio.get_running_loop().time() - started < 5
        await proxy.start(port)
        assert (await wake.graph.ready()).uri.endswith(f":{port}")


def changed(settings: Settings, **facts: Any) -> Wakegraph:
    return Wakegraph(Settings.model_validate({**dict(settings), "retry_time": 0.3, "connection_timeout": 2.0, **facts}))


async def line_of(wake: Wakegraph, kind: type[DatabaseError]) -> str:
    try:
        with pytest.raises(DatabaseError) as caught:
            await wake.snapshots.projects()
    finally:
        await wake.close()
    line = str(caught.value)
    assert type(caught.value) is kind
    assert "\n" not in line
    return line


async def test_an_unreachable_database(settings: Settings) -> None:
    with socket.socket() as taken:  # bound but not listening: nobody answers, and nobody else can
        taken.bind(("127.0.0.1", 0))
        address = f"bolt://127.0.0.1:{taken.getsockname()[1]}"
        line = await line_of(changed(settings, neo4j_uri=address), DatabaseUnavailableError)
    assert address in line
    assert "check that it runs there" in line


async def test_a_wrong_password(settings: Settings) -> None:
    line = await line_of(changed(settings, neo4j_password="not-the-password"), DatabaseError)
    assert "refused the user name or password of 'neo4j'" in line
    assert "not-the-password" not in line


async def test_a_wrong_database(settings: Settings) -> None:
    line = await line_of(changed(settings, neo4j_database="nosuchdatabase"), DatabaseError)
    assert "has no database 'nosuchdatabase'" in line
    assert "WAKEGRAPH_NEO4J_DATABASE" in line


@pytest.mark.parametrize(
    "uri", ["http://127.0.0.1:7474", "127.0.0.1:7687", "bolt://", "bolt://[::1", "bolt://a:b", "file:///x"]
)
async def test_an_address_of_another_kind(settings: Settings, uri: str) -> None:
    line = await line_of(changed(settings, neo4j_uri=uri), DatabaseError)
    assert uri in line
    assert "bolt://HOST:PORT" in line


async def test_a_password_in_the_address_is_not_shown(settings: Settings) -> None:
    line = await line_of(changed(settings, neo4j_uri="bolt://ann:geheim@127.0.0.1:7687"), DatabaseError)
    assert "bolt://...@127.0.0.1:7687" in line
    assert "geheim" not in line


async def test_a_host_without_a_name(settings: Settings) -> None:
    line = await line_of(changed(settings, neo4j_uri="bolt://no-such-host.invalid:7687"), DatabaseUnavailableError)
    assert "no-such-host.invalid" in line


async def test_something_that_is_no_database(settings: Settings) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(20)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        line = await line_of(changed(settings, neo4j_uri=f"bolt://127.0.0.1:{port}"), DatabaseUnavailableError)
        assert f"127.0.0.1:{port}" in line
    finally:
        server.close()


async def test_a_server_that_is_too_old(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_module, "MINIMUM_SERVER", (2999, 1))
    line = await line_of(changed(settings), DatabaseError)
    assert "wakegraph needs 2999.1 or newer: upgrade the server" in line


async def test_a_failed_preparation_is_tried_again(settings: Settings) -> None:
    calls = 0

    async def find() -> Target:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return Target(settings.neo4j_uri or "", settings.neo4j_username, password, settings.neo4j_database)

    async def prepare(graph: Graph) -> None:
        nonlocal calls
        calls += 1
        assert await graph.read("schema/ping") == [{"answer": 1}]
        if calls == 1:
            raise DatabaseError("not today")

    graph = Graph(find, prepare)
    try:
        with pytest.raises(DatabaseError, match="not today"):
            await graph.ready()
        await asyncio.gather(*(graph.read("schema/ping") for _ in range(5)))
        assert calls == 2
    finally:
        await graph.close()


async def test_a_call_that_disagrees_with_its_statement_is_a_defect(graph: Graph) -> None:
    with pytest.raises(TypeError, match="disagree"):
        await graph.read("schema/ping", more=1)


async def test_times_come_back_as_utc(graph: Graph) -> None:
    from zoneinfo import ZoneInfo

    moment = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Asia/Shanghai"))
    async with graph.session("READ") as session:
        from wakegraph.graph.times import from_graph, to_utc

        result = await session.run("RETURN $m AS m, [$m] AS l, {k: date('2026-01-01')} AS d", m=to_utc(moment))
        row = from_graph((await result.single(strict=True)).data())
    assert row["m"] == moment
    assert row["m"].tzinfo is UTC
    assert row["l"] == [moment]


async def test_a_request_beyond_the_memory_of_the_server_says_what_to_do(graph: Graph) -> None:
    await graph.ready()
    text = "UNWIND range(1, 2000000000) AS i WITH collect('a snapshot ' + i) AS many RETURN size(many)"
    with pytest.raises(Neo4jError) as caught:
        await run(graph, text)
    error = translate(caught.value, graph.target)
    assert isinstance(error, DatabaseError)
    assert "not enough memory for this request" in str(error)
    assert "WAKEGRAPH_ENGINE_HEAP_MB" in str(error)
