"""Answers of layer 2."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from wakegraph.models import LinkType, MemoryTier, Model, SnapshotRef

__all__ = ["DatedRef", "Kept", "MemoryStats", "PruneResult", "TierChange", "TierCounts", "TierRecalculation"]


class TierCounts(Model):
    """Snapshots by tier."""

    active: int
    recent: int
    archived: int
    expired: int


class DatedRef(SnapshotRef):
    """A snapshot named with its time of creation."""

    created_at: datetime


class MemoryStats(Model):
    """How relevant the snapshots of a project are, over all of them."""

    project: str
    as_of: datetime
    total: int
    tiers: TierCounts = Field(description="for the moment of the call")
    oldest: DatedRef | None = None
    newest: DatedRef | None = None
    never_accessed: int


class TierChange(Model):
    """How many snapshots went from one tier to another."""

    from_tier: MemoryTier | None = Field(description="None where no tier was stored")
    to_tier: MemoryTier
    snapshots: int


class TierRecalculation(Model):
    """What bringing the stored tiers up to date changed."""

    project: str | None = Field(description="None when it was asked for all projects")
    as_of: datetime
    projects: int
    changed: int
    changes: list[TierChange]


class Kept(SnapshotRef):
    """An expired snapshot that stays, and why."""

    reason: str
    needed_by: SnapshotRef | None = Field(None, description="a kept snapshot that needs it")
    link: LinkType | None = Field(None, description="how that one needs it; None where it is not shown")


class PruneResult(Model):
    """What a prune removed, or would remove."""

    project: str | None = Field(description="None when it was asked for all projects")
    as_of: datetime
    dry_run: bool
    expired: int = Field(description="snapshots without activity for long enough")
    pruned: list[SnapshotRef] = Field(description="removed, or in a dry run to be removed; longest unused first")
    pruned_count: int
    remaining: int = Field(description="more that could go, beyond the limit")
    kept_count: int = Field(description="expired ones that stay because something kept needs them")
    kept: list[Kept] = Field(description="the first of them, longest unused first")
