"""What everybody else does with the engine: ask for it, look at it, stop it, read its log."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from wakegraph.engine.artifacts import ensure_artifacts, load_lock
from wakegraph.engine.config import DATABASE, USERNAME, Endpoint, EngineConfig, EngineStatus, Layout, Progress
from wakegraph.engine.java import HOST, answers_bolt
from wakegraph.engine.processes import spawn_detached
from wakegraph.engine.runtime import ensure_runtime
from wakegraph.engine.state import State, log_lines, read_state, rotate
from wakegraph.errors import EngineError

__all__ = ["await_browser", "ensure", "log_tail", "prefetch", "status", "stop"]

_POLL_SECONDS = 0.05
_SPAWNS = 3
_LOCK_SECONDS = 30
_STOP_SECONDS = 90.0
_ANSWER_SECONDS = 60.0

OnProgress = Callable[[Progress], None]


async def ensure(config: EngineConfig, on_progress: OnProgress | None = None) -> Endpoint:
    """Attach to the running engine, or start it in the background and wait until it answers.

    The download, if one is needed, and the start go on when the caller is cancelled or killed; the next call watches
    them.

    Args:
        config: the engine's settings; those of a running engine stay as they are.
        on_progress: called in the event loop for each new step.

    Raises:
        EngineError: it cannot be fetched or started; the line says why, the notes hold the end of its log.
    """
    request = await asyncio.to_thread(_Request, config)
    reported: Progress | None = None
    silent_since: float | None = None
    while True:
        answer = await asyncio.to_thread(request.step)
        if isinstance(answer, State):
            progress = _progress(answer)
            silent_since = None
        elif await asyncio.to_thread(answers_bolt, _port(answer)):
            progress = Progress("ready", 0, 0, "ready")
        else:  # it is just dying, or too busy to answer
            progress = Progress("starting", 0, 0, "waiting for Neo4j to answer")
            silent_since = silent_since or time.monotonic()
            if time.monotonic() - silent_since > _ANSWER_SECONDS:
                raise EngineError(
                    "the local engine runs but does not answer; run `wakegraph engine stop` and try again"
                )
        if on_progress and progress != reported:
            on_progress(progress)
            reported = progress
        if isinstance(answer, Endpoint) and progress.phase == "ready":
            return answer
        await asyncio.sleep(_POLL_SECONDS)


async def await_browser(endpoint: Endpoint, seconds: float = 30.0) -> None:
    """Wait until Neo4j Browser is served, which is up to a second later than Bolt after a start.

    Raises:
        EngineError: it is not, so many seconds later.
    """
    deadline = time.monotonic() + seconds
    while not await asyncio.to_thread(_serves, endpoint.browser_url):
        if time.monotonic() > deadline:
            raise EngineError(f"Neo4j Browser does not answer at {endpoint.browser_url}; see `wakegraph engine logs`")
        await asyncio.sleep(_POLL_SECONDS)


def _serves(url: str) -> bool:
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def _port(endpoint: Endpoint) -> int:
    return int(endpoint.uri.rpartition(":")[2])


class _Request:
    """One wish for an engine. Each step decides under the lock, so that two wishes start one engine."""

    def __init__(self, config: EngineConfig) -> None:
        load_lock(config.neo4j_version)
        self._config = config
        self._layout = Layout(config)
        _make(self._layout)
        self._spawned = 0
        self._former = read_state(self._layout.state)

    def step(self) -> Endpoint | State:
        with _decision(self._layout):
            state = read_state(self._layout.state)
            if state and state.phase == "ready" and state.running():
                endpoint = _endpoint(self._layout, state)
                if endpoint.alive():
                    if not state.tended():
                        self._spawn(state)
                    return endpoint
            if state and state.phase == "failed" and state != self._former:
                raise _failure(state)
            if state and state.tended() and state.phase != "failed":
                return state
            return self._spawn(state)

    def _spawn(self, state: State | None) -> State:
        """Start a background process and note it, so that the next one to look waits for it."""
        if self._spawned == _SPAWNS:
            raise EngineError(
                f"the engine's background process ended at once, {_SPAWNS} times; its log is {self._layout.log}"
            )
        self._spawned += 1
        rotate(self._layout.log)
        supervisor = spawn_detached(
            "wakegraph.engine.supervisor", self._config.to_json(), folder=self._layout.folder, log=self._layout.log
        )
        if state and state.running():  # it takes over that database
            new = replace(state, supervisor=supervisor)
        else:
            new = State(supervisor, "starting", version=self._config.neo4j_version, message="starting")
        new.write(self._layout.state)
        return new


async def status(config: EngineConfig) -> EngineStatus:
    """Look at the engine without starting, waking or waiting for anything."""
    return await asyncio.to_thread(_status, config)


def _status(config: EngineConfig) -> EngineStatus:
    layout = Layout(config)
    state = read_state(layout.state)
    running = state is not None and state.running()
    existing = next(folder for folder in (layout.home, *layout.home.parents) if folder.exists())
    return EngineStatus(
        state=_condition(state),
        endpoint=_endpoint(layout, state) if state and running and state.phase == "ready" else None,
        pid=state.database.pid if state and running and state.database else None,
        uptime=time.time() - state.started_at if state and running else None,
        data_bytes=_size(layout.neo4j / "data"),
        disk_free=shutil.disk_usage(existing).free,
        log_path=layout.log,
        progress=_progress(state) if state and state.tended() and state.phase in ("downloading", "starting") else None,
        message=state.message if state and state.phase == "failed" else "",
    )


def _condition(state: State | None) -> Literal["running", "starting", "downloading", "stopping", "stopped", "stale"]:
    if state is None or state.phase == "failed":
        return "stopped"
    if state.phase == "ready":
        return "running" if state.running() else "stale"
    if state.phase == "stopping":
        return "stopping" if state.running() else "stopped"
    return state.phase if state.tended() else "stale"


async def stop(config: EngineConfig) -> bool:
    """Stop the engine in order and wait until it is gone, whoever uses it. False when none was running.

    Raises:
        EngineError: it is still there after a minute and a half, though it was killed.
    """
    layout = Layout(config)
    if not layout.folder.exists():
        return False
    state = await asyncio.to_thread(_ask_to_stop, layout)
    if state is None:
        return False
    deadline = time.monotonic() + _STOP_SECONDS
    while state.tended() or state.running():
        if time.monotonic() > deadline:
            raise EngineError(f"the local engine does not stop; its log is {layout.log}")
        await asyncio.sleep(_POLL_SECONDS)
        # A supervisor that was starting may have got its database in the meantime.
        latest = read_state(layout.state)
        state = latest if latest and latest.supervisor == state.supervisor else state
    await asyncio.to_thread(_clear, layout, state)
    return True


def _ask_to_stop(layout: Layout) -> State | None:
    with _decision(layout):
        state = read_state(layout.state)
        if state is None:
            return None
        if state.tended() and sys.platform != "win32":
            state.supervisor.send(signal.SIGTERM)
        elif state.tended() or state.running():
            # No supervisor, or none that can be asked: the database recovers from its transaction log.
            layout.lease.unlink(missing_ok=True)
            state.supervisor.send(signal.SIGTERM)
            if state.database:
                state.database.send(signal.SIGTERM)
        else:
            layout.lease.unlink(missing_ok=True)
            layout.state.unlink(missing_ok=True)
            return None
        return state


def _clear(layout: Layout, state: State) -> None:
    with _decision(layout):
        latest = read_state(layout.state)
        if latest and latest.supervisor == state.supervisor:
            layout.state.unlink(missing_ok=True)


def log_tail(config: EngineConfig, lines: int = 50) -> list[str]:
    """The last lines of the engine's log, oldest first; none when it never ran."""
    return log_lines(Layout(config).log, lines)


