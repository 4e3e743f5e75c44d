"""Answers about snapshots."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from wakegraph.causality.models import SuggestedCause
from wakegraph.models import CausalRole, Edge, MemoryTier, Model, Order, Snapshot, SnapshotRef

__all__ = [
    "DeleteResult",
    "LinkChange",
    "LinkResult",
    "NodeRole",
    "ProjectInfo",
    "SaveResult",
    "SearchHit",
    "SearchPage",
    "SnapshotPage",
    "TierWeights",
]


class SaveResult(Model):
    """What a save did. It is committed when this is returned."""

    snapshot: Snapshot
    links: list[Edge] = Field(description="links made as asked for")
    detected: list[Edge] = Field(description="dependencies detected: they only say 'saved soon after'")
    about: list[str] = []
    suggested_causes: list[SuggestedCause] = Field(
        default=[], description="likely causes when none was stated; never linked by themselves"
    )
    already_saved: bool = Field(default=False, description="the snapshot was there already; nothing was changed")
    new_project: bool = Field(default=False, description="this save created the project")
    similar_projects: list[str] = Field(default=[], description="for a new project: names that look like it")
    notes: list[str] = Field(
        default=[], description="what was taken for granted, such as UTC for a time with no offset"
    )


class LinkChange(Model):
    """One link of a request and what became of it."""

    edge: Edge
    change: Literal["created", "unchanged", "updated", "removed"]


class NodeRole(Model):
    """The causal role of a snapshot after a change of its links."""

    id: str
    project: str
    causal_role: CausalRole


class LinkResult(Model):
    """What became of the links asked for, and the roles of all ends."""

    id: str
    project: str
    links: list[LinkChange]
    new_primary: SnapshotRef | None = Field(None, description="the cause that is primary now, when that changed")
    roles: list[NodeRole]


class SnapshotPage(Model):
    """A page of snapshots in a stable order."""

    project: str
    order: Order
    snapshots: list[Snapshot]
    has_more: bool
    next_cursor: str | None = None


class TierWeights(Model):
    """What the relevance of a hit is multiplied by, by its memory tier."""

    active: float
    recent: float
    archived: float
    expired: float

    def by_tier(self) -> dict[str, float]:
        """The weights by the names of the tiers."""
        return {tier.value: getattr(self, tier.value.lower()) for tier in MemoryTier}


class SearchHit(Model):
    """A snapshot that a search found."""

    snapshot: Snapshot
    relevance: float = Field(description="BM25 score of the full-text index; comparable within one answer only")
    tier_weight: float
    score: float = Field(description="relevance times tier weight, by which hits are ranked")
    excerpt: str = Field(description="the part that matched, about 300 characters")

    @property
    def superseded_by(self) -> list[SnapshotRef]:
        """Newer snapshots that replace this one; such hits rank last."""
        return self.snapshot.superseded_by


class SearchPage(Model):
    """A page of hits, best first; what was superseded comes last."""

    query: str
    hits: list[SearchHit]
    total: int = Field(description="snapshots found that pass the filters")
    total_is_exact: bool = Field(description="False: there are at least `total`; the rest did not need to be counted")
    has_more: bool
    next_cursor: str | None = None
    tier_weights: TierWeights
    notes: list[str] = Field(default=[], description="what of the query was left out")


class DeleteResult(Model):
    """What a delete did, or would do."""

    snapshot: SnapshotRef
    deleted: bool = Field(description="False for a dry run: nothing was changed")
    links: int = Field(description="links to other snapshots that were, or would be, removed")
    links_elsewhere: bool = Field(
        default=False, description="links to snapshots that this answer may not show go too, and are not counted"
    )
    artifacts: int = Field(description="references that nothing else is about, removed with it")
    orphans: list[SnapshotRef] = Field(description="snapshots that lose their only cause")
    orphans_elsewhere: bool = Field(
        default=False, description="snapshots of projects that this answer may not show lose their only cause too"
    )
    new_primaries: int = Field(description="snapshots whose oldest remaining cause becomes primary")


class ProjectInfo(Model):
    """A project and how much it holds."""

    project: str
    snapshots: int
    last_activity: datetime | None = None
    created_at: datetime | None = None
