"""Processes by identity: a number alone may have been given to another process since."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

__all__ = ["Process", "spawn_detached"]


@dataclass(frozen=True, slots=True)
class Process:
    """A process and the mark of its start, which no later process of the same number has."""

    pid: int
    mark: str

    @classmethod
    def of(cls, pid: int) -> Process:
        return cls(pid, _mark(pid) or "")

    def alive(self) -> bool:
        return bool(self.mark) and _mark(self.pid) == self.mark

    def send(self, number: int) -> None:
        """Send a signal if it is still the same process; one that has just ended is no error."""
        if not self.alive():
            return
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return

    def kill(self) -> None:
        self.send(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)


def _mark(pid: int) -> str | None:
    """None when there is no such process, or only its exit code is left."""
    return _linux_mark(pid) if sys.platform == "linux" else _other_mark(pid)


def _linux_mark(pid: int) -> str | None:
    """Not psutil's creation time: that moves when the wall clock is set."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{_boot()}/{fields[19]}"


def _other_mark(pid: int) -> str | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.0f}"
    except psutil.Error:
        return None


@cache
def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def spawn_detached(module: str, argument: str, *, folder: Path, log: Path) -> Process:
    """Run one of our modules in a session of its own that outlives this process and its terminal."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    with log.open("ab") as output:
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", module, argument],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            start_new_session=True,
            creationflags=flags,
        )
    # Collects the exit code while we live; afterwards the system does.
    threading.Thread(target=child.wait, name=f"wait-{child.pid}", daemon=True).start()
    return Process.of(child.pid)
