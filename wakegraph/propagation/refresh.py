"""The refresh: what is stale is read in columns, scored in one pass of numpy and written back, a batch a transaction.

Each batch is held, read, scored and written in one transaction, so that no access and no link can come in between,
and two refreshes at once, or one that is killed, leave whole batches only. What was done is no longer stale, so that a
second run goes on where the first one ended.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wakegraph.errors import ConflictError
from wakegraph.graph.driver import Graph, Row, Transaction
from wakegraph.graph.times import EPOCH, LATEST
from wakegraph.memory.tiers import MISSING, TIERS, epoch_ms, tier_codes, tier_times
from wakegraph.memory.upkeep import bring_up_to_date
from wakegraph.models import Profile
from wakegraph.progress import OnProgress, silent
from wakegraph.propagation.activation import Ragged
from wakegraph.propagation.formula import Formula
from wakegraph.propagation.models import ProjectRefresh
from wakegraph.propagation.scoring import (
    ROLES,
    ScoreColumns,
    Scores,
    reason_table,
    role_codes,
    score,
)

__all__ = [
    "BATCH",
    "Job",
    "columns_of",
    "read_columns",
    "refresh_few",
    "refresh_project",
    "stale_cutoff",
]

BATCH: Final = 2_000
IN_FLIGHT: Final = 2
_PAGE: Final = 10
_FEW: Final = 20_000
_UNSCORED: Final = 10_000
_LAST_ID: Final = "\U0010ffff"
_PENDING: Final = "pending "


@dataclass(frozen=True, slots=True)
class Job:
    """A refresh of one project.

    Attributes:
        project: its name.
        formula: by which formula to score.
        now: the moment of the refresh, whole milliseconds.
        cutoff: what was last scored up to this moment is stale.
        stored: by which formula the scores in the database are made, None for none.
    """

    project: str
    formula: Formula
    now: datetime
    cutoff: datetime
    stored: str | None

    @property
    def whole(self) -> bool:
        """Whether every snapshot counts as stale."""
        return self.cutoff >= self.now

    @property
    def reach(self) -> datetime:
        """What was last scored up to this moment is scored anew."""
        return LATEST if self.whole else self.cutoff


@dataclass(slots=True)
class Tally:
    """What became of the snapshots of a refresh."""

    updated: int = 0
    unchanged: int = 0
    accessed_later: int = 0

    def add(self, other: Tally) -> None:
        self.updated += other.updated
        self.unchanged += other.unchanged
        self.accessed_later += other.accessed_later

    @property
    def seen(self) -> int:
        return self.updated + self.unchanged


def stale_cutoff(now: datetime, threshold_hours: float) -> datetime:
    """The latest moment of scoring that is stale: predicted >= threshold hours ago."""
    longest = (now - EPOCH) / timedelta(hours=1)
    return now - timedelta(hours=threshold_hours) if threshold_hours < longest else EPOCH


async def refresh_project(
    graph: Graph,
    job: Job,
    turns: asyncio.Semaphore,
    *,
    on_progress: OnProgress = silent,
    stop: Callable[[], bool] = lambda: False,
) -> ProjectRefresh:
    """Bring the scores, tiers and roles of a project up to date.

    Args:
        graph: the database.
        job: what to do.
        turns: bounds the transactions in flight; several jobs may share it.
        on_progress: told how many are done, of how many.
        stop: asked between batches; True ends it early.

    Raises:
        ConflictError: a refresh by another formula has begun meanwhile; what this one wrote is stale.
    """
    await _claim(graph, job)
    counts = await _counts(graph, job)
    due = counts["total"] - (0 if job.whole else counts["fresh"])
    # A snapshot whose last_predicted was taken away is in no index; it is found by its id.
    by_index = not job.whole and counts["stale"] == due <= min(_FEW, counts["total"] // 4)
    tally = Tally()
    batches = _few(graph, job) if by_index else _many(graph, job, counts["total"], due)
    async for done in _scored(graph, job, batches, turns):
        tally.add(done)
        on_progress(tally.seen, max(due, tally.seen))
        if stop():
            break
    drift: Counter[tuple[str | None, str]] = Counter()
    # What was scored has its tier from that; only what was fresh can have come into another one by the passing of time.
    if tally.seen < counts["total"] and not stop():
        drift = await bring_up_to_date(graph, job.project, tier_times(job.now, job.formula.thresholds))
    return ProjectRefresh(
        project=job.project,
        total=counts["total"],
        updated=tally.updated,
        unchanged=tally.unchanged,
        skipped=max(counts["total"] - tally.seen, 0),
        accessed_later=tally.accessed_later,
        tiers_changed=drift.total(),
        formula=job.formula.info(),
    )


async def refresh_few(graph: Graph, job: Job) -> int:
    """Score what is stale in a project, before an answer: only that, and nothing of the rest is looked at.

    Returns:
        How many were scored.
    """
    await _claim(graph, job)
    tally = Tally()
    async for done in _scored(graph, job, _few(graph, job), asyncio.Semaphore(IN_FLIGHT)):
        tally.add(done)
    return tally.updated


async def _counts(graph: Graph, job: Job) -> Row:
    row = await graph.read_one("propagation/counts", project=job.project, cutoff=job.cutoff)
    assert row is not None  # noqa: S101  the statement always returns one row
    return row


async def _claim(graph: Graph, job: Job) -> None:
    """Make sure that whatever is not stale was scored by this formula.

    Scores by another formula are stale. So that this can be read from the index of last_predicted, they are made stale
    before the first one is written anew; until that is done the project has no formula, and all its scores are stale.
    """
    formula = job.formula.text()
    if job.stored == formula:
        return
    await graph.write("propagation/set_formula", project=job.project, formula=_PENDING + formula)
    while True:
        row = await graph.write_one("propagation/unscore", project=job.project, epoch=EPOCH, limit=_UNSCORED)
        if not row or not row["made_stale"]:
            break
    await graph.write_in(_settle, job)


async def _settle(tx: Transaction, job: Job) -> None:
    _check_formula(await tx.one("propagation/hold_formula", project=job.project), job)
    await tx.run("propagation/set_formula", project=job.project, formula=job.formula.text())


def _check_formula(held: Row | None, job: Job) -> None:
    """Make sure that no other formula has been claimed meanwhile; the project is held until the transaction ends."""
    formula = job.formula.text()
    # Another refresh by the same formula may be claiming it just now: what it has not seen is right for it, too.
    if held is None or held["formula"] not in {formula, _PENDING + formula}:
        raise ConflictError(
            f"project {job.project!r} is being refreshed with another profile or other settings: "
            "use the same ones everywhere"
        )


async def _few(graph: Graph, job: Job) -> AsyncIterator[_Batch]:
    """Batches of the stale snapshots by their ids, read from the index at once."""
    row = await graph.read_one("propagation/stale_ids", project=job.project, cutoff=job.cutoff, limit=2 * _FEW)
    ids = sorted(row["ids"]) if row else []
    for start in range(0, len(ids), BATCH):
        yield _Named(job, ids[start : start + BATCH])


async def _many(graph: Graph, job: Job, total: int, due: int) -> AsyncIterator[_Batch]:
    """Batches of the stale snapshots as stretches of ids, page by page; a small project is one stretch."""
    if total <= BATCH:
        yield _Stretch(job, "", _LAST_ID)
        return
    after, batch = "", _even(due)
    while True:
        page = await graph.read_one(
            "propagation/batch_ends",
            project=job.project,
            after=after,
            cutoff=job.reach,
            epoch=EPOCH,
            batch=batch,
            limit=batch * _PAGE,
        )
        for end in page["ends"] if page else ():
            yield _Stretch(job, after, end)
            after = end
        if not page or page["snapshots"] < batch * _PAGE:
            return


def _even(due: int) -> int:
    """The size of batches that keeps all transactions in flight busy until the end."""
    rounds = max(math.ceil(due / (BATCH * IN_FLIGHT)), 1)
    return max(math.ceil(due / (rounds * IN_FLIGHT)), 1)


@dataclass(frozen=True, slots=True)
class _Named:
    """A batch of snapshots by their ids."""

    job: Job
    ids: list[str]

    async def hold(self, tx: Transaction) -> Row | None:
        await tx.run("propagation/hold", project=self.job.project, ids=self.ids)
        return await read_columns(tx.one, self.job.project, self.ids, self.job.now, self.job.formula.profile)


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A batch of the stale snapshots whose ids follow one and go up to another."""

    job: Job
    after: str
    until: str

    async def hold(self, tx: Transaction) -> Row | None:
        return await tx.one(
            "propagation/hold_columns",
            project=self.job.project,
            after=self.after,
            until=self.until,
            cutoff=self.job.reach,
            epoch=EPOCH,
            with_times=self.job.formula.profile is Profile.ACTIVATION,
            missing=MISSING,
            now=self.job.now,
        )


