"""The class archive: what Java loads and links for a start, kept ready to map into memory.

Made once, in the background and at the lowest priority, by a database of its own in a folder that is thrown away: it is
started, wakegraph's statements are planned and run on it, it is stopped, and Java writes the archive. A file that does
not fit any more is ignored by Java and replaced here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from wakegraph.engine import java
from wakegraph.engine.artifacts import load_lock, missing
from wakegraph.engine.config import USERNAME, EngineConfig, Layout
from wakegraph.engine.runtime import java_program, runtime_name

__all__ = ["main"]

_SECONDS = 300.0
_BYTES = 600_000_000


def main(argument: str) -> int:
    config = EngineConfig.from_json(argument)
    layout = Layout(config)
    os.umask(0o077)
    if sys.platform != "win32":
        os.nice(19)
    try:
        with FileLock(layout.archives / "archive.lock", timeout=0):
            _make(config, layout)
    except Timeout:
        return 0
    return 0


def _make(config: EngineConfig, layout: Layout) -> None:
    lock = load_lock(config.neo4j_version)
    java_home = layout.java / runtime_name()
    launcher = layout.jars / f"launch-{lock.version}.jar"
    target = layout.archives / java.archive_name(lock, launcher, java_home)
    if target.exists() or missing(lock, layout.jars) or shutil.disk_usage(layout.home).free < _BYTES:
        return
    for stale in layout.archives.glob("training-*"):
        shutil.rmtree(stale)
    with tempfile.TemporaryDirectory(dir=layout.archives, prefix="training-") as name:
        folder = Path(name)
        recorded, made = folder / "classes.aotconf", folder / "classes.aot"
        _record(config, java_home, launcher, folder, recorded)
        _run(
            [
                str(java_program(java_home)), *java.java_options(config), "-XX:AOTMode=create",
                f"-XX:AOTConfiguration={recorded}", f"-XX:AOTCache={made}", "-jar", str(launcher),
            ],
            folder,
        )  # fmt: skip
        for old in layout.archives.glob(f"{lock.version}-*.aot"):
            old.unlink()
        made.replace(target)


def _record(config: EngineConfig, java_home: Path, launcher: Path, folder: Path, recorded: Path) -> None:
    """Start a database on other ports, use it, stop it; Java notes the classes when it ends."""
    ports = java.choose_ports(replace(config, bolt_port=None, http_port=None), avoid_usual=True)
    neo4j = folder / "neo4j"
    java.write_configuration(config, ports, neo4j)
    password = java.write_password(folder / "password", neo4j)
    options = ("-XX:AOTMode=record", f"-XX:AOTConfiguration={recorded}")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            java.command(config, java_home, launcher, neo4j, *options),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=neo4j, env=java.environment(),
        )  # fmt: skip
    try:
        deadline = time.monotonic() + _SECONDS
        while not java.answers_bolt(ports.bolt):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the training run did not start")
            time.sleep(0.1)
        _use(f"bolt://{java.HOST}:{ports.bolt}", password)
        process.send_signal(signal.SIGTERM)
        process.wait(_SECONDS)
    finally:
        process.kill()
        process.wait()


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


def _run(command: list[str], folder: Path) -> None:
    with (folder / "log").open("ab") as log:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=java.environment(),
            check=True,
            timeout=_SECONDS,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
