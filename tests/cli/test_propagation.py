"""refresh, high-value, predict-next, explain-score, configure, recalculate-tiers, prune, stats on the command line."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from graphdata import NOW, nodes, plant, snapshot, tie
from graphdata import run as cypher

pytestmark = pytest.mark.db

WHEN = ("--now", NOW.isoformat())


@pytest.fixture
async def filled(graph: Any, project: str) -> str:
    await plant(
        graph,
        project,
        [
            snapshot(project, "root", 900, 0.5, 30, action_type="decision"),
            snapshot(project, "leaf", 900),
            snapshot(project, "alone", 2),
        ],
    )
    await tie(graph, project, "CAUSED_BY", [("leaf", "root")])
    return project


def test_refresh_prints_one_json_line_in_a_pipe(run: Any, filled: str) -> None:
    done = run("refresh", "-p", filled, *WHEN)
    assert (done.code, done.err) == (0, "")
    assert len(done.out.splitlines()) == 1
    found = json.loads(done.out)
    assert (found["updated"], found["skipped"], found["project"]) == (3, 0, filled)
    assert {"seconds", "per_second", "tiers_changed", "failed"} <= found.keys()
    assert found["projects"][0]["formula"]["weights"] == {"temporal": 0.4, "causal": 0.3, "frequency": 0.3}
    again = run("refresh", "-p", filled, *WHEN, "--json").json()
    assert (again["updated"], again["skipped"]) == (0, 3)


def test_refresh_options(run: Any, filled: str) -> None:
    dry = json.loads(run("refresh", "-p", filled, *WHEN, "--dry-run").out)
    assert (dry["updated"], dry["dry_run"]) == (3, True)
    assert json.loads(run("refresh", "-p", filled, *WHEN, "--profile", "steps").out)["updated"] == 3
    forced = json.loads(run("refresh", "-p", filled, *WHEN, "--profile", "steps", "--stale-threshold", "0").out)
    assert (forced["updated"], forced["unchanged"]) == (0, 3)
    assert "use one of wake, steps, activation" in run("refresh", "-p", filled, "--profile", "best").error()
    assert "12h" in run("refresh", "-p", filled, "--every", "soon").error()
    assert "leave --now out" in run("refresh", "-p", filled, "--every", "1h", *WHEN).error()
    assert "not both" in run("refresh", "-p", filled, "--all").error()
    assert "similar names" in run("refresh", "-p", f"{filled}x").error()


async def test_refresh_of_a_project_that_fails_has_its_exit_code(run: Any, graph: Any, filled: str) -> None:
    await cypher(graph, "MATCH (p:WakegraphProject {name: $name}) SET p.weight_causal = 3", name=filled)
    done = await asyncio.to_thread(run, "refresh", "-p", filled)
    assert (done.code, done.out) == (2, "")
    assert f"settings of project '{filled}' cannot be used: weights must be" in done.err


def test_high_value(run: Any, filled: str) -> None:
    empty = run("high-value", "-p", filled, *WHEN)
    assert "no snapshot of this project was scored yet" in empty.out
    run("refresh", "-p", filled, *WHEN)
    found = run("high-value", "-p", filled, *WHEN, "--json").json()
    assert [one["id"] for one in found["contexts"]] == ["root"]
    assert found["contexts"][0]["components"][0]["name"] == "temporal"
    assert found["state"]["stale"] == 0
    line = run("high-value", "-p", filled, *WHEN).out.splitlines()[1].split("\t")
    assert line[0] == "root"
    assert line[2].startswith("high_composite_score,recently_accessed")
    assert "from 1 to 100" in run("high-value", "-p", filled, "--limit", "0").error()
    assert "0 to 1" in run("high-value", "-p", filled, "--min-score", "2").error()


def test_predict_next(run: Any, filled: str) -> None:
    found = run("predict-next", "root", "-p", filled, *WHEN, "--json").json()
    assert run("predict-next", "--given", "root", "-p", filled, *WHEN, "--json").json() == found
    assert [one["snapshot"]["id"] for one in found["predictions"]] == ["leaf", "alone"]
    assert found["predictions"][0]["spreading_from"][0]["source"]["id"] == "root"
    assert run("predict-next", "-p", filled, *WHEN).out.splitlines()[1].startswith("root\t")
    assert "no snapshot 'nothing'" in run("predict-next", "nothing", "-p", filled).error()


def test_explain_score(run: Any, filled: str) -> None:
    found = run("explain-score", "root", "-p", filled, *WHEN, "--json").json()
    assert [one["name"] for one in found["components"]] == ["temporal", "causal", "frequency"]
    assert found["stored_score"] is None
    text = run("explain-score", "root", "-p", filled, *WHEN).out
    assert "exp(-h / 24)" in text
    assert "access_count 30" in text
    assert "nothing is stored yet" in text
    run("refresh", "-p", filled, *WHEN)
    assert "(current)" in run("explain-score", "root", "-p", filled, *WHEN).out


def test_configure(run: Any, filled: str) -> None:
    assert run("configure", "-p", filled, "--json").json()["own"] == []
    changed = run(
        *("configure", "-p", filled, "--profile", "steps", "--weights", "0.2,0.3,0.5", "--boosts"),
        *("--constant", "steps.root=0.9", "--stale-threshold", "6", "--json"),
    ).json()
    assert (changed["formula"]["profile"], changed["stale_threshold_hours"]) == ("steps", 6)
    assert "steps.root=0.9" in run("configure", "-p", filled).out
    back = run("configure", "-p", filled, "--reset", "prediction_profile", "--json").json()
    assert back["formula"]["profile"] == "wake"
    assert "three numbers" in run("configure", "-p", filled, "--weights", "1").error()
    assert "NAME=VALUE" in run("configure", "-p", filled, "--constant", "wake").error()
    assert "sum to 1" in run("configure", "-p", filled, "--weights", "1,1,1").error()


def test_tiers_and_prune(run: Any, filled: str) -> None:
    found = run("recalculate-tiers", "-p", filled, *WHEN, "--json").json()
    assert {(one["from_tier"], one["to_tier"]): one["snapshots"] for one in found["changes"]} == {
        ("ACTIVE", "EXPIRED"): 1,
        ("ACTIVE", "RECENT"): 1,
    }
    assert "0 of the stored tiers in 1 project changed" in run("recalculate-tiers", "-p", filled, *WHEN).out
    dry = run("prune", "-p", filled, *WHEN)
    assert "say --apply to do it" in dry.out
    assert run("get", "leaf", "-p", filled).code == 0
    done = run("prune", "-p", filled, *WHEN, "--apply", "--json").json()
    assert [one["id"] for one in done["pruned"]] == ["leaf"]
    assert "was pruned at 2026-05-01" in run("get", "leaf", "-p", filled).error()


def test_stats_show_all_three_layers(run: Any, filled: str) -> None:
    run("refresh", "-p", filled, *WHEN)
    found = run("stats", "-p", filled, *WHEN, "--json").json()
    assert found["snapshots"] == found["memory"]["total"] == found["propagation"]["total_contexts"] == 3
    assert found["memory"]["tiers"] == {"active": 1, "recent": 1, "archived": 0, "expired": 1}
    text = run("stats", "-p", filled, *WHEN).out
    assert "EXPIRED\t1" in text
    assert "causal_chain_root\t1" in text


async def test_commands_count_no_access(run: Any, graph: Any, filled: str) -> None:
    def all_of_them() -> None:
        for words in (
            ("get", "root"),
            ("high-value",),
            ("predict-next", "root"),
            ("explain-score", "root"),
            ("stats",),
        ):
            assert run(*words, "-p", filled).code == 0

    before = await nodes(graph, filled)
    await asyncio.to_thread(all_of_them)
    assert await nodes(graph, filled) == before


class Relay:
    """A door to the database that can be shut, as when it is being restarted."""

    def __init__(self, uri: str) -> None:
        where = urlsplit(uri)
        self.host, self.port = where.hostname or "127.0.0.1", where.port or 7687
        self.server: asyncio.Server | None = None
        self.own = 0
        self.writers: set[asyncio.StreamWriter] = set()

    async def open(self) -> int:
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.own)
        self.own = self.server.sockets[0].getsockname()[1]
        return self.own

    async def shut(self) -> None:
        assert self.server
        self.server.close()
        for writer in list(self.writers):
            writer.transport.abort()
        await self.server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(self.host, self.port)
        except OSError:
            writer.transport.abort()
            return
        self.writers |= {writer, back}
        await asyncio.gather(self._pump(reader, back), self._pump(there, writer))
        self.writers -= {writer, back}

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            sink.transport.abort()


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_schedule_survives_a_restart_of_the_database_and_stops_cleanly(
    cli_env: Mapping[str, str], filled: str, tmp_path: Path, number: signal.Signals
) -> None:
    relay = Relay(cli_env["WAKEGRAPH_NEO4J_URI"])
    port = await relay.open()
    short = {"WAKEGRAPH_CONNECTION_TIMEOUT": "2", "WAKEGRAPH_RETRY_TIME": "1"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "wakegraph", "refresh", "-p", filled, "--every", "1s"),
        env={**os.environ, **cli_env, **short, "WAKEGRAPH_NEO4J_URI": f"bolt://127.0.0.1:{port}"},
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    assert process.stderr
    try:
        async with asyncio.timeout(50):
            assert json.loads(await process.stdout.readline())["updated"] == 3
            await relay.shut()
            assert b"trying again" in await process.stderr.readline()
            await relay.open()
            # runs that ended before the door was shut may still be in the pipe
            while json.loads(await process.stdout.readline())["skipped"] != 3:
                pass
            process.send_signal(number)
            assert await process.wait() == 0
            rest = (await process.stderr.read()).decode()
            assert all(line.endswith("trying again") for line in rest.splitlines())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await relay.shut()
