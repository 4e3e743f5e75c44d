"""Changing and deleting snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph, Transaction
from wakegraph.graph.times import EPOCH
from wakegraph.models import ActionType, Caller, Snapshot, SnapshotRef
from wakegraph.settings import Settings
from wakegraph.snapshots import rules
from wakegraph.snapshots.linking import lock_snapshots
from wakegraph.snapshots.models import DeleteResult
from wakegraph.snapshots.naming import Key, resolve, visible_to
from wakegraph.snapshots.records import refs, snapshot_from_row, thresholds_of

__all__ = ["Changes", "delete", "update"]


@dataclass(frozen=True, slots=True)
class Changes:
    """What to change of a snapshot; None leaves it as it is."""

    summary: str | None = None
    tags: Iterable[str] | None = None
    rationale: str | None = None
    metadata: Mapping[str, Any] | None = None
    action_type: str | None = None


async def update(
    graph: Graph,
    settings: Settings,
    name: str,
    changes: Changes,
    *,
    project: str | None,
    caller: Caller,
    default: str | None,
    now: datetime,
) -> Snapshot:
    """Change the summary, tags, rationale, metadata or action type of a snapshot."""
    properties = _properties(changes)
    key = await resolve(graph.read, name, project=project, default=default, caller=caller)
    row = await graph.write_one("snapshots/update", key=key.row(), changes=properties)
    if row is None:
        raise NotFoundError(f"{key} was deleted meanwhile: nothing was changed")
    newer = await graph.read("snapshots/superseded_by", keys=[key.row()], projects=visible_to(caller, project, key))
    return snapshot_from_row(row["node"], now, thresholds_of(settings), newer[0]["newer"] if newer else ())


def _properties(changes: Changes) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    if changes.summary is not None:
        summary = rules.check_text("summary", changes.summary, rules.SUMMARY_LIMIT)
        if not summary.strip():
            raise InvalidInputError("summary is empty: leave it out to keep the one there is")
        properties |= {"summary": summary, "title": rules.title_of(summary)}
    if changes.tags is not None:
        properties["tags"] = rules.check_names("tags", changes.tags)
    if changes.rationale is not None:
        properties["rationale"] = rules.check_text("rationale", changes.rationale, rules.RATIONALE_LIMIT) or None
    if changes.metadata is not None:
        properties["metadata_json"] = rules.check_metadata(changes.metadata)
    if changes.action_type is not None:
        kind = rules.check_enum("action_type", changes.action_type, ActionType)
        properties |= {"action_type": kind.value, "last_predicted": EPOCH}
    if not properties:
        raise InvalidInputError("nothing to change: give summary, tags, rationale, metadata or actionType")
    return properties


async def delete(
    graph: Graph,
    name: str,
    *,
    project: str | None,
    confirm: bool,
    by: str | None,
    caller: Caller,
    default: str | None,
    now: datetime,
) -> DeleteResult:
    """Delete a snapshot with its links, or say what that would do."""
    key = await resolve(graph.read, name, project=project, default=default, caller=caller)
    if confirm:
        return await graph.write_in(_delete, key, by, visible_to(caller, project, key), now)
    return await graph.read_in(_describe, key, visible_to(caller, project, key))


async def _describe(tx: Transaction, key: Key, projects: list[str] | None) -> DeleteResult:
    return (await _check(tx, key, projects))[0]


async def _check(tx: Transaction, key: Key, projects: list[str] | None) -> tuple[DeleteResult, list[Key], list[Key]]:
    """What a delete would do, the neighbours whose derived facts change, and those that keep another cause."""
    row = await tx.one("snapshots/delete_check", key=key.row(), projects=projects)
    if row is None:
        raise NotFoundError(f"{key} was deleted meanwhile")
    shown = [orphan for orphan in row["orphans"] if projects is None or orphan["project"] in projects]
    reassigned = [Key(**effect) for effect in row["reassigned"]]
    result = DeleteResult(
        snapshot=SnapshotRef(id=key.id, project=key.project, title=row["title"]),
        deleted=False,
        links=row["links"],
        links_elsewhere=row["links_elsewhere"],
        artifacts=row["artifacts"],
        orphans=refs(shown),
        orphans_elsewhere=len(shown) < len(row["orphans"]),
        new_primaries=sum(projects is None or effect.project in projects for effect in reassigned),
    )
    neighbours = [Key(**neighbour) for neighbour in row["neighbours"]]
    return result, sorted(neighbours), sorted(reassigned)


async def _delete(tx: Transaction, key: Key, by: str | None, projects: list[str] | None, now: datetime) -> DeleteResult:
    await lock_snapshots(tx, [key])
    result, neighbours, reassigned = await _check(tx, key, projects)
    await tx.one("snapshots/delete", key=key.row(), now=now, by=by, reason="deleted")
    if neighbours:
        rows = [neighbour.row() for neighbour in neighbours]
        await tx.run("snapshots/promote_causes", keys=[effect.row() for effect in reassigned])
        await tx.run("snapshots/mark_stale", keys=rows, epoch=EPOCH)
        await tx.run("snapshots/update_roles", keys=rows)
    return result.model_copy(update={"deleted": True})
