"""Answers of layer 1: why something exists, and what follows from it."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from wakegraph.models import (
    ActionType,
    CausalRole,
    Direction,
    Edge,
    LinkType,
    MemoryTier,
    Model,
    NamedRef,
    Origin,
    SnapshotRef,
)

__all__ = [
    "ActionTypeCounts",
    "CausalChain",
    "CausalityStats",
    "ChainGap",
    "ChainLink",
    "ChainStep",
    "GraphNode",
    "Group",
    "PrimaryFault",
    "Reasoning",
    "ReasoningLink",
    "ReasoningRoot",
    "RoleCounts",
    "Subgraph",
    "SuggestedCause",
    "TimeInversion",
    "ValidationReport",
    "WhyAbout",
]


class SuggestedCause(NamedRef):
    """A snapshot that may be a cause of another one. It is not linked."""

    title: str
    why: list[str] = Field(description="what speaks for it, such as 'same session'")
    score: float = Field(description="0 to 1; only good for comparing suggestions of one answer")


class ChainLink(Model):
    """How a step is linked to its cause, which is the step before it."""

    origin: Origin
    rationale: str | None = None
    primary: bool = True


class ChainStep(Model):
    """One snapshot of a chain."""

    id: str
    project: str
    depth: int = Field(description="steps from the root, which has 0")
    title: str
    summary: str
    action_type: ActionType
    rationale: str | None = None
    timestamp: datetime = Field(description="created_at")
    role: CausalRole
    author: str | None = None
    link: ChainLink | None = Field(None, description="to the cause one step nearer to the root; absent at the root")
    superseded_by: list[SnapshotRef] = Field(default=[])
    leads_elsewhere: bool = Field(
        default=False, description="it has a cause in a project that this answer may not show"
    )


class ChainGap(Model):
    """Steps that exist and were left out: those with a depth from `from_depth` to `to_depth`."""

    from_depth: int
    to_depth: int
    count: int


class CausalChain(Model):
    """The primary causes of a snapshot: the root first, the asked snapshot last."""

    id: str
    project: str
    steps: list[ChainStep]
    length: int = Field(description="snapshots of the whole chain, also when not all are listed")
    other_causes: int = Field(description="further causes of the steps that are not steps themselves")
    distinct_roots: int = Field(description="snapshots without a visible cause among all causes, direct and indirect")
    gap: ChainGap | None = Field(None, description="what was left out, between the root and the nearest")
    next_cursor: str | None = Field(None, description="goes on into the gap, nearest first")
    irregular: bool = Field(
        default=False, description="the stored links branch or form a cycle, which validation reports"
    )


class GraphNode(Model):
    """One snapshot of a subgraph."""

    id: str
    project: str
    distance: int = Field(description="fewest links to the asked snapshot, which has 0")
    title: str
    summary: str
    action_type: ActionType
    causal_role: CausalRole
    memory_tier: MemoryTier = Field(description="for the moment of the call")
    prediction_score: float | None = None
    created_at: datetime
    author: str | None = None
    superseded_by: list[SnapshotRef] = Field(default=[])
    leads_elsewhere: bool = Field(default=False, description="it goes on in a project that this answer may not show")


class Subgraph(Model):
    """The snapshots around one, nearest first, and the links between those listed."""

    id: str
    project: str
    direction: Direction
    include_detected: bool
    nodes: list[GraphNode]
    edges: list[Edge]
    truncated: bool = Field(description="there is more than listed: raise depth or limit")
    total: int = Field(description="snapshots there are within sight, the asked one included")


class ReasoningLink(Model):
    """A cause or a dependency as an answer to 'why'."""

    id: str
    project: str
    title: str
    type: LinkType
    origin: Origin
    primary: bool = False
    rationale: str | None = Field(None, description="why the link was made, in the words of who made it")
    action_type: ActionType
    author: str | None = None
    created_at: datetime
    own_rationale: str | None = Field(None, description="why that snapshot exists, in its author's words")
    superseded_by: list[SnapshotRef] = Field(default=[])


class ReasoningRoot(NamedRef):
    """Where the primary causes of a snapshot begin."""

    action_type: ActionType
    author: str | None = None
    created_at: datetime
    own_rationale: str | None = None


class Reasoning(Model):
    """Why a snapshot exists: as a text, and as the facts the text is made of."""

    id: str
    project: str
    text: str = Field(description="quoted parts are stored data and name their author")
    title: str
    summary: str
    action_type: ActionType
    rationale: str | None = None
    author: str | None = None
    created_at: datetime
    role: CausalRole
    causes: list[ReasoningLink] = Field(description="the primary one first")
    dependencies: list[ReasoningLink]
    root: ReasoningRoot | None = Field(
        None, description="where the primary causes begin; absent when it is the asked one"
    )
    chain_length: int
    supersedes: list[SnapshotRef] = Field(default=[])
    superseded_by: list[SnapshotRef] = Field(default=[])
    leads_elsewhere: bool = False
    left_out: int = Field(default=0, description="further causes and dependencies that are not listed")
    about: str | None = Field(None, description="the reference that was asked about")
    also_about: list[NamedRef] = Field(default=[], description="older snapshots about the same reference")


class WhyAbout(Model):
    """The newest snapshots about a path or another reference, each with its chain."""

    ref: str
    project: str
    total: int = Field(description="snapshots about it, also when not all are listed")
    chains: list[CausalChain] = Field(description="newest snapshot first")


class TimeInversion(Model):
    """A cause that is dated after its effect."""

    effect: str
    cause: str
    seconds: float = Field(description="how much later the cause is dated")


class Group(Model):
    """Snapshots of which each leads to each other."""

    size: int
    ids: list[str] = Field(description="in order, the first ones when there are many")


class PrimaryFault(Model):
    """A snapshot with causes of which not exactly one is primary."""

    id: str
    causes: int
    primaries: int


class ValidationReport(Model):
    """What is odd in a project. Lists hold the first findings, in order; totals count all."""

    project: str
    snapshots: int
    ok: bool = Field(description="no finding that contradicts the rules: no cycle, exactly one primary cause")
    time_inversions: list[TimeInversion]
    time_inversions_total: int
    dependency_groups: list[Group] = Field(description="snapshots that depend on each other; that is allowed")
    dependency_groups_total: int
    unlinked: list[str] = Field(description="snapshots without any link")
    unlinked_total: int
    primary_faults: list[PrimaryFault]
    primary_faults_total: int
    causal_cycles: list[Group]
    causal_cycles_total: int


class ActionTypeCounts(Model):
    """Snapshots by action type."""

    conversation: int = 0
    decision: int = 0
    file_edit: int = 0
    tool_use: int = 0
    research: int = 0


class RoleCounts(Model):
    """Snapshots by causal role."""

    root: int = 0
    branch: int = 0
    link: int = 0
    leaf: int = 0
    isolated: int = 0


class CausalityStats(Model):
    """Figures over a whole project, never a sample."""

    project: str
    snapshots: int
    by_action_type: ActionTypeCounts
    by_role: RoleCounts
    with_causes: int
    roots: int
    leaves: int
    mean_chain_length: float = Field(description="snapshots on the primary chain that ends in a leaf, over all leaves")
    max_chain_length: int
    stated_dependencies: int = Field(description="all that were not detected")
    detected_dependencies: int
