"""How long single calls take, in a graph of some size: high value, list, access, chain."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from benchmarks.generate import END, Shape
from benchmarks.load import fill, remove
from wakegraph import Wakegraph
from wakegraph.snapshots.naming import Key

CALLS = 200


async def latency(wake: Wakegraph, shape: Shape, size: int) -> dict[str, Any]:
    """Median and 95th percentile in milliseconds of each call, in a graph of `size` snapshots."""
    project = f"bench-latency-{size}"
    await fill(wake, shape, project, size)
    await wake.propagation.refresh(project=project, now=END)
    rng = np.random.default_rng(4)
    some = [f"s{number:08d}" for number in rng.integers(0, size, CALLS)]
    found: dict[str, Any] = {"snapshots": size}
    calls: dict[str, Callable[[str], Awaitable[Any]]] = {
        "high_value": lambda _: wake.propagation.high_value(project=project, now=END),
        "list_recent": lambda _: wake.snapshots.list(project=project, limit=10, now=END),
        "list_predicted": lambda _: wake.snapshots.list(project=project, limit=10, order="predicted", now=END),
        "list_least_recently_used": lambda _: wake.snapshots.list(
            project=project, limit=10, order="least_recently_used", now=END
        ),
        "predict_next": lambda name: wake.propagation.predict_next([name], project=project, now=END),
        "chain": lambda name: wake.causality.chain(name, project=project),
        "access": lambda name: wake.memory.record_access([Key(project, name)], now=END),
    }
    for title, call in calls.items():
        found[title] = await _timed(call, some)
    await remove(wake, project)
    return found


async def _timed(call: Callable[[str], Awaitable[Any]], names: list[str]) -> dict[str, float]:
    for name in names[:20]:
        await call(name)
    times = []
    for name in names:
        began = time.perf_counter()
        await call(name)
        times.append((time.perf_counter() - began) * 1000)
    return {"p50": round(float(np.percentile(times, 50)), 2), "p95": round(float(np.percentile(times, 95)), 2)}