async def prefetch(config: EngineConfig, on_progress: OnProgress | None = None) -> None:
    """Bring everything that a start needs onto the machine, checked; start nothing.

    Raises:
        EngineError: no network, too little disk, or a file that is not the locked one.
    """
    loop = asyncio.get_running_loop()
    cancelled = threading.Event()

    def report(done: int, total: int) -> None:
        if cancelled.is_set():
            raise EngineError("the download was cancelled; what is already here is kept")
        if on_progress:
            message = f"downloading Neo4j {config.neo4j_version}"
            loop.call_soon_threadsafe(on_progress, Progress("downloading", done, total, message))

    def work() -> None:
        layout = Layout(config)
        _make(layout)
        ensure_artifacts(config, report)
        ensure_runtime(layout)

    try:
        await asyncio.to_thread(work)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def _make(layout: Layout) -> None:
    try:
        layout.make()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise EngineError(
            f"the folder {layout.home} cannot be used ({reason}); set WAKEGRAPH_HOME to one of yours"
        ) from error


@contextmanager
def _decision(layout: Layout) -> Iterator[None]:
    try:
        with FileLock(layout.decision_lock, timeout=_LOCK_SECONDS):
            yield
    except Timeout as error:
        raise EngineError(
            f"another process holds {layout.decision_lock} and does not let go; end it and try again"
        ) from error


def _endpoint(layout: Layout, state: State) -> Endpoint:
    assert state.database  # noqa: S101  a ready engine has one
    try:
        password = layout.password.read_text(encoding="ascii")
    except FileNotFoundError:
        raise EngineError(f"the password file {layout.password} is missing; put it back") from None
    return Endpoint(
        uri=f"bolt://{HOST}:{state.bolt_port}",
        username=USERNAME,
        password=password,
        database=DATABASE,
        browser_url=f"http://{HOST}:{state.http_port}/browser/",
        pid=state.database.pid,
        version=state.version,
        process=state.database,
        lease=layout.lease,
    )


def _progress(state: State) -> Progress:
    phase: Literal["downloading", "starting"] = "downloading" if state.phase == "downloading" else "starting"
    return Progress(phase, state.done, state.total, state.message)


def _failure(state: State) -> EngineError:
    error = EngineError(state.message)
    for line in state.details:
        error.add_note(line)
    return error


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:  # the database replaces files all the time
            continue
    return total
