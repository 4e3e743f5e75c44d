"""Loading many snapshots: all of them checked first, then written in batches.

Each batch is one transaction, so an import that is interrupted leaves whole snapshots; run again, it finds what is
there and goes on. Snapshots come first, then links, those of causes before those of effects. Links are written under
the lock that serialises links between existing snapshots, and those that could close a cycle through what others wrote
meanwhile are checked again under it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Final, TypeVar

from wakegraph.errors import ConflictError, DatabaseError, NotFoundError
from wakegraph.graph.driver import Graph, Row, Transaction
from wakegraph.graph.times import EPOCH
from wakegraph.interchange.models import Problem
from wakegraph.interchange.plan import ACYCLIC, Plan, ordered
from wakegraph.interchange.records import LINK_KEYS, Record
from wakegraph.models import LinkType, Origin
from wakegraph.progress import OnProgress

__all__ = ["Items", "Loader", "Written"]

Items = Callable[[], Iterator[Record | Problem]]
"""Gives what is to be imported, from its beginning each time it is called."""

T = TypeVar("T")

BATCH_ROWS: Final = 2_000
BATCH_CHARACTERS: Final = 4_000_000
LINK_BATCH: Final = 4_000
_CHUNK: Final = 2_000
_FEW: Final = 8
_INCOMING: Final = {LinkType.CAUSED_BY: "has_effects", LinkType.SUPERSEDES: "has_newer"}
_KEY_OF: Final = {kind: key for key, kind in LINK_KEYS.items()}
_LINK: Final = {
    LinkType.CAUSED_BY: "interchange/link_caused_by",
    LinkType.DEPENDS_ON: "interchange/link_depends_on",
    LinkType.SUPERSEDES: "interchange/link_supersedes",
}
_STEP: Final = {
    LinkType.CAUSED_BY: "interchange/caused_by_step",
    LinkType.SUPERSEDES: "interchange/supersedes_step",
}
_REACH: Final = {
    LinkType.CAUSED_BY: "interchange/caused_by_reach",
    LinkType.SUPERSEDES: "interchange/supersedes_reach",
}


@dataclass(slots=True)
class Written:
    """What was written."""

    created: int = 0
    links: int = 0
    artifacts: int = 0
    new_projects: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _NodeBatch:
    """Snapshots to create, and references of stored ones that may be missing."""

    records: list[Record] = field(default_factory=list)
    stored: list[Record] = field(default_factory=list)
    characters: int = 0

    @property
    def full(self) -> bool:
        return len(self.records) + len(self.stored) >= BATCH_ROWS or self.characters >= BATCH_CHARACTERS


@dataclass(slots=True)
class _LinkBatch:
    """Links to make, by type, as (source, row); all of the links of a source are in one batch."""

    rows: dict[LinkType, list[tuple[int, int, Row]]] = field(default_factory=lambda: {kind: [] for kind in LinkType})
    sources: list[int] = field(default_factory=list)
    size: int = 0


class Loader:
    """One import.

    Args:
        graph: the database.
        items: what is to be imported.
        now: the time of the import.
        visible: the projects that messages may show, or None for all.
        on_progress: told how far it is.
    """

    def __init__(
        self, graph: Graph, items: Items, *, now: datetime, visible: list[str] | None, on_progress: OnProgress
    ) -> None:
        self._graph = graph
        self._items = items
        self._now = now
        self._visible = visible
        self._on_progress = on_progress
        self._order: list[int] = []
        self._new_references: set[int] = set()
        self._span: dict[str, tuple[datetime, datetime]] = {}

    async def check(self) -> Plan:
        """Read everything and compare it with what is stored; `problems` of the plan says what is wrong."""
        plan = Plan(self._visible)
        async for chunk in _chunks(self._items(), _CHUNK):
            for item in chunk:
                plan.read += 1
                if isinstance(item, Problem):
                    plan.problems.append(item)
                else:
                    plan.add(item)
            self._on_progress(plan.read, None)
        incoming = await self._compare(plan)
        for kind in ACYCLIC:
            stored = await self._stored_edges(plan, kind, incoming[kind])
            order = await asyncio.to_thread(plan.break_cycles, kind, stored)
            if kind is LinkType.CAUSED_BY:
                self._order = order
        plan.problems.sort(key=lambda problem: problem.line)
        return plan

    async def write(self, plan: Plan) -> Written:
        """Write what the plan says. Safe to repeat, from a new `check`, after any interruption.

        Raises:
            ConflictError: another writer saved other content under the same id, or linked so that a link would close a
                cycle, since the check.
            NotFoundError: a snapshot to link to was deleted since the check.
        """
        written = Written()
        missing = sum(1 for kind in LinkType for _ in plan.missing(kind))
        creating = sum(plan.to_create(number) for number in range(len(plan.names)))
        if not (missing or creating or self._new_references):
            return written
        self._done, self._total = 0, creating + missing
        await self._write_projects(plan, written)
        await self._write_nodes(plan, written)
        await self._write_links(plan, written)
        for project, (first, last) in self._span.items():
            await self._mend_roles(project, first, last)
        return written

    # -- comparing -------------------------------------------------------------------------------------------------

    async def _compare(self, plan: Plan) -> dict[LinkType, set[int]]:
        """Find out what is stored, settle the links, and return the stored snapshots that links lead to."""
        incoming: dict[LinkType, set[int]] = {kind: set() for kind in ACYCLIC}
        present: dict[LinkType, dict[int, frozenset[int]]] = {kind: {} for kind in LinkType}
        for project, numbers in _by_project(plan, plan.defined()).items():
            for part in _parts(numbers, BATCH_ROWS):
                ids = [plan.names[number][1] for number in part]
                for row in await self._graph.read("interchange/stored", project=project, ids=ids):
                    self._compare_one(plan, project, row, present, incoming)
        for part in _parts(plan.named_only(), BATCH_ROWS):
            for row in await self._graph.read("snapshots/existing", keys=_keys(plan, part)):
                number = plan.number(row["project"], row["id"])
                if not plan.left_out(number):
                    plan.stored[number] = 1
        plan.settle(present)
        return incoming

    def _compare_one(
        self,
        plan: Plan,
        project: str,
        row: Row,
        present: dict[LinkType, dict[int, frozenset[int]]],
        incoming: dict[LinkType, set[int]],
    ) -> None:
        number = plan.number(project, row["id"])
        if plan.clashes(number, row["content"]):
            plan.leave_out(
                number,
                f"id {row['id']!r} is stored in project {project!r} with other content: "
                "give the new content an id of its own and let it supersede the stored one",
            )
            return
        plan.stored[number] = 1
        for kind in LinkType:
            if row[_KEY_OF[kind]]:
                present[kind][number] = frozenset(plan.number(*end) for end in row[_KEY_OF[kind]])
        for kind, column in _INCOMING.items():
            if row[column]:
                incoming[kind].add(number)
        if plan.refers_elsewhere(number, row["about"]):
            self._new_references.add(number)

    async def _stored_edges(self, plan: Plan, kind: LinkType, incoming: set[int]) -> list[tuple[int, int]]:
        """The stored links through which new ones could close a cycle.

        There are none unless a stored snapshot that links lead to gets a new one.
        """
        new = [(source, target) for _, source, target in plan.missing(kind)]
        if not any(source in incoming for source, _ in new):
            return []
        starts = {target for _, target in new if plan.stored[target]}
        return await _reachable(self._graph.read, plan, kind, starts)

    # -- writing ---------------------------------------------------------------------------------------------------

    async def _write_projects(self, plan: Plan, written: Written) -> None:
        names = sorted({plan.names[number][0] for number in plan.defined() if not plan.stored[number]})
        known = {row["name"] for row in await self._graph.read("projects/names", projects=names)}
        written.new_projects = [name for name in names if name not in known]
        if written.new_projects:
            await self._graph.write("interchange/create_projects", names=written.new_projects, now=self._now)

    async def _write_nodes(self, plan: Plan, written: Written) -> None:
        await _pipelined(self._node_batches(plan), lambda batch: self._write_batch(plan, batch, written))

    def _node_batches(self, plan: Plan) -> Iterator[_NodeBatch]:
        roles = [role.value for role in plan.roles()]
        batch = _NodeBatch()
        for item in self._items():
            if isinstance(item, Problem):
                continue
            number = plan.number(item.project, item.id)
            if plan.line[number] != item.line:
                continue
            if plan.to_create(number):
                item.properties["causal_role"] = roles[number]
                batch.records.append(item)
                batch.characters += len(item.properties["content"]) + len(item.properties.get("rationale", ""))
                self._widen_span(item)
            elif number in self._new_references:
                batch.stored.append(item)
            if batch.full:
                yield batch
                batch = _NodeBatch()
        if batch.records or batch.stored:
            yield batch

    def _widen_span(self, record: Record) -> None:
        created = record.created
        first, last = self._span.get(record.project, (created, created))
        self._span[record.project] = min(first, created), max(last, created)

    async def _write_batch(self, plan: Plan, batch: _NodeBatch, written: Written) -> None:
        records = batch.records
        while True:
            try:
                await self._graph.write_in(self._create, records, batch.stored)
                break
            except ConflictError:
                # Somebody else created one of them since the check: an import of the same source at the same time.
                remaining = await self._without_stored(plan, records)
                if len(remaining) == len(records):
                    raise
                records = remaining
        written.created += len(records)
        written.artifacts += sum(len(record.about) for record in (*records, *batch.stored))
        self._advance(len(batch.records))

    async def _create(self, tx: Transaction, records: Sequence[Record], stored: Sequence[Record]) -> None:
        rows: list[Row] = [{"properties": record.properties, **_moment(record.created)} for record in records]
        await tx.run("interchange/create_snapshots", rows=rows, now=self._now, epoch=EPOCH)
        about: dict[tuple[str, str], list[str]] = defaultdict(list)
        for record in (*records, *stored):
            for ref in record.about:
                about[record.project, ref].append(record.id)
        if about:
            rows = [{"project": project, "ref": ref, "ids": ids} for (project, ref), ids in sorted(about.items())]
            await tx.run("interchange/link_about", rows=rows)

    async def _without_stored(self, plan: Plan, records: Sequence[Record]) -> list[Record]:
        found: dict[tuple[str, str], str] = {}
        for project in sorted({record.project for record in records}):
            ids = [record.id for record in records if record.project == project]
            for row in await self._graph.read("interchange/stored", project=project, ids=ids):
                found[project, row["id"]] = row["content"]
        remaining = []
        for record in records:
            content = found.get((record.project, record.id))
            if content is None:
                remaining.append(record)
                continue
            if content != record.properties["content"]:
                raise ConflictError(
                    f"{record.project}::{record.id} was saved with other content while the import ran: "
                    "what was written before it stays; run the import again to see the clash"
                )
            plan.stored[plan.number(record.project, record.id)] = 1
        return remaining

    async def _write_links(self, plan: Plan, written: Written) -> None:
        async def write(batch: _LinkBatch) -> None:
            await self._graph.write_in(self._link, plan, batch)
            written.links += batch.size
            self._advance(batch.size)

        await _pipelined(self._link_batches(plan), write)

    def _link_batches(self, plan: Plan) -> Iterator[_LinkBatch]:
        by_source: dict[int, list[tuple[LinkType, int, int]]] = defaultdict(list)
        for kind in LinkType:
            for position, source, target in plan.missing(kind):
                by_source[source].append((kind, position, target))
        batch = _LinkBatch()
        for source in dict.fromkeys([*self._order, *by_source]):
            for kind, position, target in by_source.pop(source, ()):
                batch.rows[kind].append((source, target, _link_row(plan, kind, position, source, target)))
                batch.size += 1
                if not batch.sources or batch.sources[-1] != source:
                    batch.sources.append(source)
            if batch.size >= LINK_BATCH:
                yield batch
                batch = _LinkBatch()
        if batch.size:
            yield batch

    async def _link(self, tx: Transaction, plan: Plan, batch: _LinkBatch) -> None:
        if await tx.one("snapshots/take_link_lock", now=self._now) is None:
            raise DatabaseError("the lock node of the links is missing: run `wakegraph schema apply`")
        state = {
            plan.number(row["project"], row["id"]): row
            for row in await tx.run("interchange/link_state", keys=_keys(plan, batch.sources))
        }
        for kind, column in _INCOMING.items():
            await _check_again(tx, plan, kind, batch, {number for number, row in state.items() if row[column]})
        held = sorted(
            {
                plan.names[end]
                for kind in (LinkType.CAUSED_BY, LinkType.DEPENDS_ON)
                for source, target, row in batch.rows[kind]
                if row["origin"] != Origin.DETECTED
                for end in (source, target)
                if plan.stored[end]
            }
        )
        if held:
            await tx.run("snapshots/lock_snapshots", keys=[_key(name) for name in held])
            await tx.run("snapshots/mark_stale", keys=[_key(name) for name in held], epoch=EPOCH)
        _mark_primary(batch, {number for number, row in state.items() if row["has_primary"]})
        for kind in LinkType:
            await self._link_rows(tx, kind, [row for _, _, row in batch.rows[kind]])
        foreign = {plan.names[number] for number, row in state.items() if row["has_effects"]}
        touched = sorted(
            foreign
            | {
                plan.names[end]
                for source, target, _ in batch.rows[LinkType.CAUSED_BY]
                for end in (source, target)
                if plan.stored[end]
            }
        )
        if touched:
            await tx.run("snapshots/update_roles", keys=[_key(name) for name in touched])

    async def _link_rows(self, tx: Transaction, kind: LinkType, rows: list[Row]) -> None:
        if not rows:
            return
        rows.sort(key=lambda row: (row["target_project"], row["target"], row["source_project"], row["source"]))
        done = await tx.one(_LINK[kind], rows=rows, now=self._now)
        if done is None or done["matched"] != len(rows):
            raise NotFoundError(
                "a snapshot was deleted while the import ran: what was written before stays; run the import again"
            )

    async def _mend_roles(self, project: str, first: datetime, last: datetime) -> None:
        """Correct the roles that others changed by linking to new snapshots before all of their links were there."""
        while True:
            rows = await self._graph.read(
                "interchange/wrong_roles",
                project=project,
                recorded_at=self._now,
                first=first,
                last=last,
                limit=BATCH_ROWS,
            )
            if not rows:
                return
            await self._graph.write("snapshots/update_roles", keys=sorted(rows, key=lambda row: str(row["id"])))

    def _advance(self, count: int) -> None:
        self._done += count
        self._on_progress(self._done, self._total)


async def _check_again(tx: Transaction, plan: Plan, kind: LinkType, batch: _LinkBatch, incoming: set[int]) -> None:
    """Under the lock: see whether links of snapshots that have incoming ones close a cycle by now."""
    if not any(source in incoming for source, _, _ in batch.rows[kind]):
        return
    new = [(source, target) for source, target, _ in batch.rows[kind]]
    edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for source, target in [*new, *await _reachable(tx.run, plan, kind, {target for _, target in new})]:
        edges[source].append((target, 0))
    cycles = ordered(edges)[1]
    if cycles:
        way = " -> ".join(plan.way(source for source, _ in cycles[0])[:_FEW])
        raise ConflictError(
            f"another writer linked meanwhile so that {_KEY_OF[kind]} would close a cycle ({way}): "
            "what was written before stays; run the import again to see which line it is"
        )


async def _reachable(
    run: Callable[..., Awaitable[list[Row]]], plan: Plan, kind: LinkType, starts: set[int]
) -> list[tuple[int, int]]:
    """The stored links of a type that can be reached from some snapshots, each snapshot expanded once."""
    edges: list[tuple[int, int]] = []
    seen = set(starts)
    frontier = sorted(starts)
    while frontier:
        # Step by step is cheap while the front is wide; a thin one may have thousands of steps before it.
        statement = (_REACH if len(frontier) <= _FEW else _STEP)[kind]
        found: set[int] = set()
        expanded: set[int] = set()
        for part in _parts(frontier, BATCH_ROWS):
            for row in await run(statement, keys=_keys(plan, part)):
                source = plan.number(row["source_project"], row["source"])
                target = plan.number(row["target_project"], row["target"])
                edges.append((source, target))
                expanded.add(source)
                found.add(target)
        if len(frontier) <= _FEW:
            return edges
        frontier = sorted(found - seen)
        seen |= found
    return edges


def _mark_primary(batch: _LinkBatch, led: set[int]) -> None:
    """The first cause of a snapshot that has no primary one becomes it."""
    led = set(led)
    for source, _, row in batch.rows[LinkType.CAUSED_BY]:
        row["primary"] = source not in led
        led.add(source)


def _link_row(plan: Plan, kind: LinkType, position: int, source: int, target: int) -> Row:
    attributes = plan.attributes(kind, position)
    source_project, source_id = plan.names[source]
    target_project, target_id = plan.names[target]
    row: Row = {
        "source_project": source_project,
        "source": source_id,
        "target_project": target_project,
        "target": target_id,
        "origin": attributes.origin.value,
    }
    if attributes.rationale is not None:
        row["rationale"] = attributes.rationale
    if attributes.recorded_at is not None:
        row |= _moment(attributes.recorded_at)
    if attributes.gap_seconds is not None:
        row["gap_seconds"] = attributes.gap_seconds
    return row


def _moment(moment: datetime) -> Row:
    """A time as numbers, which the driver packs about twenty times faster than a time."""
    return {"seconds": (moment - EPOCH) // timedelta(seconds=1), "nanosecond": moment.microsecond * 1000}


def _key(name: tuple[str, str]) -> dict[str, str]:
    return {"project": name[0], "id": name[1]}


def _keys(plan: Plan, numbers: Iterable[int]) -> list[dict[str, str]]:
    return [_key(plan.names[number]) for number in numbers]


def _by_project(plan: Plan, numbers: Iterable[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = defaultdict(list)
    for number in numbers:
        groups[plan.names[number][0]].append(number)
    return groups


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


async def _chunks(items: Iterator[T], size: int) -> AsyncIterator[list[T]]:
    """Read an iterator in a thread, so that the event loop stays free."""
    while chunk := await asyncio.to_thread(lambda: list(islice(items, size))):
        yield chunk


async def _pipelined(batches: Iterator[T], write: Callable[[T], Awaitable[None]]) -> None:
    """Write batches one after the other, preparing the next while one is being written."""
    pending: asyncio.Task[None] | None = None
    try:
        while (batch := await asyncio.to_thread(next, batches, None)) is not None:
            if pending is not None:
                await pending
            pending = asyncio.ensure_future(write(batch))
        if pending is not None:
            await pending
    finally:
        if pending is not None and not pending.done():
            pending.cancel()
            with suppress(asyncio.CancelledError):
                await pending
