"""The values that cross a boundary: what callers give, what answers hold.

Attribute names are snake_case (Python, command line, JSONL); the wire names of the MCP tools are their camelCase
aliases.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

__all__ = [
    "LOCAL_CALLER",
    "ActionType",
    "AuthorType",
    "Caller",
    "CausalRole",
    "Detail",
    "Direction",
    "Edge",
    "LinkRef",
    "LinkType",
    "MemoryTier",
    "Model",
    "NamedRef",
    "Order",
    "Origin",
    "Profile",
    "SchemaReport",
    "Scope",
    "Snapshot",
    "SnapshotDetail",
    "SnapshotRef",
    "Source",
]


class ActionType(StrEnum):
    """What an author did."""

    CONVERSATION = "conversation"
    DECISION = "decision"
    FILE_EDIT = "file_edit"
    TOOL_USE = "tool_use"
    RESEARCH = "research"


class AuthorType(StrEnum):
    """What kind of author it was."""

    HUMAN = "human"
    AI_AGENT = "ai-agent"
    AI_COMPOSITOR = "ai-compositor"


class Source(StrEnum):
    """Through what a snapshot came."""

    MCP = "mcp"
    CLI = "cli"
    API = "api"
    IMPORT = "import"


class Origin(StrEnum):
    """Who says that a link holds: the caller, the source of an import, an importer that guessed, or detection."""

    STATED = "stated"
    IMPORTED = "imported"
    INFERRED = "inferred"
    DETECTED = "detected"


class LinkType(StrEnum):
    """The relationships between snapshots; each goes from the later to the earlier, from the needing to the needed."""

    CAUSED_BY = "CAUSED_BY"
    DEPENDS_ON = "DEPENDS_ON"
    SUPERSEDES = "SUPERSEDES"


class CausalRole(StrEnum):
    """The place of a snapshot among its causes and effects (`CAUSED_BY` only)."""

    ROOT = "root"
    BRANCH = "branch"
    LINK = "link"
    LEAF = "leaf"
    ISOLATED = "isolated"


class MemoryTier(StrEnum):
    """How long ago a snapshot was last active."""

    ACTIVE = "ACTIVE"
    RECENT = "RECENT"
    ARCHIVED = "ARCHIVED"
    EXPIRED = "EXPIRED"


class Profile(StrEnum):
    """The published formula sets of prediction scores."""

    WAKE = "wake"
    STEPS = "steps"
    ACTIVATION = "activation"


class Order(StrEnum):
    """Orders of a list."""

    RECENT = "recent"
    PREDICTED = "predicted"
    LEAST_RECENTLY_USED = "least_recently_used"


class Detail(StrEnum):
    """How much of each snapshot an answer holds."""

    PREVIEW = "preview"
    FULL = "full"


class Direction(StrEnum):
    """Which way to follow links: back to causes, on to effects."""

    CAUSES = "causes"
    EFFECTS = "effects"
    BOTH = "both"


class Scope(StrEnum):
    """What a caller may do."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what they may do and see.

    Attributes:
        author: the name that answers and writes carry; over HTTP the token's subject.
        scopes: what the caller may do.
        projects: the only projects that exist for this caller; None for all.
        fixed_author: True when `author` may not be overridden by an argument.
    """

    author: str | None = None
    scopes: frozenset[Scope] = field(default_factory=lambda: frozenset(Scope))
    projects: frozenset[str] | None = None
    fixed_author: bool = False

    def may_see(self, project: str) -> bool:
        return self.projects is None or project in self.projects

    def project_list(self) -> list[str] | None:
        """The visible projects as a statement parameter: sorted, or None for all."""
        return None if self.projects is None else sorted(self.projects)


LOCAL_CALLER = Caller()


class Model(BaseModel):
    """Base of all boundary models: immutable, unknown fields refused, camelCase aliases."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


class SnapshotRef(Model):
    """A snapshot named in an answer."""

    id: str
    project: str
    title: str | None = None


class NamedRef(SnapshotRef):
    """A snapshot named in an answer, with what replaces it."""

    superseded_by: list[SnapshotRef] = Field(default=[], description="newer snapshots that replace it")


class LinkRef(NamedRef):
    """One end of a link, as seen from the other end."""

    origin: Origin | None = Field(None, description="absent for SUPERSEDES, which only callers and sources state")
    rationale: str | None = None
    primary: bool | None = Field(None, description="CAUSED_BY only: whether this is the primary cause")
    gap_seconds: float | None = Field(None, description="detected dependencies only")
    recorded_at: datetime


class Edge(Model):
    """A link between two snapshots. `source` is the effect, the dependent or the newer one."""

    type: LinkType
    source: str
    source_project: str
    target: str
    target_project: str
    origin: Origin | None = None
    rationale: str | None = None
    primary: bool | None = None
    gap_seconds: float | None = None
    recorded_at: datetime | None = None


class SchemaReport(Model):
    """The server in use and the schema in its database."""

    uri: str
    server: str = Field(description="name, edition and version")
    version: int | None = Field(description="applied schema, None when there is none")
    wanted: int = Field(description="schema of this wakegraph")
    missing: list[str] = Field(description="constraints and indexes that are not there or not online")
    ok: bool


class Snapshot(Model):
    """A snapshot with its canonical facts and the derived ones (see the graph model in the documentation)."""

    project: str
    id: str
    content: str
    summary: str
    title: str
    tags: list[str]
    action_type: ActionType
    rationale: str | None = None
    author: str | None = None
    author_type: AuthorType | None = None
    session: str | None = None
    source: Source
    metadata_json: str | None = None
    created_at: datetime
    recorded_at: datetime
    last_accessed: datetime | None = None
    access_count: int = 0
    recent_accesses: list[datetime] = []
    recent_accessors: list[str] = Field(
        default=[], description="authors of recent_accesses, position by position; '' where unknown"
    )
    last_activity: datetime
    memory_tier: MemoryTier = Field(description="for the moment of the call")
    causal_role: CausalRole
    temporal_score: float | None = None
    causal_score: float | None = None
    frequency_score: float | None = None
    prediction_score: float | None = None
    prediction_reasons: list[str] = []
    prediction_profile: Profile | None = None
    last_predicted: datetime | None = None
    predicted_next_access: datetime | None = None
    superseded_by: list[SnapshotRef] = Field(default=[], description="newer snapshots that replace this one")

    @property
    def metadata(self) -> dict[str, Any] | None:
        """The caller's JSON object."""
        return None if self.metadata_json is None else json.loads(self.metadata_json)

    @property
    def ref(self) -> str:
        """`project::id`, the name that holds everywhere."""
        return f"{self.project}::{self.id}"


class SnapshotDetail(Snapshot):
    """A snapshot with its links."""

    caused_by: list[LinkRef] = []
    depends_on: list[LinkRef] = []
    supersedes: list[LinkRef] = []
    effects: list[LinkRef] = Field(default=[], description="snapshots caused by this one, oldest first, at most 1,000")
    effect_count: int = 0
    dependents: list[LinkRef] = Field(default=[], description="snapshots that need it, oldest first, at most 1,000")
    dependent_count: int = 0
    about: list[str] = []
    leads_elsewhere: bool = Field(default=False, description="it has links into projects that this answer may not show")
