"""What the tools answer, and how a stored snapshot becomes a part of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import Field, PlainSerializer

from wakegraph.mcp.budget import clipped
from wakegraph.models import Edge, LinkRef, Model, Snapshot, SnapshotRef

__all__ = [
    "Brief",
    "EdgeOut",
    "FullSnapshot",
    "LinkOut",
    "Moment",
    "Ref",
    "ShownSnapshot",
    "brief",
    "edges_out",
    "full_snapshot",
    "labels",
    "moment",
    "names_out",
    "shown_snapshot",
]

_TAGS = 10
_REFS = 5


def _rfc3339(value: datetime) -> str:
    text = value.astimezone(UTC).isoformat(timespec="milliseconds" if value.microsecond else "seconds")
    return text.replace("+00:00", "Z")


Moment = Annotated[
    datetime, PlainSerializer(_rfc3339, return_type=str), Field(json_schema_extra={"format": "date-time"})
]


def moment(value: datetime) -> str:
    """A time in a readable text: UTC, to the minute."""
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%MZ")


class Ref(Model):
    id: str
    project: str
    title: str | None = None


class Brief(Model):
    """A snapshot as every answer shows it. `superseded_by` holds `project::id`."""

    id: str
    project: str
    title: str
    action_type: str
    created_at: Moment
    author: str | None = None
    memory_tier: str
    superseded_by: list[str] | None = None


class ShownSnapshot(Brief):
    """A snapshot in a list: what tells it from others, and as much of its text as there is room for."""

    session: str | None = None
    tags: list[str] | None = None
    rationale: str | None = None
    causal_role: str
    content: str | None = None
    truncated: bool


class EdgeOut(Model):
    """A link. Its ends are ids, or `project::id` where they are of another project than the answer."""

    type: str
    source: str
    target: str
    origin: str | None = None
    primary: bool | None = None


class LinkOut(Model):
    """One end of a link, seen from the other."""

    id: str
    project: str
    title: str | None = None
    origin: str | None = None
    primary: bool | None = None
    rationale: str | None = None


class FullSnapshot(ShownSnapshot):
    """A snapshot with its links."""

    content_length: int
    access_count: int
    last_accessed: Moment | None = None
    summary: str
    author_type: str | None = None
    metadata: dict[str, Any] | None = None
    about: list[str] | None = None
    caused_by: list[LinkOut]
    depends_on: list[LinkOut]
    supersedes: list[LinkOut] | None = None
    effects: list[LinkOut]
    effect_count: int
    dependents: list[LinkOut]
    dependent_count: int
    leads_elsewhere: bool | None = None
    next_offset: int | None = None


def names_out(refs: Sequence[SnapshotRef]) -> list[str] | None:
    """The full names of some snapshots: at most five; None when there are none."""
    return [f"{ref.project}::{ref.id}" for ref in refs[:_REFS]] or None


def brief(snapshot: Snapshot, width: int = 80) -> dict[str, Any]:
    """The fields of `Brief`; the title is cut to `width` characters."""
    return {
        "id": snapshot.id,
        "project": snapshot.project,
        "title": clipped(snapshot.title, max(width, 20)),
        "action_type": snapshot.action_type,
        "created_at": snapshot.created_at,
        "author": snapshot.author,
        "memory_tier": snapshot.memory_tier,
        "superseded_by": names_out(snapshot.superseded_by),
    }


def labels(tags: Sequence[str], width: int) -> list[str] | None:
    """The first ten tags, each cut; None when there are none."""
    return [clipped(tag, max(20, width // 4)) for tag in tags[:_TAGS]] or None


def common(snapshot: Snapshot, width: int) -> dict[str, Any]:
    """The fields of `ShownSnapshot` but for the content; texts are cut to `width` characters."""
    return {
        **brief(snapshot, width),
        "session": snapshot.session,
        "tags": labels(snapshot.tags, width),
        "rationale": None if snapshot.rationale is None else clipped(snapshot.rationale, width),
        "causal_role": snapshot.causal_role,
    }


def shown_snapshot(snapshot: Snapshot, content: str | None, width: int) -> ShownSnapshot:
    """A snapshot for a list.

    Args:
        snapshot: the snapshot.
        content: the part of its content to show; None for none.
        width: characters of its other texts.
    """
    return ShownSnapshot(
        **common(snapshot, width), content=content, truncated=content is None or len(content) < len(snapshot.content)
    )


def full_snapshot(snapshot: Any, content: str, offset: int, width: int, links: int) -> FullSnapshot:
    """A snapshot with its links for `get_context`.

    Args:
        snapshot: the snapshot with its links.
        content: the part of its content from `offset` on.
        offset: where that part begins.
        width: characters of its other texts.
        links: links of each kind at the most.
    """
    end = offset + len(content)
    metadata = snapshot.metadata
    return FullSnapshot(
        **common(snapshot, width),
        content=content,
        truncated=bool(offset) or end < len(snapshot.content),
        content_length=len(snapshot.content),
        access_count=snapshot.access_count,
        last_accessed=snapshot.last_accessed,
        summary=clipped(snapshot.summary, width),
        author_type=snapshot.author_type,
        metadata=metadata if metadata is None or len(json.dumps(metadata)) <= 4 * width else {"truncated": True},
        about=[clipped(ref, width) for ref in snapshot.about[:20]] or None,
        caused_by=_links(snapshot.caused_by, width, links),
        depends_on=_links(snapshot.depends_on, width, links),
        supersedes=_links(snapshot.supersedes, width, links) or None,
        effects=_links(snapshot.effects, width, links),
        effect_count=snapshot.effect_count,
        dependents=_links(snapshot.dependents, width, links),
        dependent_count=snapshot.dependent_count,
        leads_elsewhere=snapshot.leads_elsewhere or None,
        next_offset=end if end < len(snapshot.content) else None,
    )


def _links(links: Iterable[LinkRef], width: int, count: int) -> list[LinkOut]:
    return [
        LinkOut(
            id=link.id,
            project=link.project,
            title=link.title,
            origin=link.origin,
            primary=link.primary,
            rationale=None if link.rationale is None else clipped(link.rationale, min(width, 200)),
        )
        for link in list(links)[:count]
    ]


def edges_out(edges: Iterable[Edge], project: str) -> list[EdgeOut]:
    """Links for an answer about `project`."""

    def name(end: str, home: str) -> str:
        return end if home == project else f"{home}::{end}"

    return [
        EdgeOut(
            type=edge.type,
            source=name(edge.source, edge.source_project),
            target=name(edge.target, edge.target_project),
            origin=edge.origin,
            primary=edge.primary,
        )
        for edge in edges
    ]
