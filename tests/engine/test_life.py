"""A real engine from first use to last: start, attach, data, death by kill -9, idle stop."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, ClientError

from wakegraph import engine
from wakegraph.engine.config import Layout
from wakegraph.engine.processes import Process
from wakegraph.engine.state import State, read_state
from wakegraph.errors import EngineError

pytestmark = pytest.mark.engine

ASK = Path(__file__).with_name("ask.py")
MakeConfig = Callable[..., engine.EngineConfig]


async def query(endpoint: engine.Endpoint, text: str, **params: Any) -> list[dict[str, Any]]:
    auth = (endpoint.username, endpoint.password)
    async with AsyncGraphDatabase.driver(endpoint.uri, auth=auth, notifications_min_severity="OFF") as driver:
        records, _, _ = await driver.execute_query(text, params, database_=endpoint.database)
    return [record.data() for record in records]


def state_of(config: engine.EngineConfig) -> State:
    state = read_state(Layout(config).state)
    assert state
    return state


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.05)


def ask(config: engine.EngineConfig, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(ASK), config.to_json(), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.parametrize("version", ["2026.08.1", "5.26.30"])
async def test_an_engine_serves_keeps_data_and_stops(make_config: MakeConfig, version: str) -> None:
    config = make_config(neo4j_version=version)
    layout = Layout(config)
    assert (await engine.status(config)).state == "stopped"
    assert not await engine.stop(config)
    steps: list[engine.Progress] = []
    endpoint = await engine.ensure(config, steps.append)
    assert {step.phase for step in steps} == {"starting", "ready"}
    assert steps[-1].phase == "ready"
    assert endpoint.password not in repr(endpoint)

    again = await engine.ensure(config)
    assert again == endpoint

    [row] = await query(
        endpoint, "CALL dbms.components() YIELD name, versions WHERE name = 'Neo4j Kernel' RETURN versions"
    )
    assert row["versions"] == [version] == [endpoint.version]
    wrong = AsyncGraphDatabase.driver(endpoint.uri, auth=("neo4j", "neo4j"))
    with pytest.raises(AuthError):
        await wrong.verify_connectivity()
    await wrong.close()
    await query(endpoint, "CREATE INDEX kept FOR (n:Kept) ON (n.value)")
    await query(endpoint, "CREATE (:Kept {value: $value})", value="wert")

    await only_local(endpoint)
    await only_the_user_can_read(layout)

    status = await engine.status(config)
    assert status.state == "running"
    assert status.endpoint == endpoint
    assert status.pid == endpoint.pid
    assert status.uptime is not None
    assert 0 < status.uptime < 120
    assert 500_000 < status.data_bytes < 50_000_000
    assert status.log_path == layout.log
    assert engine.log_tail(config, 5)

    assert await engine.stop(config)
    assert not endpoint.alive()
    assert (await engine.status(config)).state == "stopped"
    assert not await engine.stop(config)

    second = await engine.ensure(config)
    assert (second.pid, second.password) != (endpoint.pid, "")
    assert second.password == endpoint.password
    assert await query(second, "MATCH (n:Kept) RETURN n.value AS value") == [{"value": "wert"}]


async def only_local(endpoint: engine.Endpoint) -> None:
    """It listens on loopback only, talks to nobody, and reads nothing for a statement."""
    await engine.await_browser(endpoint)
    for connection in psutil.Process(endpoint.pid).net_connections():
        for address in filter(None, (connection.laddr, connection.raddr)):
            assert address.ip in ("127.0.0.1", "::ffff:127.0.0.1"), connection
    with pytest.raises(ClientError, match=r"(?i)blocked|blocklist"):
        await query(endpoint, f"LOAD CSV FROM '{endpoint.browser_url}' AS row RETURN row")
    with pytest.raises(ClientError, match="allow_csv_import_from_file_urls"):
        await query(endpoint, "LOAD CSV FROM 'file:///conf/neo4j.conf' AS row RETURN row")


async def only_the_user_can_read(layout: Layout) -> None:
    assert stat.S_IMODE(layout.folder.stat().st_mode) == 0o700
    for file in (layout.state, layout.password, layout.neo4j / "data" / "dbms" / "auth.ini"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert layout.password.read_text() not in layout.log.read_text()


async def test_many_ask_at_once_and_the_first_is_killed(make_config: MakeConfig) -> None:
    config = make_config()
    first = ask(config)
    await until(Layout(config).state.exists)
    first.kill()
    first.communicate()
    others = [ask(config) for _ in range(3)]
    endpoint = await engine.ensure(config)
    for process in others:
        output, _ = await asyncio.to_thread(process.communicate)
        assert json.loads(output) == {"pid": endpoint.pid, "uri": endpoint.uri}  # and nothing else on stdout
    names = (str(config.home), json.dumps(str(config.home)).strip('"'))
    found = [(each.pid, " ".join(each.info["cmdline"] or [])) for each in psutil.process_iter(["cmdline"])]
    running = [pid for pid, line in found if any(name in line for name in names)]
    assert sorted(running) == sorted([endpoint.pid, state_of(config).supervisor.pid])
    depends_on_nothing_but_its_home(config, endpoint)


def depends_on_nothing_but_its_home(config: engine.EngineConfig, endpoint: engine.Endpoint) -> None:
    """The virtual environment and the package caches can go while it runs."""
    process = psutil.Process(endpoint.pid)
    files = {file.path for file in process.open_files()} | {process.exe(), process.cwd()}
    if sys.platform == "linux":
        files |= {entry.path for entry in process.memory_maps()}
    for path in files:
        assert not path.startswith((sys.prefix, str(Path.home() / ".cache"))), path
    assert process.exe().startswith(str(config.home))


async def test_killed_halves_are_replaced_and_nothing_acknowledged_is_lost(make_config: MakeConfig) -> None:
    config = make_config()
    first = await engine.ensure(config)
    await query(first, "CREATE (:Kept {value: 1})")

    Process.of(first.pid).send(signal.SIGKILL)
    second = await engine.ensure(config)
    assert second.pid != first.pid
    assert not first.alive()
    await query(second, "CREATE (:Kept {value: 2})")

    killed = state_of(config).supervisor
    killed.send(signal.SIGKILL)
    await until(lambda: not killed.alive())
    assert (await engine.ensure(config)).pid == second.pid
    await until(lambda: "taking over" in "\n".join(engine.log_tail(config)))
    assert state_of(config).tended()
    assert second.alive()

    state_of(config).supervisor.send(signal.SIGKILL)
    Process.of(second.pid).send(signal.SIGKILL)
    await until(lambda: not second.process.alive())
    assert (await engine.status(config)).state == "stale"
    third = await engine.ensure(config)
    values = await query(third, "MATCH (n:Kept) RETURN n.value AS value ORDER BY value")
    assert values == [{"value": 1}, {"value": 2}]

    state_of(config).supervisor.send(signal.SIGKILL)
    await until(lambda: not state_of(config).tended())
    assert await engine.stop(config)  # without a supervisor
    assert not third.process.alive()


async def test_a_lost_state_file_is_a_busy_data_folder(make_config: MakeConfig) -> None:
    config = make_config()
    endpoint = await engine.ensure(config)
    supervisor = state_of(config).supervisor
    supervisor.send(signal.SIGKILL)
    await until(lambda: not supervisor.alive())
    Layout(config).state.unlink()
    with pytest.raises(EngineError, match=r"is in use by another process; .* WAKEGRAPH_HOME") as caught:
        await engine.ensure(config)
    assert "\n" not in str(caught.value)
    assert caught.value.__notes__
    status = await engine.status(config)
    assert status.state == "stopped"
    assert "in use by another process" in status.message
    endpoint.process.send(signal.SIGTERM)
    await until(lambda: not endpoint.process.alive())


async def test_it_stops_when_idle_and_never_while_used(make_config: MakeConfig) -> None:
    config = make_config(idle_seconds=2)
    endpoint = await engine.ensure(config)
    driver = AsyncGraphDatabase.driver(endpoint.uri, auth=(endpoint.username, endpoint.password))
    await driver.verify_connectivity()
    await asyncio.sleep(5)
    assert endpoint.process.alive()
    await driver.close()
    for _ in range(4):  # asking counts as use
        await asyncio.sleep(1)
        assert endpoint.alive()
    await until(lambda: not endpoint.process.alive())
    assert not endpoint.alive()
    await until(lambda: not Layout(config).state.exists())
    assert any("stopping" in line for line in engine.log_tail(config))


async def test_whoever_asks_while_it_stops_gets_a_live_one(make_config: MakeConfig) -> None:
    config = make_config(idle_seconds=1)
    for delay in (1.0, 1.15, 1.3):
        endpoint = await engine.ensure(config)
        assert await query(endpoint, "RETURN 1 AS one") == [{"one": 1}]
        await asyncio.sleep(delay)


async def test_stop_while_it_starts(make_config: MakeConfig) -> None:
    config = make_config()
    asked = asyncio.create_task(engine.ensure(config))
    state = Layout(config).state
    await until(lambda: state.exists() and state_of(config).running())
    asked.cancel()
    java = state_of(config).database
    assert java
    assert await engine.stop(config)
    assert not java.alive()
    assert not state.exists()


async def test_a_start_that_fails_says_why_and_the_next_one_works(make_config: MakeConfig) -> None:
    config = make_config(heap_mb=100_000_000)
    with pytest.raises(
        EngineError, match="not enough memory for the local engine; set WAKEGRAPH_ENGINE_HEAP_MB"
    ) as caught:
        await engine.ensure(config)
    assert any("heap" in note for note in caught.value.__notes__)
    with pytest.raises(EngineError, match="not enough memory"):
        await engine.ensure(config)
    assert (await engine.status(config)).state == "stopped"


async def test_a_port_that_was_asked_for_and_is_taken(make_config: MakeConfig) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EngineError, match=f"port {port} is in use; set WAKEGRAPH_ENGINE_BOLT_PORT"):
            await engine.ensure(make_config(bolt_port=port))
        with pytest.raises(EngineError, match=f"port {port} is in use; set WAKEGRAPH_ENGINE_HTTP_PORT"):
            await engine.ensure(make_config(http_port=port))


async def test_data_without_its_password(make_config: MakeConfig) -> None:
    config = make_config()
    (Layout(config).neo4j / "data" / "databases").mkdir(parents=True)
    with pytest.raises(EngineError, match=r"password file .* is missing but .* holds data"):
        await engine.ensure(config)


async def test_notes_of_another_process_with_the_same_number_are_stale(make_config: MakeConfig) -> None:
    config = make_config()
    impostor = Process(os.getpid(), "another start")
    Layout(config).folder.mkdir()
    State(impostor, "ready", database=impostor, bolt_port=1, http_port=2, version="2026.08.1").write(
        Layout(config).state
    )
    status = await engine.status(config)
    assert (status.state, status.endpoint, status.pid) == ("stale", None, None)
    assert not await engine.stop(config)
    assert (await engine.status(config)).state == "stopped"


async def test_an_unreadable_state_file_counts_as_none(make_config: MakeConfig) -> None:
    config = make_config()
    Layout(config).folder.mkdir()
    Layout(config).state.write_text('{"supervisor"')
    assert (await engine.status(config)).state == "stopped"
    assert not await engine.stop(config)
