"""Snapshots as the database holds them, made into models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from wakegraph.graph.times import EPOCH, from_microseconds
from wakegraph.memory.tiers import TierThresholds, tier_of
from wakegraph.models import Edge, LinkRef, LinkType, NamedRef, Snapshot, SnapshotDetail, SnapshotRef
from wakegraph.settings import Settings

__all__ = [
    "detail_from_row",
    "edge",
    "named_refs",
    "refs",
    "snapshot_from_row",
    "sorted_refs",
    "thresholds_of",
]

_FIELDS = frozenset(Snapshot.model_fields) - {"superseded_by"}


def thresholds_of(settings: Settings) -> TierThresholds:
    """The tier thresholds of an installation."""
    return TierThresholds(settings.tier_active_hours, settings.tier_recent_hours, settings.tier_archived_hours)


def refs(rows: Iterable[Mapping[str, Any]] | None) -> list[SnapshotRef]:
    """References from rows with `id`, `project` and `title`."""
    return [SnapshotRef(id=row["id"], project=row["project"], title=row.get("title")) for row in rows or ()]


def sorted_refs(rows: Iterable[Mapping[str, Any]]) -> list[SnapshotRef]:
    """References from rows that come in no order."""
    return sorted(refs(rows), key=lambda ref: (ref.project, ref.id))


def named_refs(rows: Iterable[Mapping[str, Any]]) -> list[NamedRef]:
    """References with what replaces them, from rows with `id`, `project`, `title` and `superseded_by`."""
    return [NamedRef(**{**row, "superseded_by": sorted_refs(row["superseded_by"])}) for row in rows]


def _values(node: Mapping[str, Any], now: datetime, thresholds: TierThresholds) -> dict[str, Any]:
    values = {name: value for name, value in node.items() if name in _FIELDS}
    # The stored tier is as old as its last refresh; a caller gets the one of the moment of the call.
    values["memory_tier"] = tier_of(node["created_at"], node.get("last_accessed"), now, thresholds)
    values["recent_accesses"] = [from_microseconds(moment) for moment in values.get("recent_accesses") or ()]
    if values.get("last_predicted") == EPOCH:
        del values["last_predicted"]
    return values


def snapshot_from_row(
    node: Mapping[str, Any],
    now: datetime,
    thresholds: TierThresholds,
    superseded_by: Iterable[Mapping[str, Any]] | None = None,
) -> Snapshot:
    """The model of one snapshot node.

    Args:
        node: the properties of the node, times as UTC datetimes, those of `recent_accesses` as microseconds since 1970.
        now: the moment for which its tier holds.
        thresholds: hours that divide the tiers.
        superseded_by: rows (`id`, `project`, `title`) of the newer snapshots that replace it.
    """
    return Snapshot(**_values(node, now, thresholds), superseded_by=refs(superseded_by))


def detail_from_row(row: Mapping[str, Any], now: datetime, thresholds: TierThresholds) -> SnapshotDetail:
    """The model of one snapshot with its links, from a row of `snapshots/get`."""
    parts = {part["kind"]: part["links"] for part in row["parts"]}
    links = {
        name: [LinkRef(**{**link, "superseded_by": sorted_refs(link["superseded_by"])}) for link in parts[name]]
        for name in ("caused_by", "depends_on", "supersedes", "effects", "dependents")
    }
    return SnapshotDetail(
        **_values(row["node"], now, thresholds),
        **links,
        about=parts["about"],
        effect_count=row["effect_count"],
        dependent_count=row["dependent_count"],
        leads_elsewhere=row["leads_elsewhere"],
        superseded_by=refs(parts["superseded_by"]),
    )


def edge(kind: str, source: Mapping[str, Any], target: Mapping[str, Any], properties: Mapping[str, Any]) -> Edge:
    """A link from rows of its ends and its properties."""
    return Edge(
        type=LinkType(kind),
        source=source["id"],
        source_project=source["project"],
        target=target["id"],
        target_project=target["project"],
        origin=properties.get("origin"),
        rationale=properties.get("rationale"),
        primary=properties.get("primary"),
        gap_seconds=properties.get("gap_seconds"),
        recorded_at=properties.get("recorded_at"),
    )
