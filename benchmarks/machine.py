"""The machine that a benchmark ran on, and its database."""

from __future__ import annotations

import os
import platform
from typing import Any

import numpy as np
import psutil

from wakegraph import Wakegraph


async def describe(wake: Wakegraph) -> dict[str, Any]:
    """What a reader needs to judge the figures."""
    rows = await wake.graph.read("schema/components")
    server = ", ".join(f"{row['name']} {row['version']} {row['edition']}" for row in rows) if rows else "?"
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "load_at_start": [round(value, 1) for value in os.getloadavg()],
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "server": server,
    }


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123  not a file of ours
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