_Batch = _Named | _Stretch


async def _scored(
    graph: Graph, job: Job, batches: AsyncIterator[_Batch], turns: asyncio.Semaphore
) -> AsyncIterator[Tally]:
    """Score batches, a few transactions in flight at the most."""
    running: set[asyncio.Task[Tally]] = set()

    async def one(batch: _Batch) -> Tally:
        async with turns:
            return await graph.write_in(_score_batch, job, batch)

    try:
        async for batch in batches:
            running.add(asyncio.create_task(one(batch)))
            if len(running) >= IN_FLIGHT:
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        while running:
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _score_batch(tx: Transaction, job: Job, batch: _Batch) -> Tally:
    row = await batch.hold(tx)
    if row is None or not row["nodes"]:
        return Tally()
    columns = columns_of(row, job.now, job.formula)
    scores = score(columns, epoch_ms(job.now), job.formula.profile, job.formula.weights, job.formula.constants)
    write = np.ones(len(columns), np.bool_)
    write[_settled(row, columns, scores, job)] = False
    chosen = np.flatnonzero(write)
    later = columns.accessed_ms > epoch_ms(job.now)
    if chosen.size:
        _check_formula(
            await tx.one("propagation/write_scores", **_written(job, row, columns, scores, ~later, chosen)), job
        )
    return Tally(chosen.size, len(columns) - chosen.size, int(later.sum()))


