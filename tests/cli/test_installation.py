"""setup, demo, doctor, schema, engine on the command line."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import databases
import pytest

from tests.cli.conftest import Run
from wakegraph import engine
from wakegraph.demo.decisions import decisions, records


def test_schema_is_reported_and_applied(run: Run) -> None:
    report = run("schema", "status", "--json").json()
    assert (report["version"], report["missing"], report["ok"]) == (1, [], True)
    assert run("schema", "apply").out.startswith("schema 1 of 1 at ")


def test_schema_is_not_touched_in_read_only_mode(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEGRAPH_READ_ONLY", "true")
    done = run("schema", "apply")
    assert "read-only" in done.error()
    assert done.code == 5


def test_setup_prepares_the_database_that_is_set(run: Run) -> None:
    assert run("setup", "--json").json()["ok"] is True
    assert "schema 1 of 1" in run("setup").out


def test_doctor_is_content(run: Run) -> None:
    found = run("doctor", "--json").json()
    assert found["ok"] is True
    assert {check["name"] for check in found["checks"]} == {
        "wakegraph", "packages", "database", "schema", "indexes", "engine", "disk"
    }  # fmt: skip
    assert run("doctor").out.count("ok ") >= 7


def test_doctor_says_what_is_wrong(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEGRAPH_NEO4J_PASSWORD", "wrong")
    done = run("doctor")
    assert done.code == 1
    assert "wrong  database" in done.out
    assert "refused the user name or password" in done.out


def test_engine_that_never_ran(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAKEGRAPH_HOME", str(tmp_path / "home"))
    status = run("engine", "status", "--json").json()
    assert (status["state"], status["uri"], status["password"]) == ("stopped", None, None)
    assert "stopped" in run("engine", "status", "--show-password").out
    assert "never started" in run("engine", "logs").error()
    assert run("engine", "stop").code == 0


@pytest.fixture
async def engine_home() -> AsyncIterator[Path]:
    """A home of an engine that is not the test run's own, with the artifacts of that one."""
    shared = databases.test_home()
    await engine.prefetch(engine.EngineConfig(shared))
    with tempfile.TemporaryDirectory(dir=shared, prefix="cli home ") as folder:
        for name in ("jars", "java"):
            shutil.copytree(shared / name, Path(folder) / name, copy_function=os.link)
        yield Path(folder)


@pytest.mark.engine
def test_demo_on_the_local_engine(spawn: Run, engine_home: Path) -> None:
    local = {
        "WAKEGRAPH_NEO4J_URI": "",
        "WAKEGRAPH_HOME": str(engine_home),
        "WAKEGRAPH_ENGINE_IDLE_SECONDS": "120",
        "WAKEGRAPH_ENGINE_ARCHIVE": "false",
        "WAKEGRAPH_OFFLINE": "true",
    }
    started = spawn("engine", "start", "--json", env=local).json()
    try:
        assert started["state"] == "running"
        assert started["password"] is None
        assert spawn("engine", "status", "--show-password", "--json", env=local).json()["password"]
        done = spawn("demo", env=local)
        assert done.code == 0, done.err
        assert started["browser_url"] in done.out
        assert spawn("engine", "logs", "-n", "2", env=local).out.count("\n") == 2
        assert spawn("doctor", env=local).code == 0
    finally:
        assert "stopped" in spawn("engine", "stop", env=local).out


def test_demo_shows_everything_and_can_be_repeated(run: Run, project: str) -> None:
    first = run("demo", "--project", project, "--json").json()
    assert first["imported"]["created"] == 736
    assert first["chain"]["length"] == 4
    assert first["impact"]["id"] == first["chain"]["steps"][0]["id"]
    assert first["validation"]["ok"] is True
    again = run("demo", "--project", project)
    assert again.code == 0
    assert "0 snapshots and 0 links created" in again.out
    for said in ("root", "PEP 566", "└── ", "causes dated after their effects", "MATCH p = (:Snapshot"):
        assert said in again.out
    assert run("stats", "--project", project, "--json").json()["snapshots"] == 736


def test_every_decision_is_a_snapshot_once() -> None:
    found = list(decisions())
    assert len({one["id"] for one in found}) == len(found) == 736
    assert sum(len(one["caused_by"]) for one in found) == sum(len(one["supersedes"]) for one in found) == 47
    assert sum(len(one["depends_on"]) for one in found) == 39


def test_replacement_said_by_both_ends_is_one_link() -> None:
    common = {"title": "t", "type": "Process", "status": "Final", "created": "2026-01-01"}
    old = {"id": "old", "superseded_by": ["new"], **common}
    new = {"id": "new", "replaces": ["old"], "requires": ["old"], **common}
    first, second = records([old, new])
    assert first["caused_by"] == []
    assert second["caused_by"] == [{"id": "old", "origin": "imported"}]
    assert second["supersedes"] == ["old"]
    assert second["depends_on"] == [{"id": "old", "origin": "imported"}]
