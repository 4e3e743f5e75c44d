"""The class archive: what Java loads and links for a start, kept ready to map into memory.

Made once, in the background and at the lowest priority, by a database of its own in a folder that is thrown away: it
is started, wakegraph's statements are planned and run on it, it is stopped, and Java writes the archive. While an
engine of this home starts, all this pauses. An archive that does not fit any more is ignored by Java and replaced here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from wakegraph.engine import java
from wakegraph.engine.artifacts import load_lock, missing
from wakegraph.engine.config import USERNAME, EngineConfig, Layout
from wakegraph.engine.runtime import java_program, runtime_name
from wakegraph.engine.state import read_state

__all__ = ["main"]

_SECONDS = 600.0
_BYTES = 700_000_000


def main(argument: str) -> int:
    """Make the archive for a configuration (as JSON) unless it is there or being made."""
    config = EngineConfig.from_json(argument)
    layout = Layout(config)
    os.umask(0o077)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the Java process is ended too
    _be_last()
    try:
        with FileLock(layout.archives / "archive.lock", timeout=0):
            _make(config, layout)
    except Timeout:
        return 0
    return 0


def _be_last() -> None:
    """Take the lowest priority."""
    if sys.platform == "win32":
        psutil.Process().nice(psutil.IDLE_PRIORITY_CLASS)
        return
    os.nice(19)
    with suppress(OSError):  # Linux schedules sessions as groups, among which the line above does not count
        Path("/proc/self/autogroup").write_text("19", encoding="ascii")


def _make(config: EngineConfig, layout: Layout) -> None:
    lock = load_lock(config.neo4j_version)
    java_home = layout.java / runtime_name()
    launcher = layout.jars / f"launch-{lock.version}.jar"
    target = layout.archives / java.archive_name(lock, launcher, java_home)
    if target.exists() or missing(lock, layout.jars) or shutil.disk_usage(layout.home).free < _BYTES:
        return
    for stale in layout.archives.glob("training-*"):
        shutil.rmtree(stale)
    with tempfile.TemporaryDirectory(dir=layout.archives, prefix="training-", ignore_cleanup_errors=True) as name:
        recorded, made = Path(name) / "classes.aotconf", Path(name) / "classes.aot"
        _record(config, layout, launcher, recorded)
        options = ["-XX:AOTMode=create", f"-XX:AOTConfiguration={recorded}", f"-XX:AOTCache={made}"]
        command = [str(java_program(java_home)), *java.java_options(config), *options, "-jar", str(launcher)]
        with _running(command, Path(name), layout) as process:
            process.wait(_SECONDS)
        for old in layout.archives.glob(f"{lock.version}-*.aot"):
            old.unlink()
        made.replace(target)


def _record(config: EngineConfig, layout: Layout, launcher: Path, recorded: Path) -> None:
    """Start a database on other ports, use it, stop it; Java notes the classes when it ends."""
    ports = java.choose_ports(replace(config, bolt_port=None, http_port=None), avoid_usual=True)
    neo4j = recorded.parent / "neo4j"
    java.write_configuration(config, ports, neo4j)
    password = java.write_password(recorded.parent / "password", neo4j)
    options = ("-XX:AOTMode=record", f"-XX:AOTConfiguration={recorded}")
    command = java.command(config, layout.java / runtime_name(), launcher, neo4j, *options)
    with _running(command, neo4j, layout) as process:
        deadline = time.monotonic() + _SECONDS
        while not java.answers_bolt(ports.bolt):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the training run for the class archive did not start")
            time.sleep(0.1)
        _use(f"bolt://{java.HOST}:{ports.bolt}", password)
        process.send_signal(signal.SIGTERM)
        process.wait(_SECONDS)


@contextmanager
def _running(command: list[str], folder: Path, layout: Layout) -> Iterator[subprocess.Popen[bytes]]:
    """A Java process that pauses while an engine of this home starts, and does not outlive the block."""
    with (folder / "training.log").open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder, env=java.environment()
        )
    done = threading.Event()
    thread = threading.Thread(target=_yield_to_starts, args=(process, layout, done), daemon=True)
    thread.start()
    try:
        yield process
    finally:
        done.set()
        thread.join()
        process.kill()
        process.wait()


def _yield_to_starts(process: subprocess.Popen[bytes], layout: Layout, done: threading.Event) -> None:
    with suppress(psutil.Error):
        java_process = psutil.Process(process.pid)
        paused = False
        while not done.wait(0.1):
            starting = any(map(_is_starting, layout.home.glob("engine-*/state.json")))
            if starting != paused:
                (java_process.suspend if starting else java_process.resume)()
                paused = starting


def _is_starting(path: Path) -> bool:
    state = read_state(path)
    return state is not None and state.phase == "starting" and state.tended()


def _use(uri: str, password: str) -> None:
    """Plan and run every statement of wakegraph with empty parameters; most do nothing, none is kept."""
    from neo4j import GraphDatabase
    from neo4j.exceptions import DriverError, Neo4jError

    from wakegraph.graph.queries import cypher_root, statement

    names = sorted(
        f"{room.name}/{file.name.removesuffix('.cypher')}"
        for room in cypher_root().iterdir()
        for file in room.iterdir()
        if file.name.endswith(".cypher")
    )
    with GraphDatabase.driver(uri, auth=(USERNAME, password), notifications_min_severity="OFF") as driver:
        for each in map(statement, names):
            with driver.session() as session, suppress(Neo4jError, DriverError):
                session.run(each.text, dict.fromkeys(each.params)).consume()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