async def read_columns(
    run: Callable[..., Awaitable[Row | None]], project: str, ids: list[str], now: datetime, profile: Profile
) -> Row:
    """Read what the scores of snapshots of a project rest on; those that do not exist are left out.

    Args:
        run: runs a statement that returns one row.
        project: their project.
        ids: their ids.
        now: the moment of scoring.
        profile: `activation` needs the times of the accesses kept.
    """
    row = await run(
        "propagation/columns",
        project=project,
        ids=ids,
        with_times=profile is Profile.ACTIVATION,
        missing=MISSING,
        now=now,
    )
    assert row is not None  # noqa: S101  an aggregation always returns one row
    return row


def columns_of(row: Row, now: datetime, formula: Formula) -> ScoreColumns:
    """Columns for numpy from a row of `propagation/columns`."""
    created, accessed = np.array(row["created"], np.int64), np.array(row["accessed"], np.int64)
    causes, effects = np.array(row["causes"], np.int64), np.array(row["effects"], np.int64)
    nothing = Ragged(np.zeros(0, np.int64), np.zeros(created.size + 1, np.int64))
    return ScoreColumns(
        created_ms=created,
        accessed_ms=accessed,
        access_count=np.array(row["counts"], np.int64),
        dependents=np.array(row["dependents"], np.int64),
        dependencies=np.array(row["dependencies"], np.int64),
        role_codes=role_codes(causes, effects),
        tier_codes=tier_codes(created, accessed, epoch_ms(now), formula.thresholds),
        action_codes=np.array(row["actions"], np.int8),
        recent=Ragged.of(row["recent"]) if formula.profile is Profile.ACTIVATION else nothing,
    )


def _settled(row: Row, columns: ScoreColumns, scores: Scores, job: Job) -> list[int]:
    """Rows for which everything that would be written is stored already."""
    if not row["settled"]:
        return []
    at = {id_: place for place, id_ in enumerate(row["ids"])}
    table, reason = reason_table(scores.reasons)
    found = []
    for stored in row["settled"]:
        place = at[stored["id"]]
        upcoming = int(scores.predicted_next_ms[place])
        computed = {
            "id": stored["id"],
            "temporal": float(scores.temporal[place]),
            "causal": float(scores.causal[place]),
            "frequency": float(scores.frequency[place]),
            "prediction": float(scores.prediction[place]),
            "reasons": table[reason[place]],
            "profile": job.formula.profile.value,
            "upcoming": None if upcoming == MISSING else upcoming,
            "tier": TIERS[columns.tier_codes[place]].value,
            "role": ROLES[columns.role_codes[place]].value,
        }
        if stored == computed:
            found.append(place)
    return found


def _written(
    job: Job,
    row: Row,
    columns: ScoreColumns,
    scores: Scores,
    current: NDArray[np.bool_],
    chosen: NDArray[np.intp],
) -> dict[str, Any]:
    """Parameters of `propagation/write_scores` for the chosen rows; `current` ones are stale no longer."""
    reasons, reason = reason_table(scores.reasons[chosen])
    upcoming = scores.predicted_next_ms[chosen].tolist()
    return {
        "project": job.project,
        "nodes": [row["nodes"][place] for place in chosen],
        "temporal": scores.temporal[chosen].tolist(),
        "causal": scores.causal[chosen].tolist(),
        "frequency": scores.frequency[chosen].tolist(),
        "prediction": scores.prediction[chosen].tolist(),
        "reason": reason.tolist(),
        "reasons": reasons,
        "upcoming": [None if moment == MISSING else moment for moment in upcoming],
        "tier": columns.tier_codes[chosen].tolist(),
        "tiers": [tier.value for tier in TIERS],
        "role": columns.role_codes[chosen].tolist(),
        "roles": [role.value for role in ROLES],
        "current": current[chosen].tolist(),
        "profile": job.formula.profile.value,
        "now": job.now,
    }
