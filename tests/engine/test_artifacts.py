"""Artifacts: only what the lock says, fetched from whatever the user's Maven configuration points to."""

from __future__ import annotations

import asyncio
import collections
import gc
import http.server
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from wakegraph import engine
from wakegraph.engine.artifacts import load_lock, missing
from wakegraph.engine.config import Layout
from wakegraph.errors import EngineError

# jgo leaves the connection of a download that is broken off to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")

VERSION = "2026.08.1"
PREFETCH = """
import asyncio, sys
from wakegraph import engine
asyncio.run(engine.prefetch(engine.EngineConfig.from_json(sys.argv[1])))
"""
MakeConfig = Callable[..., engine.EngineConfig]


class Mirror:
    """A Maven repository on loopback with the files of a folder; can be told to be slow or to lie."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: collections.Counter[str] = collections.Counter()
        self.delay = 0.0
        self.lie: Callable[[bytes], bytes] = lambda data: data
        mirror = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.rpartition("/")[2]
                file = mirror.folder / name
                if not file.exists():
                    self.send_error(404)
                    return
                mirror.requests[name] += 1
                time.sleep(mirror.delay)
                data = file.read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(mirror.lie(data))

            def log_message(self, *_: object) -> None:
                return

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def mirror(artifacts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    mirror = Mirror(artifacts / "jars")
    settings = tmp_path / "jgo.conf"
    settings.write_text(f"[repositories]\nmirror = http://127.0.0.1:{mirror.server.server_port}\n")
    monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield mirror
    mirror.server.shutdown()
    mirror.server.server_close()
    gc.collect()


def damage(config: engine.EngineConfig) -> list[str]:
    """Truncate one jar, change one byte of another, remove a third."""
    jars = Layout(config).jars
    cut, changed, gone = (artifact.filename for artifact in load_lock(VERSION).artifacts[:3])
    for name in (cut, changed):  # a file of its own: the others are links
        shutil.copy(jars / name, jars / "copy")
        (jars / "copy").replace(jars / name)
    os.truncate(jars / cut, 1000)
    data = bytearray((jars / changed).read_bytes())
    data[len(data) // 2] ^= 1
    (jars / changed).write_bytes(data)
    (jars / gone).unlink()
    return [cut, changed, gone]


@pytest.mark.parametrize("version", ["2026.08.1", "5.26.30"])
def test_a_lock_is_sorted_unique_and_names_no_host(version: str) -> None:
    lock = load_lock(version)
    names = [artifact.filename for artifact in lock.artifacts]
    assert len(names) == len(set(names)) > 150
    lines = (Path(engine.__file__).parent / "locks" / f"{version}.lock").read_text().splitlines()
    assert lines[1:] == sorted(lines[1:])
    assert not any("/" in line for line in lines)
    assert sum(artifact.size for artifact in lock.artifacts) < 145_000_000


async def test_damaged_jars_are_fetched_again_and_only_those(make_config: MakeConfig, mirror: Mirror) -> None:
    config = make_config(offline=False)
    names = damage(config)
    steps: list[engine.Progress] = []
    await engine.prefetch(config, steps.append)
    assert not missing(load_lock(VERSION), Layout(config).jars)
    assert dict(mirror.requests) == dict.fromkeys(names, 1)
    await asyncio.sleep(0)
    assert {step.phase for step in steps} == {"downloading"}
    assert steps[-1].done == steps[-1].total > 0
    assert not (Layout(config).jars / ".staging").exists()


@pytest.mark.parametrize("lie", [lambda data: b"\0" * len(data), lambda data: data[:100]], ids=["other", "truncated"])
async def test_a_repository_that_lies_is_refused(
    make_config: MakeConfig, mirror: Mirror, lie: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakegraph.engine.artifacts.time.sleep", lambda _: None)
    config = make_config(offline=False)
    damage(config)
    mirror.lie = lie
    with pytest.raises(EngineError, match=r"was refused: check|could not download .* try again") as caught:
        await engine.prefetch(config)
    assert "\n" not in str(caught.value)
    assert len(missing(load_lock(VERSION), Layout(config).jars)) == 3
    mirror.lie = lambda data: data
    await engine.prefetch(config)
    assert not missing(load_lock(VERSION), Layout(config).jars)


async def test_a_killed_download_goes_on_where_it_was(make_config: MakeConfig, mirror: Mirror) -> None:
    config = make_config(offline=False)
    layout = Layout(config)
    shutil.rmtree(layout.jars)
    mirror.delay = 0.2
    process = subprocess.Popen([sys.executable, "-c", PREFETCH, config.to_json()])
    while len(mirror.requests) < 30:
        await asyncio.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {path.name for path in layout.jars.glob("*.jar")}
    assert kept
    mirror.requests.clear()
    mirror.delay = 0
    await engine.prefetch(config)
    assert not missing(load_lock(VERSION), layout.jars)
    assert not kept & set(mirror.requests)


@pytest.mark.engine
async def test_the_download_of_a_killed_asker_goes_on_and_can_be_watched(
    make_config: MakeConfig, mirror: Mirror
) -> None:
    config = make_config(offline=False)
    shutil.rmtree(Layout(config).jars)
    mirror.delay = 0.1
    asker = subprocess.Popen([sys.executable, str(Path(__file__).with_name("ask.py")), config.to_json()])
    while (await engine.status(config)).state != "downloading":
        await asyncio.sleep(0.02)
    asker.kill()
    asker.wait()
    progress = (await engine.status(config)).progress
    assert progress
    assert 0 <= progress.done < progress.total
    steps: list[engine.Progress] = []
    asked = asyncio.create_task(engine.ensure(config, steps.append))
    while not any(step.done > progress.done for step in steps):
        await asyncio.sleep(0.02)
    asked.cancel()
    assert await engine.stop(config)  # in the middle of the download
    assert (await engine.status(config)).state == "stopped"


async def test_a_cancelled_download_stops(make_config: MakeConfig, mirror: Mirror) -> None:
    config = make_config(offline=False)
    shutil.rmtree(Layout(config).jars)
    mirror.delay = 0.2
    task = asyncio.create_task(engine.prefetch(config))
    while len(mirror.requests) < 10:
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(1.5)
    count = len(mirror.requests)
    await asyncio.sleep(0.5)
    assert len(mirror.requests) == count < 150


async def test_offline_says_what_is_missing(make_config: MakeConfig, mirror: Mirror) -> None:
    config = make_config(offline=True)
    damage(config)
    with pytest.raises(
        EngineError, match=r"3 files of Neo4j 2026.08.1 \(\d+ MB\) are not in .* offline mode is on; run `wake"
    ):
        await engine.prefetch(config)
    with pytest.raises(EngineError, match="offline mode is on"):
        await engine.ensure(config)
    assert not mirror.requests


async def test_no_network_is_one_clear_line(
    make_config: MakeConfig, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wakegraph.engine.artifacts.time.sleep", lambda _: None)
    config = make_config(offline=False)
    damage(config)
    mirror.server.shutdown()
    mirror.server.server_close()
    with pytest.raises(
        EngineError, match=r"could not download .* \(ConnectionRefusedError.*\); check the network"
    ) as caught:
        await engine.prefetch(config)
    assert "\n" not in str(caught.value)


async def test_too_little_disk_is_said_before_anything_is_fetched(
    make_config: MakeConfig, mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = make_config(offline=False)
    damage(config)
    usage = shutil.disk_usage(config.home)._replace(free=50_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(
        EngineError, match=r"too little disk for the local engine: .* has 50 MB free, .* WAKEGRAPH_HOME"
    ):
        await engine.prefetch(config)
    assert not mirror.requests


async def test_the_runtime_is_copied_where_links_cannot_be_made(
    make_config: MakeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = make_config()
    layout = Layout(config)
    shutil.rmtree(layout.java)

    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", refuse)
    await engine.prefetch(config)
    [home] = layout.java.iterdir()
    program = home / "bin" / "java"
    assert program.stat().st_nlink == 1
    assert subprocess.run([program, "-version"], capture_output=True, check=True).stderr.startswith(b"openjdk")


async def test_an_unknown_version_names_the_known_ones(tmp_path: Path) -> None:
    config = engine.EngineConfig(tmp_path, neo4j_version="4.4.0")
    for call in (engine.ensure, engine.prefetch):
        with pytest.raises(
            EngineError, match=r"no Neo4j '4\.4\.0'; set WAKEGRAPH_ENGINE_VERSION to 2026\.08\.1 or 5\.26\.30"
        ):
            await call(config)


async def test_a_home_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    config = engine.EngineConfig(tmp_path / "file" / "home")
    with pytest.raises(EngineError, match=r"cannot be used .* set WAKEGRAPH_HOME"):
        await engine.ensure(config)
    with pytest.raises(EngineError, match="cannot be used"):
        await engine.prefetch(replace(config, home=tmp_path / "file"))
