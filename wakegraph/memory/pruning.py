"""Removing expired snapshots that nothing kept needs, without ever breaking a chain."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from wakegraph.graph.driver import Graph, Row, Transaction
from wakegraph.graph.times import EPOCH
from wakegraph.memory.selection import Selection, select
from wakegraph.snapshots.naming import Key

__all__ = ["Expired", "find_expired", "prune"]

_PAGE = 10_000
_BATCH = 500
_EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Expired:
    """The expired snapshots of some projects, longest unused first.

    Attributes:
        keys: their names.
        needs: for each, the positions of those of them that it needs.
        held: positions of those that something that is not among them needs.
    """

    keys: list[Key]
    needs: list[tuple[int, ...]]
    held: list[int]

    def selection(self, limit: int) -> Selection:
        """What may go."""
        return select(self.needs, self.held, limit)


async def find_expired(graph: Graph, projects: Sequence[str], until: datetime) -> Expired:
    """Read the expired snapshots of projects and who needs whom.

    Args:
        graph: the database.
        projects: the projects; a snapshot of any other one counts as kept.
        until: the first time of activity that is not expired.
    """
    parts = [await _of_project(graph, project, projects, until) for project in projects]
    found = list(heapq.merge(*parts, key=itemgetter(0)))
    keys = [key for _, key, _, _ in found]
    position = {key: place for place, key in enumerate(keys)}
    # One that was not among those read, because it was accessed in between, is looked at again before removal.
    needs = [tuple(position[end] for end in ends if end in position) for _, _, ends, _ in found]
    return Expired(keys, needs, [place for place, (_, _, _, held) in enumerate(found) if held])


_Found = tuple[int, Key, tuple[Key, ...], bool]
"""Milliseconds of the last activity, the name, what it needs, whether something kept needs it."""


async def _of_project(graph: Graph, project: str, projects: Sequence[str], until: datetime) -> list[_Found]:
    found: list[_Found] = []
    start: dict[str, Any] = {"from": _EARLIEST, "after_id": None}
    while True:
        page = await graph.read_one(
            "memory/expired_page", project=project, projects=list(projects), until=until, limit=_PAGE, **start
        )
        if page is None or not page["ids"]:
            return found
        columns = (page["activity"], page["ids"], page["needs"], page["held"])
        for activity, id_, ends, held in zip(*columns, strict=True):
            found.append((activity, Key(project, id_), tuple(_key(end, project) for end in ends), held))
        start = {"from": page["last"], "after_id": page["ids"][-1]}


def _key(name: str, project: str) -> Key:
    other, separator, id_ = name.partition("::")
    return Key(other, id_) if separator else Key(project, name)


async def prune(
    graph: Graph, groups: Sequence[Sequence[Key]], *, until: datetime, now: datetime, by: str | None
) -> list[Key]:
    """Remove groups of snapshots in their order, a batch a transaction.

    What was accessed, or came to be needed, since it was chosen stays, and so does what it needs.

    Args:
        graph: the database.
        groups: what goes together, nothing before what needs it.
        until: the first time of activity that is not expired.
        now: the moment to remember.
        by: who prunes.

    Returns:
        What was removed.
    """
    removed: list[Key] = []
    for batch in _batches(groups):
        removed += await graph.write_in(_prune_batch, batch, until, now, by)
    return removed


def _batches(groups: Sequence[Sequence[Key]]) -> Iterator[list[Key]]:
    batch: list[Key] = []
    for group in groups:
        if batch and len(batch) + len(group) > _BATCH:
            yield batch
            batch = []
        batch += group
    if batch:
        yield batch


async def _prune_batch(
    tx: Transaction, batch: Sequence[Key], until: datetime, now: datetime, by: str | None
) -> list[Key]:
    chosen = [key.row() for key in batch]
    ends = await tx.run("memory/prune_ends", keys=chosen)
    everything = sorted({*batch, *(Key(end["project"], end["id"]) for end in ends)})
    # Every writer of a link holds both its ends: from here on, who needs whom stays as it is.
    await tx.run("snapshots/lock_snapshots", keys=[key.row() for key in everything])
    victims = _still_free(await tx.run("memory/prune_check", keys=chosen, until=until))
    if not victims:
        return []
    keys = [key.row() for key in sorted(victims)]
    ends = await tx.run("memory/prune_ends", keys=keys)
    await tx.run("memory/prune", keys=keys, now=now, by=by)
    left = [{"project": end["project"], "id": end["id"]} for end in ends]
    await tx.run("snapshots/update_roles", keys=left)
    scored = [{"project": end["project"], "id": end["id"]} for end in ends if end["scored"]]
    await tx.run("snapshots/mark_stale", keys=scored, epoch=EPOCH)
    return [key for key in batch if key in victims]


def _still_free(rows: Sequence[Row]) -> set[Key]:
    """Those that are expired and needed only by others that go too."""
    needed_by = {
        Key(row["project"], row["id"]): {Key(end["project"], end["id"]) for end in row["needed_by"]}
        for row in rows
        if row["expired"]
    }
    free = set(needed_by)
    while kept := {key for key in free if not needed_by[key] <= free}:
        free -= kept
    return free
