"""The background process: fetches what is missing, starts the database, watches it, stops it when it is not used.

A process of its own, so that whoever asked first can go away at any time. It holds the running lock as long as it
lives, writes the state, and takes over a database whose former supervisor was killed. It imports everything at the
start: its virtual environment may be gone later.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from wakegraph.engine import java
from wakegraph.engine.artifacts import check_disk, ensure_artifacts
from wakegraph.engine.config import EngineConfig, Layout
from wakegraph.engine.processes import Process, spawn_detached
from wakegraph.engine.runtime import ensure_runtime
from wakegraph.engine.state import State, log_lines, read_state, write_private
from wakegraph.errors import EngineError

__all__ = ["main"]

_START_SECONDS = 180.0
_STOP_SECONDS = 60.0
_REPORT_SECONDS = 0.2


class _Stopped(Exception):  # noqa: N818  not an error: somebody asked to stop
    """The engine was asked to stop before it was up."""


class Supervisor:
    """One run of the engine, from nothing to stopped."""

    def __init__(self, config: EngineConfig) -> None:
        self._config = config
        self._layout = Layout(config)
        self._state = State(Process.of(os.getpid()), "starting", version=config.neo4j_version)
        self._stopping = False
        self._wake = threading.Event()
        self._reported = 0.0
        self._child: subprocess.Popen[bytes] | None = None
        self._archive: Path | None = None

    def run(self) -> int:
        """Run the engine until it is stopped. The exit code is 0 unless it could not be started."""
        os.umask(0o077)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._asked_to_stop)
        if sys.platform != "win32":
            signal.signal(signal.SIGCHLD, lambda *_: self._wake.set())
        try:
            lock = FileLock(self._layout.running_lock, timeout=_STOP_SECONDS)
            with lock:
                return self._run()
        except Timeout:
            _log("another process already runs this engine")
            return 0

    def _asked_to_stop(self, *_: object) -> None:
        self._stopping = True
        self._wake.set()

    def _run(self) -> int:
        with FileLock(self._layout.decision_lock):
            pass  # whoever started this process has noted it by now
        try:
            self._adopt() or self._start()  # type: ignore[func-returns-value]
            self._watch()
        except _Stopped:
            self._shut_down()
        except EngineError as error:
            _log(str(error))
            self._end_database()
            details = tuple(log_lines(self._layout.log, 30))
            self._note(phase="failed", message=str(error), details=details, database=None)
            return 1
        return 0

    # Start

    def _adopt(self) -> bool:
        """Take over the database of a supervisor that was killed."""
        former = read_state(self._layout.state)
        if former is None or former.database is None or not former.running():
            return False
        if former.phase == "stopping":
            self._state = replace(former, supervisor=self._state.supervisor)
            self._end_database()
            self._state = replace(self._state, phase="starting", database=None)
            return False
        _log(f"taking over the database process {former.database.pid}")
        self._state = replace(former, supervisor=self._state.supervisor)
        self._await_ready()
        return True

    def _start(self) -> None:
        self._note(phase="starting", message=f"starting Neo4j {self._config.neo4j_version}")
        lock = ensure_artifacts(self._config, self._report)
        java_home = ensure_runtime(self._layout)
        check_disk(self._layout.home, 0)
        self._raise_if_stopped()
        with FileLock(self._layout.jars_lock):
            launcher = java.write_launcher(lock, self._layout.jars)
        java.write_password(self._layout.password, self._layout.neo4j)
        archive = self._layout.archives / java.archive_name(lock, launcher, java_home)
        self._archive = archive
        options = [f"-XX:AOTCache={archive}"] if self._config.archive and archive.exists() else []
        self._launch(java_home, launcher, options, avoid_usual=False)

    def _launch(self, java_home: Path, launcher: Path, options: list[str], *, avoid_usual: bool) -> None:
        ports = java.choose_ports(self._config, avoid_usual=avoid_usual)
        java.write_configuration(self._config, ports, self._layout.neo4j)
        command = java.command(self._config, java_home, launcher, self._layout.neo4j, *options)
        begin = self._log_size()
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, cwd=self._layout.neo4j, env=java.environment(), start_new_session=True
        )
        self._note(
            phase="starting",
            message=f"starting Neo4j {self._config.neo4j_version}",
            database=Process.of(self._child.pid),
            bolt_port=ports.bolt,
            http_port=ports.http,
            started_at=time.time(),
        )
        try:
            self._await_ready()
        except EngineError:
            lines = self._log_since(begin)
            if not avoid_usual and any("ddress already in use" in line for line in lines):
                # Somebody took a port between our look and the database's bind.
                self._launch(java_home, launcher, options, avoid_usual=True)
            elif options and self._archive:
                _log("the start with the class archive failed; removing it")
                self._archive.unlink(missing_ok=True)
                self._launch(java_home, launcher, [], avoid_usual=avoid_usual)
            else:
                raise EngineError(_explain(lines, self._layout)) from None

    def _await_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not java.answers_bolt(self._state.bolt_port):
            self._raise_if_stopped()
            if not self._database_lives():
                raise EngineError(_explain(log_lines(self._layout.log, 60), self._layout))
            if time.monotonic() > deadline:
                raise EngineError(
                    f"the local engine did not answer within {_START_SECONDS:.0f} s; its log is {self._layout.log}"
                )
            time.sleep(0.02)
        write_private(self._layout.lease, "")
        self._note(phase="ready", message="ready", done=0, total=0)

    def _report(self, done: int, total: int) -> None:
        self._raise_if_stopped()
        now = time.monotonic()
        if now - self._reported >= _REPORT_SECONDS or done == total:
            self._reported = now
            message = f"downloading Neo4j {self._config.neo4j_version}"
            self._note(phase="downloading", done=done, total=total, message=message)

    def _raise_if_stopped(self) -> None:
        if self._stopping:
            raise _Stopped

    # Watch

    def _watch(self) -> None:
        idle = self._config.idle_seconds
        pause = min(2.0, idle / 5) if idle else 2.0
        last_used = time.monotonic()
        last_lease = self._lease_time()
        while not self._stopping:
            self._wake.wait(pause)
            self._wake.clear()
            if not self._database_lives():
                _log("the database process ended by itself; the next use starts it again")
                self._clear()
                return
            lease = self._lease_time()
            if lease != last_lease or self._clients():
                last_used, last_lease = time.monotonic(), lease
            elif idle and time.monotonic() - last_used >= idle and self._decide_to_stop(last_lease):
                _log(f"no client for {idle:g} s: stopping")
                break
        self._shut_down()

    def _decide_to_stop(self, lease: int) -> bool:
        """Under the lock that everybody who asks for the engine takes: nobody has got it meanwhile, nobody will."""
        with FileLock(self._layout.decision_lock):
            if self._lease_time() != lease or self._clients():
                return False
            self._begin_to_stop()
            return True

    def _begin_to_stop(self) -> None:
        self._layout.lease.unlink(missing_ok=True)
        self._note(phase="stopping", message="stopping")

    def _lease_time(self) -> int:
        try:
            return self._layout.lease.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def _clients(self) -> bool:
        """Is there any open connection to the database?"""
        database = self._state.database
        if database is None:
            return False
        ports = (self._state.bolt_port, self._state.http_port)
        try:
            connections = psutil.Process(database.pid).net_connections("tcp")
        except psutil.Error:
            return False
        return any(each.status == psutil.CONN_ESTABLISHED and each.laddr.port in ports for each in connections)

    # Stop

    def _shut_down(self) -> None:
        with FileLock(self._layout.decision_lock):
            self._begin_to_stop()
        self._end_database()
        self._clear()
        wanted = self._config.archive and self._archive and not self._archive.exists() and Path(sys.executable).exists()
        if wanted and not self._stopping:
            # Only after an idle time: making it takes half a minute of a processor, and whoever says stop means it.
            spawn_detached(
                "wakegraph.engine.archive", self._config.to_json(), folder=self._layout.folder, log=self._layout.log
            )

    def _end_database(self) -> None:
        database = self._state.database
        if database is None:
            return
        database.send(signal.SIGTERM)
        deadline = time.monotonic() + _STOP_SECONDS
        while self._database_lives():
            if time.monotonic() > deadline:
                _log("the database did not stop in time: killed")
                database.kill()
            time.sleep(0.02)

    def _database_lives(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        return self._state.running()

    def _clear(self) -> None:
        self._layout.lease.unlink(missing_ok=True)
        self._layout.state.unlink(missing_ok=True)

    # Notes

    def _note(self, **changes: object) -> None:
        self._state = replace(self._state, **changes)  # type: ignore[arg-type]
        self._state.write(self._layout.state)

    def _log_size(self) -> int:
        return self._layout.log.stat().st_size

    def _log_since(self, begin: int) -> list[str]:
        with self._layout.log.open("rb") as file:
            file.seek(begin)
            return file.read().decode("utf-8", errors="replace").splitlines()


def _log(message: str) -> None:
    stamp = time.strftime("%Y-%m-%d %H:%M:%S%z")
    sys.stderr.write(f"{stamp} engine {message}\n")
    sys.stderr.flush()


def _explain(lines: list[str], layout: Layout) -> str:
    """One line on why the database did not start, from what it said."""
    text = "\n".join(lines)
    if "LockException" in text or "Lock file has been locked" in text:
        return (
            f"the data folder {layout.neo4j} is in use by another process; stop that one, or set WAKEGRAPH_HOME to "
            "another folder"
        )
    if "No space left on device" in text:
        return f"the disk of {layout.home} is full; make room and try again"
    if "reserve enough space" in text or "maximum heap" in text or "OutOfMemoryError" in text:
        return (
            "not enough memory for the local engine; set WAKEGRAPH_ENGINE_HEAP_MB to what the machine can give (256 or "
            "more)"
        )
    causes = [line.strip() for line in lines if "Caused by" in line or "ERROR" in line or "Exception" in line]
    reason = causes[-1] if causes else (lines[-1].strip() if lines else "it said nothing")
    return f"the local engine did not start: {reason[:300]}; its log is {layout.log}"


def main(argument: str) -> int:
    """Run the supervisor of an engine until it ends; `argument` is an `EngineConfig` as JSON."""
    return Supervisor(EngineConfig.from_json(argument)).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
