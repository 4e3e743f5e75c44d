"""What the page draws."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from wakegraph.models import (
    ActionType,
    CausalRole,
    LinkType,
    MemoryTier,
    Model,
    Origin,
    SnapshotDetail,
    SnapshotRef,
)
from wakegraph.propagation.models import ScoreExplanation
from wakegraph.snapshots.models import ProjectInfo

__all__ = ["Picture", "PictureDetail", "PictureHit", "PictureHits", "PictureLink", "PictureNode", "PictureProjects"]


class PictureLink(Model):
    """A link of a node to a cause, a dependency, or what it supersedes. The other end may not be in the picture."""

    type: LinkType
    project: str
    id: str
    origin: Origin | None = None
    primary: bool = False


class PictureNode(Model):
    """A snapshot as it is drawn."""

    id: str
    project: str
    title: str
    action_type: ActionType
    causal_role: CausalRole
    memory_tier: MemoryTier = Field(description="for the moment of the call")
    prediction_score: float | None = None
    created_at: datetime
    author: str | None = None
    links: list[PictureLink] = Field(description="all that leave it and that the caller may see")
    effects: int = Field(description="snapshots caused by it or depending on it, detected dependencies not counted")
    leads_elsewhere: bool = Field(description="it has links into projects that this answer may not show")


class Picture(Model):
    """Some snapshots, oldest first, to be drawn or added to a drawing."""

    focus: SnapshotRef | None = Field(None, description="the snapshot that was asked for")
    project: str = Field(description="the project that was asked for, or that of the focus")
    nodes: list[PictureNode]
    total: int = Field(description="snapshots there are in the project, or around the focus")
    truncated: bool = Field(description="not all of them are here")


class PictureProjects(Model):
    """What can be looked at."""

    projects: list[ProjectInfo]
    default: str | None = Field(None, description="the project to begin with, when there is one")


class PictureDetail(Model):
    """One snapshot in full, and its score taken apart for the moment of the call."""

    snapshot: SnapshotDetail
    score: ScoreExplanation


class PictureHit(Model):
    """A snapshot that a search found."""

    id: str
    project: str
    title: str
    excerpt: str
    causal_role: CausalRole
    created_at: datetime


class PictureHits(Model):
    """Found snapshots, best first."""

    hits: list[PictureHit]
    total: int
