"""The notes that the background process leaves for everybody who asks for the engine."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from wakegraph.engine.processes import Process

__all__ = ["State", "log_lines", "read_state", "rotate", "write_private"]

Phase = Literal["downloading", "starting", "ready", "stopping", "failed"]

_LOG_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class State:
    """One attempt to run the engine.

    Attributes:
        supervisor: the background process that cares for the database.
        phase: how far it is.
        database: the Java process, once there is one.
        bolt_port, http_port: where it listens, 0 before that is known.
        version: of Neo4j.
        started_at: when the database was started, seconds since 1970.
        done, total: bytes while downloading.
        message: for a person; why it failed, when it failed.
        details: last lines of the log, when it failed.
    """

    supervisor: Process
    phase: Phase
    database: Process | None = None
    bolt_port: int = 0
    http_port: int = 0
    version: str = ""
    started_at: float = 0.0
    done: int = 0
    total: int = 0
    message: str = ""
    details: tuple[str, ...] = ()

    def write(self, path: Path) -> None:
        write_private(path, json.dumps(dataclasses.asdict(self)))

    def tended(self) -> bool:
        """Is the background process alive?"""
        return self.supervisor.alive()

    def running(self) -> bool:
        """Is the database process alive?"""
        return self.database is not None and self.database.alive()


def read_state(path: Path) -> State | None:
    """None when there are no notes, or none that can be read (a power cut)."""
    try:
        values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        database = values.pop("database")
        return State(
            supervisor=Process(**values.pop("supervisor")),
            database=Process(**database) if database else None,
            details=tuple(values.pop("details")),
            **values,
        )
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def write_private(path: Path, text: str) -> None:
    """Replace a file as a whole; only the user can read it."""
    staging = path.with_name(f".{path.name}.{os.getpid()}")
    staging.unlink(missing_ok=True)
    with open(staging, "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    staging.replace(path)


def log_lines(path: Path, count: int) -> list[str]:
    """The last lines of a log, oldest first; none when there is no log."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 200 * (count + 10)))
            return file.read().decode("utf-8", errors="replace").splitlines()[-count:]
    except FileNotFoundError:
        return []


def rotate(path: Path) -> None:
    """Put a log that has grown aside; one older log is kept."""
    try:
        if path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_name(f"{path.name}.1"))
    except FileNotFoundError:
        return
