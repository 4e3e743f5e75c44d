"""Links between snapshots that exist: made, removed, made primary; never a cycle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from wakegraph.errors import ConflictError, DatabaseError, InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph, Row, Transaction
from wakegraph.graph.times import EPOCH
from wakegraph.models import Caller, LinkType
from wakegraph.snapshots import rules
from wakegraph.snapshots.models import LinkChange, LinkResult, NodeRole
from wakegraph.snapshots.naming import Key, resolve, shown_way, visible_to
from wakegraph.snapshots.records import edge, refs
from wakegraph.snapshots.saving import named_ends, target_keys

__all__ = ["LinkRequest", "link", "lock_snapshots", "take_link_lock"]

_CYCLE_CHECKS = {
    LinkType.CAUSED_BY: ("snapshots/causal_path", "cause"),
    LinkType.SUPERSEDES: ("snapshots/superseding_path", "supersede"),
}
_LINK = {
    LinkType.CAUSED_BY: "snapshots/link_caused_by",
    LinkType.DEPENDS_ON: "snapshots/link_depends_on",
    LinkType.SUPERSEDES: "snapshots/link_supersedes",
}
_UNLINK = {
    LinkType.CAUSED_BY: "snapshots/unlink_caused_by",
    LinkType.DEPENDS_ON: "snapshots/unlink_depends_on",
    LinkType.SUPERSEDES: "snapshots/unlink_supersedes",
}
_SHOWN_STEPS = 12


@dataclass(frozen=True, slots=True)
class LinkRequest:
    """Which links of a snapshot to make or remove. See `Snapshots.link` for the meaning of each."""

    id: str
    project: str | None = None
    caused_by: Sequence[str] = ()
    depends_on: Sequence[str] = ()
    supersedes: Sequence[str] = ()
    rationale: str | None = None
    primary: bool = False
    remove: bool = False
    cross_project: bool = False


@dataclass(frozen=True, slots=True)
class _Work:
    source: Key
    targets: dict[LinkType, list[Key]]
    rationale: str | None
    primary: bool
    shown: list[str] | None

    @property
    def keys(self) -> list[Key]:
        return sorted({self.source, *(key for keys in self.targets.values() for key in keys)})


async def link(graph: Graph, request: LinkRequest, *, caller: Caller, default: str | None, now: datetime) -> LinkResult:
    """Make or remove links in one transaction: all of them or none."""
    asked = named_ends(request.caused_by, request.depends_on, request.supersedes)
    if not any(asked.values()):
        raise InvalidInputError("no link was named: give causedBy, dependsOn or supersedes")
    if request.primary and (request.remove or len(asked[LinkType.CAUSED_BY]) != 1):
        raise InvalidInputError("primary makes one cause the primary one: give exactly one causedBy, and not remove")
    rationale = request.rationale and rules.check_text("rationale", request.rationale, rules.RATIONALE_LIMIT)
    source = await resolve(graph.read, request.id, project=request.project, default=default, caller=caller)
    # A link that is there may be removed whichever projects it joins: leave is needed to make one.
    crossing = request.cross_project or request.remove
    targets = {
        kind: await target_keys(graph, names, source, crossing, caller, kind.value.lower())
        for kind, names in asked.items()
        if names
    }
    ends = [key for keys in targets.values() for key in keys]
    shown = visible_to(caller, request.project, source, *ends)
    work = _Work(source, targets, rationale or None, request.primary, shown)
    return await graph.write_in(_remove if request.remove else _make, work, now)


async def take_link_lock(tx: Transaction, now: datetime) -> None:
    """Wait until no other transaction may change causal links between existing snapshots.

    Raises:
        DatabaseError: the lock node is missing, so nothing can be serialised.
    """
    if await tx.one("snapshots/take_link_lock", now=now) is None:
        raise DatabaseError(
            "the lock node (:WakegraphLock {name: 'links'}) is missing, nothing was written: "
            "run `wakegraph schema apply`"
        )


async def lock_snapshots(tx: Transaction, keys: Sequence[Key]) -> dict[Key, Row]:
    """Hold snapshots until the end of the transaction, in key order so that two holders cannot deadlock.

    Raises:
        NotFoundError: one of them was deleted meanwhile.
    """
    rows = await tx.run("snapshots/lock_snapshots", keys=[key.row() for key in sorted(keys)])
    held = {Key(row["project"], row["id"]): row for row in rows}
    gone = sorted(set(keys) - held.keys())
    if gone:
        raise NotFoundError(f"{', '.join(map(str, gone))} was deleted meanwhile: nothing was written; look it up again")
    return held


async def _make(tx: Transaction, work: _Work, now: datetime) -> LinkResult:
    if work.targets.keys() & _CYCLE_CHECKS.keys():
        await take_link_lock(tx, now)
    await lock_snapshots(tx, work.keys)
    changes = []
    for kind, keys in work.targets.items():
        await _refuse_cycles(tx, work, kind, keys)
        rows = await tx.run(
            _LINK[kind],
            source=work.source.row(),
            targets=[key.row() for key in keys],
            rationale=work.rationale,
            now=now,
        )
        changes += [_change(work.source, kind, row, row["change"]) for row in rows]
    primary = None
    if work.primary:
        target = work.targets[LinkType.CAUSED_BY][0]
        primary = await tx.one("snapshots/make_primary", source=work.source.row(), target=target.row())
        changes = [_as_primary(change) if change.edge.type is LinkType.CAUSED_BY else change for change in changes]
    return await _result(tx, work, changes, primary)


async def _remove(tx: Transaction, work: _Work, now: datetime) -> LinkResult:  # noqa: ARG001  same form as _make
    await lock_snapshots(tx, work.keys)
    changes = []
    for kind, keys in work.targets.items():
        rows = await tx.run(_UNLINK[kind], source=work.source.row(), targets=[key.row() for key in keys])
        absent = set(keys) - {Key(row["project"], row["id"]) for row in rows}
        if absent:
            listed = ", ".join(map(str, sorted(absent)))
            raise NotFoundError(f"{work.source} has no {kind.value} link to {listed}: nothing was removed")
        changes += [_change(work.source, kind, row, "removed") for row in rows]
    promoted = await tx.one("snapshots/promote_causes", keys=[work.source.row()])
    return await _result(tx, work, changes, promoted)


async def _refuse_cycles(tx: Transaction, work: _Work, kind: LinkType, keys: Sequence[Key]) -> None:
    if kind not in _CYCLE_CHECKS:
        return
    statement, verb = _CYCLE_CHECKS[kind]
    for key in keys:
        found = await tx.one(statement, **{"from": key.row(), "to": work.source.row()})
        if found:
            steps = shown_way([Key(**step) for step in found["path"]], work.shown)
            if len(steps) > _SHOWN_STEPS:
                steps = [*steps[: _SHOWN_STEPS // 2], f"... {len(steps) - _SHOWN_STEPS} more ...", *steps[-6:]]
            raise ConflictError(
                f"{work.source} cannot have {key} as its {kind.value} target: it would {verb} itself, because there is "
                f"already {' -> '.join(steps)}; nothing was linked"
            )


def _change(source: Key, kind: LinkType, row: Row, change: str) -> LinkChange:
    return LinkChange(edge=edge(kind, source.row(), row, row["properties"]), change=change)


def _as_primary(change: LinkChange) -> LinkChange:
    if change.edge.primary:
        return change
    updated = change.edge.model_copy(update={"primary": True})
    return LinkChange(edge=updated, change="created" if change.change == "created" else "updated")


async def _result(tx: Transaction, work: _Work, changes: list[LinkChange], primary: Row | None) -> LinkResult:
    keys = [key.row() for key in work.keys]
    if any(change.change != "unchanged" for change in changes):
        await tx.run("snapshots/mark_stale", keys=keys, epoch=EPOCH)
    roles = await tx.run("snapshots/update_roles", keys=keys)
    return LinkResult(
        id=work.source.id,
        project=work.source.project,
        links=changes,
        new_primary=refs([primary])[0] if primary else None,
        roles=[NodeRole(**row) for row in roles],
    )
