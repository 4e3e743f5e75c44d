"""The Java artifacts of Neo4j: the committed lock, their check, their download."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock

from wakegraph.engine.config import EngineConfig, Layout
from wakegraph.errors import EngineError

if TYPE_CHECKING:
    from jgo.maven import MavenContext

__all__ = ["Artifact", "Lock", "ensure_artifacts", "load_lock", "missing"]

_WORKERS = 8
_ATTEMPTS = 3
_RESERVE = 100_000_000

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Artifact:
    """One jar: Maven coordinates, size in bytes, SHA-256 in hex."""

    group: str
    name: str
    version: str
    classifier: str
    size: int
    sha256: str

    @property
    def filename(self) -> str:
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.name}-{self.version}{suffix}.jar"

    @property
    def coordinate(self) -> str:
        return ":".join(part for part in (self.group, self.name, self.version, self.classifier) if part)


@dataclass(frozen=True, slots=True)
class Lock:
    """What one version of Neo4j consists of."""

    version: str
    main_class: str
    artifacts: tuple[Artifact, ...]


def known_versions() -> list[str]:
    names = (entry.name for entry in (files("wakegraph.engine") / "locks").iterdir())
    return sorted(name.removesuffix(".lock") for name in names if name.endswith(".lock"))


def load_lock(version: str) -> Lock:
    """Read the committed lock of a version.

    Raises:
        EngineError: there is none.
    """
    if version not in known_versions():
        known = " or ".join(known_versions())
        raise EngineError(f"the local engine has no Neo4j {version!r}; set WAKEGRAPH_ENGINE_VERSION to {known}")
    text = (files("wakegraph.engine") / "locks" / f"{version}.lock").read_text(encoding="utf-8")
    main, *lines = text.splitlines()
    return Lock(version, main.split()[1], tuple(_parse(line) for line in lines))


def _parse(line: str) -> Artifact:
    coordinate, size, sha256 = line.split()
    group, name, version, *classifier = coordinate.split(":")
    return Artifact(group, name, version, classifier[0] if classifier else "", int(size), sha256)


def missing(lock: Lock, jars: Path) -> list[Artifact]:
    """Those whose file is absent or is not, byte for byte, what the lock says."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        good = pool.map(lambda artifact: _is_good(artifact, jars / artifact.filename), lock.artifacts)
        return [artifact for artifact, fine in zip(lock.artifacts, good, strict=True) if not fine]


def _is_good(artifact: Artifact, path: Path) -> bool:
    try:
        if path.stat().st_size != artifact.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == artifact.sha256
    except FileNotFoundError:
        return False


def ensure_artifacts(config: EngineConfig, report: Report) -> Lock:
    """Check every artifact and fetch those that are missing or damaged.

    Args:
        config: the engine's settings.
        report: called with bytes done and bytes in all, from several threads, while something is fetched.

    Raises:
        EngineError: offline, no network, too little disk, or a file that is not the one of the lock.
    """
    layout = Layout(config)
    lock = load_lock(config.neo4j_version)
    if not missing(lock, layout.jars):
        return lock
    with FileLock(layout.jars_lock):
        wanted = missing(lock, layout.jars)
        if wanted:
            _fetch_all(config, layout, wanted, report)
    return lock


def _fetch_all(config: EngineConfig, layout: Layout, wanted: list[Artifact], report: Report) -> None:
    total = sum(artifact.size for artifact in wanted)
    if config.offline:
        raise EngineError(
            f"{len(wanted)} files of Neo4j {config.neo4j_version} ({_mb(total)}) are not in {layout.jars} and offline "
            "mode is on; run `wakegraph setup` once with WAKEGRAPH_OFFLINE unset"
        )
    check_disk(layout.home, total)
    staging = layout.jars / ".staging"
    shutil.rmtree(staging, ignore_errors=True)
    counter = _Counter(total, report)
    try:
        context = _maven(staging, counter)
        with ThreadPoolExecutor(_WORKERS) as pool:
            jobs = [pool.submit(_fetch, context, artifact, layout.jars) for artifact in wanted]
            try:
                for job in jobs:
                    job.result()
            finally:
                pool.shutdown(cancel_futures=True)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    report(total, total)


def check_disk(folder: Path, needed: int) -> None:
    """Raise a clear error when a folder's disk has no room for so many bytes and some to work with."""
    free = shutil.disk_usage(folder).free
    if free < needed + _RESERVE:
        raise EngineError(
            f"too little disk for the local engine: {folder} has {_mb(free)} free, {_mb(needed + _RESERVE)} are "
            "needed; make room or set WAKEGRAPH_HOME to a folder on another disk"
        )


class _Counter:
    """Adds up the bytes of all downloads for one progress report."""

    def __init__(self, total: int, report: Report) -> None:
        self._total = total
        self._report = report
        self._done = 0
        self._guard = threading.Lock()

    @contextmanager
    def __call__(self, _filename: str, _size: int) -> Iterator[Callable[[int], None]]:
        yield self._add

    def _add(self, count: int) -> None:
        with self._guard:
            self._done = min(self._done + count, self._total)
            self._report(self._done, self._total)


def _maven(staging: Path, counter: _Counter) -> MavenContext:
    from jgo.config import GlobalSettings
    from jgo.maven import MavenContext, PythonResolver

    # The user's own mirror, if jgo is configured with one; proxies and certificates come from the environment.
    mirrors = GlobalSettings.load().repositories or None
    resolver = PythonResolver(progress_callback=counter)
    return MavenContext(resolver=resolver, repo_cache=staging, remote_repos=mirrors, timeout=30)


def _fetch(context: MavenContext, artifact: Artifact, jars: Path) -> None:
    from requests import RequestException

    project: Any = context.project(artifact.group, artifact.name)
    target = project.at_version(artifact.version).artifact(artifact.classifier, "jar")
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            fetched: Path = target.resolve()
        except (RequestException, RuntimeError) as error:  # jgo: RuntimeError for any answer but 200
            target.cached_path.unlink(missing_ok=True)
            if attempt == _ATTEMPTS:
                raise EngineError(
                    f"could not download {artifact.coordinate} from the Maven repository ({_reason(error)}); check the "
                    "network, proxy or mirror and try again: what is already here is kept"
                ) from error
            time.sleep(attempt)
            continue
        if _is_good(artifact, fetched):
            fetched.replace(jars / artifact.filename)
            return
        fetched.unlink()
    raise EngineError(
        f"the Maven repository gave another file than the locked one for {artifact.coordinate} (SHA-256 differs, "
        f"{_ATTEMPTS} times); it was refused: check the repository mirror or the proxy"
    )


def _reason(error: Exception) -> str:
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    return f"{type(cause).__name__}: {cause}".splitlines()[0][:200]


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
