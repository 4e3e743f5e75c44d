"""The refresh, end to end, beside the plainest way to set the same properties inside the database.

The bare way is one statement that sets the same properties of the same snapshots, to values that need no computing, in
transactions of the same size, one after the other (`CALL ... IN TRANSACTIONS`): nothing is read but the nodes, nothing
is scored, nothing crosses the wire. Both run in turn on the same data, both from all scores stale.
"""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import Any

import numpy as np
import psutil

from benchmarks.generate import END, Shape
from benchmarks.load import fill, remove, run, unscore
from wakegraph import Caller, Profile, Wakegraph
from wakegraph.memory.tiers import HOUR_MS, MISSING, epoch_ms, tier_codes
from wakegraph.propagation.activation import Ragged
from wakegraph.propagation.refresh import BATCH
from wakegraph.propagation.scoring import ScoreColumns, role_codes, score

SMALL = "bench-small"
BARE = f"""
MATCH (s:Snapshot) WHERE s.project = $project AND s.id > ''
CALL (s) {{
  SET s.temporal_score = 0.25, s.causal_score = 0.5, s.frequency_score = 0.75, s.prediction_score = rand(),
    s.prediction_reasons = ['accessed_today', 'causal_chain_member'], s.prediction_profile = 'wake',
    s.predicted_next_access = $upcoming, s.memory_tier = 'ARCHIVED', s.causal_role = 'link',
    s.last_activity = s.last_activity, s.last_predicted = $now
}} IN TRANSACTIONS OF {BATCH} ROWS
"""


async def refresh(wake: Wakegraph, size: int, names: list[str], rounds: int) -> dict[str, Any]:
    """Snapshots a second of both ways over projects of `size` snapshots in all, and the process's memory."""
    ours: list[float] = []
    bare: list[float] = []
    peak = 0.0
    for _ in range(rounds):
        bare.append(await _bare(wake, names))
        seconds, megabytes = await _ours(wake, names)
        ours.append(seconds)
        peak = max(peak, megabytes)
    ratios = [b / o for b, o in zip(bare, ours, strict=True)]
    again = await wake.propagation.refresh(all_projects=True, caller=_only(names), stale_threshold_hours=0, now=END)
    return {
        "snapshots": size,
        "projects": len(names),
        "rounds": rounds,
        "refresh_per_second": round(size / median(ours)),
        "bare_set_per_second": round(size / median(bare)),
        "ratio": round(median(ratios), 2),
        "lowest_ratio": round(min(ratios), 2),
        "peak_rss_mb": round(peak, 1),
        "second_run_wrote": again.updated,
        "second_run_per_second": round(size / again.seconds),
    }


def _only(names: list[str]) -> Caller:
    return Caller(projects=frozenset(names))


async def _bare(wake: Wakegraph, names: list[str]) -> float:
    for name in names:
        await unscore(wake, name)
    began = time.perf_counter()
    for name in names:
        await run(wake, BARE, project=name, now=END, upcoming=END)
    return time.perf_counter() - began


async def _ours(wake: Wakegraph, names: list[str]) -> tuple[float, float]:
    for name in names:
        await unscore(wake, name)
    watching = asyncio.create_task(_peak())
    began = time.perf_counter()
    await wake.propagation.refresh(all_projects=True, caller=_only(names), now=END)
    seconds = time.perf_counter() - began
    watching.cancel()
    return seconds, await watching


async def _peak() -> float:
    process, peak = psutil.Process(), 0.0
    try:
        while True:
            peak = max(peak, process.memory_info().rss / 2**20)
            await asyncio.sleep(0.05)
    except asyncio.CancelledError:
        return peak


def scoring_alone(size: int = 1_000_000) -> dict[str, Any]:
    """Snapshots a second of the scoring in numpy, without any database."""
    rng = np.random.default_rng(3)
    now_ms = epoch_ms(END)
    created = now_ms - rng.integers(0, 10_000 * HOUR_MS, size)
    accessed = np.where(rng.random(size) < 0.6, MISSING, now_ms - rng.integers(0, 1_000 * HOUR_MS, size))
    columns = ScoreColumns(
        created_ms=created,
        accessed_ms=accessed,
        access_count=rng.integers(0, 200, size),
        dependents=rng.integers(0, 6, size),
        dependencies=rng.integers(0, 2, size),
        role_codes=role_codes(rng.integers(0, 2, size), rng.integers(0, 3, size)),
        tier_codes=tier_codes(created, accessed, now_ms),
        action_codes=rng.integers(0, 5, size).astype(np.int8),
        recent=Ragged(np.zeros(0, np.int64), np.zeros(size + 1, np.int64)),
    )
    found: dict[str, Any] = {"snapshots": size}
    for profile in Profile:
        seconds = []
        for _ in range(5):
            began = time.perf_counter()
            score(columns, now_ms, profile)
            seconds.append(time.perf_counter() - began)
        found[f"{profile.value}_per_second"] = round(size / min(seconds))
    return found


async def small_beside_large(wake: Wakegraph, shape: Shape, large: str, size: int) -> dict[str, Any]:
    """A project of ten snapshots, while another one has `size` stale ones."""
    await unscore(wake, large)
    await fill(wake, shape, SMALL, 10)
    times = []
    for _ in range(20):
        await unscore(wake, SMALL)
        began = time.perf_counter()
        found = await wake.propagation.high_value(project=SMALL, min_score=0, refresh_first=True, now=END)
        times.append((time.perf_counter() - began) * 1000)
    other = await wake.propagation.stats(project=large, now=END)
    await remove(wake, SMALL)
    return {
        "large": size,
        "large_still_stale": other.stale,
        "refreshed": found.state.refreshed,
        "milliseconds": round(median(times), 1),
    }
