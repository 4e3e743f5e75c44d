"""How long single calls take in a graph of some size, and what the database reads for them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from benchmarks.generate import END
from benchmarks.plans import plans
from wakegraph import Wakegraph
from wakegraph.snapshots.naming import Key

CALLS = 200
WARM = 50
AMONG = 10_000
"""The snapshots asked for are among the first ones, whose surroundings are the same in a project of any size."""


async def latency(wake: Wakegraph, project: str, size: int) -> list[dict[str, Any]]:
    """Median and 95th percentile of each call in a project of `size` snapshots, and what the database reads for it."""
    await wake.propagation.refresh(project=project, now=END)
    rng = np.random.default_rng(4)
    some = [f"s{number:08d}" for number in rng.integers(0, min(size, AMONG), CALLS)]
    calls = calls_of(wake, project)
    times = [{"snapshots": size, "call": title, **await percentiles(call, some)} for title, call in calls.items()]
    return [taken | read for taken, read in zip(times, await plans(wake, calls, some[0]), strict=True)]


def calls_of(wake: Wakegraph, project: str) -> dict[str, Callable[[str], Awaitable[Any]]]:
    """The calls that are measured, by name; each is given the id of a snapshot."""
    return {
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


async def percentiles(call: Callable[[str], Awaitable[Any]], names: list[str]) -> dict[str, float]:
    """Median and 95th percentile of a call in milliseconds, after a few that do not count."""
    for name in names[:WARM]:
        await call(name)
    times = []
    for name in names:
        began = time.perf_counter()
        await call(name)
        times.append((time.perf_counter() - began) * 1000)
    return {"p50_ms": round(float(np.percentile(times, 50)), 2), "p95_ms": round(float(np.percentile(times, 95)), 2)}
