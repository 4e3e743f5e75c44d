"""What the engine is told, what it answers, and where its files lie."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from wakegraph.engine.processes import Process

__all__ = ["Endpoint", "EngineConfig", "EngineStatus", "Layout", "Progress"]

USERNAME = "neo4j"
DATABASE = "neo4j"


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Settings of the local engine. The engine itself never reads the environment.

    Attributes:
        home: folder of the engine and its data; made when missing.
        neo4j_version: one of those with a committed lock (`wakegraph/engine/locks`).
        bolt_port: port of Bolt on loopback; None takes 7687 when it is free, else any free one.
        http_port: port of Neo4j Browser on loopback; None takes 7474 when it is free, else any free one.
        heap_mb: largest Java heap, in megabytes.
        page_cache_mb: Neo4j's page cache, in megabytes.
        idle_seconds: the engine stops after so many seconds without any client; 0 keeps it up.
        offline: never download; missing artifacts are an error.
        archive: keep an archive of loaded Java classes that nearly halves the start, at about 200 MB of disk.
    """

    home: Path
    neo4j_version: str = "2026.08.1"
    bolt_port: int | None = None
    http_port: int | None = None
    heap_mb: int = 512
    page_cache_mb: int = 128
    idle_seconds: float = 1800
    offline: bool = False
    archive: bool = True

    def to_json(self) -> str:
        return json.dumps({**dataclasses.asdict(self), "home": str(self.home)})

    @classmethod
    def from_json(cls, text: str) -> EngineConfig:
        values: dict[str, Any] = json.loads(text)
        return cls(**{**values, "home": Path(values["home"])})


@dataclass(frozen=True, slots=True)
class Progress:
    """A step on the way to a running engine; `done` and `total` count bytes while downloading, else 0."""

    phase: Literal["downloading", "starting", "ready"]
    done: int
    total: int
    message: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A running engine. `browser_url` answers up to a second later than Bolt: `await_browser` waits for it."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str
    browser_url: str
    pid: int
    version: str
    process: Process = field(repr=False)
    lease: Path = field(repr=False)

    def alive(self) -> bool:
        """Is this engine still up? Asking counts as use, so an engine that is up stays up for `idle_seconds`."""
        try:
            os.utime(self.lease)
        except OSError:
            return False
        return self.process.alive()


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What there is, without starting anything.

    Attributes:
        state: `stale` means that a background process died and left its notes; the next use mends it.
        endpoint: how to reach it, when it runs.
        pid: process of the database.
        uptime: seconds since it was started.
        data_bytes: size of the data folder.
        disk_free: bytes free where the home is.
        log_path: the log of the engine.
        progress: the last step reported while it downloads or starts.
        message: why the last start failed, if it did.
    """

    state: Literal["running", "starting", "downloading", "stopping", "stopped", "stale"]
    endpoint: Endpoint | None
    pid: int | None
    uptime: float | None
    data_bytes: int
    disk_free: int
    log_path: Path
    progress: Progress | None
    message: str


class Layout:
    """The files of an engine. Artifacts are shared by all versions; data is kept apart for each storage line.

    Data of Neo4j 5 is not opened by the calendar-versioned releases (they would upgrade it, and there is no way back),
    so the two lines have a folder each; export and import carry data over.
    """

    def __init__(self, config: EngineConfig) -> None:
        line = "5" if config.neo4j_version.startswith("5.") else "calver"
        self.home = config.home
        self.jars = self.home / "jars"
        self.jars_lock = self.home / "jars.lock"
        self.java = self.home / "java"
        self.archives = self.home / "archives"
        self.folder = self.home / f"engine-{line}"
        self.decision_lock = self.folder / "decision.lock"
        self.running_lock = self.folder / "running.lock"
        self.state = self.folder / "state.json"
        self.lease = self.folder / "lease"
        self.password = self.folder / "password"
        self.log = self.folder / "engine.log"
        self.neo4j = self.folder / "neo4j"

    def make(self) -> None:
        """Make the folders; those of the engine are the user's alone, a home that was there keeps its rights."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.jars, self.java, self.archives, self.folder):
            folder.mkdir(mode=0o700, exist_ok=True)
