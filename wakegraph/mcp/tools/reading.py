"""load_context, get_context, list_projects."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from wakegraph.errors import InvalidInputError
from wakegraph.mcp.budget import DEFAULT, LARGE, clipped, fitting, shares, sliced, weight
from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import (
    About,
    ActionTypeName,
    Author,
    Cursor,
    DetailName,
    Limit,
    Names,
    Project,
    Session,
    Since,
    Tag,
    Until,
)
from wakegraph.mcp.text import block, joined, line_of, named, replaced, with_texts
from wakegraph.mcp.toolkit import Answer, Whole, tool
from wakegraph.mcp.tools.access import count_access
from wakegraph.mcp.wire import FullSnapshot, LinkOut, Moment, ShownSnapshot, full_snapshot, moment, shown_snapshot
from wakegraph.models import Model, SnapshotDetail

__all__ = [
    "Contexts",
    "LoadedContexts",
    "ProjectOut",
    "Projects",
    "get_context",
    "list_projects",
    "load_context",
    "shown_page",
]

WIDTHS = (600, 300, 160, 80, 40, 0)
_PROJECTS = 100
_CONTENT = 12_000
_LINKS = 20


class LoadedContexts(Model):
    project: str
    snapshots: list[ShownSnapshot]
    has_more: bool
    next_cursor: str | None = None
    stale: int | None = None


class Contexts(Model):
    snapshots: list[FullSnapshot]


class ProjectOut(Model):
    project: str
    snapshots: int
    last_activity: Moment | None = None


class Projects(Model):
    projects: list[ProjectOut]
    total: int
    default_project: str | None = None


@tool("Load snapshots", core=True)
async def load_context(
    call: Call,
    project: Project | None = None,
    limit: Limit = 5,
    order: Annotated[
        Literal["recent", "predicted", "least_recently_used"], Field(description="Newest, likeliest or idlest first")
    ] = "recent",
    action_type: Annotated[ActionTypeName | None, Field(description="Of this type")] = None,
    tag: Tag | None = None,
    author: Author | None = None,
    session: Session | None = None,
    about: About | None = None,
    since: Since | None = None,
    until: Until | None = None,
    detail: Annotated[DetailName, Field(description="full: whole texts")] = "preview",
    cursor: Cursor | None = None,
) -> Answer[LoadedContexts]:
    """List a project's snapshots, newest first, filtered. To go on where work stopped use resume_work; to find
    something by words, search_context.
    """
    state = None
    if order == "predicted" and cursor is None:
        state = await call.wake.propagation.bring_up_to_date(project=project, caller=call.caller, now=call.now)
    page = await call.wake.snapshots.list(
        project=project,
        limit=limit,
        order=order,
        action_type=action_type,
        tag=tag,
        author=author,
        session=session,
        about=about,
        since=since,
        until=until,
        cursor=cursor,
        caller=call.caller,
        now=call.now,
    )
    if order != "predicted":
        await count_access(call, ((snapshot.project, snapshot.id) for snapshot in page.snapshots))
    large = detail == "full" or "limit" in call.given

    def build(width: int) -> LoadedContexts:
        return LoadedContexts(
            project=page.project,
            snapshots=shown_page(page.snapshots, detail, width),
            has_more=page.has_more,
            next_cursor=page.next_cursor,
            stale=(state.stale or None) if state else None,
        )

    data = fitting(build, WIDTHS, LARGE if large else DEFAULT)
    found = f"{len(data.snapshots)} snapshots of project {data.project!r}, order {page.order}"
    more = f"There are more: cursor={data.next_cursor}" if data.has_more else None
    lines = [line_of(item) for item in data.snapshots]
    if detail == "full":
        lines = with_texts(lines, [item.content for item in data.snapshots])
    return Answer(data, joined(found, lines, more, state.note if state else None))


def shown_page(snapshots: list[Any], detail: str, width: int) -> list[ShownSnapshot]:
    """Snapshots for a list; with detail `full` their whole texts as far as there is room, else beginnings."""
    if detail != "full":
        return [shown_snapshot(item, clipped(item.content, width), max(width, 40)) for item in snapshots]
    parts = shares([weight(item.content[:LARGE]) for item in snapshots], LARGE - 1_000 * len(snapshots))
    return [
        shown_snapshot(item, sliced(item.content, 0, max(part, 80)), max(width, 40))
        for item, part in zip(snapshots, parts, strict=True)
    ]


@tool("Read snapshots", core=True)
async def get_context(
    call: Call,
    ids: Annotated[Names, Field(min_length=1, max_length=100)],
    project: Project | None = None,
    detail: Annotated[DetailName, Field(description="preview: beginnings only")] = "full",
    content_offset: Annotated[
        Whole, Field(ge=0, le=1_000_000, description="Begin at: nextOffset of the last call")
    ] = 0,
) -> Answer[Contexts]:
    """Read snapshots in full, with their links: causes, dependencies, effects. A long text comes in parts: go on with
    contentOffset.
    """
    details = await call.wake.snapshots.get(ids, project=project, caller=call.caller, now=call.now)
    if content_offset and len(details) > 1:
        raise InvalidInputError("contentOffset goes on in one text: give one id with it")
    if content_offset and content_offset > len(details[0].content):
        raise InvalidInputError(
            f"contentOffset {content_offset} is behind the end: the text has {len(details[0].content)} characters"
        )
    if detail == "full":
        await count_access(call, ((item.project, item.id) for item in details))
    budget = _CONTENT if len(details) <= 10 else 30_000
    shown_at_most = 300 if detail == "preview" else budget
    parts = shares([weight(item.content[content_offset:][:shown_at_most]) for item in details], budget)

    def build(level: tuple[int, int]) -> Contexts:
        width, links = level
        shown = [
            full_snapshot(item, sliced(item.content, content_offset, max(part, 20)), content_offset, width, links)
            for item, part in zip(details, parts, strict=True)
        ]
        return Contexts(snapshots=shown)

    levels = [(2_000, _LINKS), (600, _LINKS), (200, 10), (100, 5), (40, 1)]
    data = fitting(build, levels, DEFAULT - 8_000 if len(details) <= 10 else LARGE)
    return Answer(data, _read_text(data, details))


def _read_text(data: Contexts, details: list[SnapshotDetail]) -> str:
    parts = []
    room = _CONTENT // 2
    for item in data.snapshots:
        links = [f"caused by {_ends(item.caused_by)}"] if item.caused_by else ["no stated cause"]
        if item.depends_on:
            links.append(f"depends on {_ends(item.depends_on)}")
        parts.append(
            f"{named(item.project, item.id, item.author)}, {item.action_type}, {moment(item.created_at)}"
            f"{replaced(item.superseded_by)}; "
            f"{'; '.join(links)}; {item.effect_count} effects"
        )
        if item.content and room > 0 and len(data.snapshots) <= 10:
            text = sliced(item.content, 0, room)
            room -= len(text.encode())
            parts.append(block(text))
        if item.next_offset is not None:
            parts.append(
                f"The text goes on: {item.content_length:,} characters in all; "
                f"get_context(ids=['{item.project}::{item.id}'], contentOffset={item.next_offset})"
            )
    return joined(f"{len(details)} snapshots", parts)


def _ends(links: list[LinkOut]) -> str:
    return ", ".join(f"{link.project}::{link.id}" + (f" ({link.origin})" if link.origin else "") for link in links[:5])


@tool("List projects")
async def list_projects(call: Call) -> Answer[Projects]:
    """List the projects there are, with counts and last activity: to find the right project name before the first
    save or search.
    """
    found = await call.wake.snapshots.projects(caller=call.caller)
    found.sort(
        key=lambda item: (item.last_activity is None, -(item.last_activity or call.now).timestamp(), item.project)
    )
    default = call.wake.settings.project
    shown = [
        ProjectOut(project=item.project, snapshots=item.snapshots, last_activity=item.last_activity)
        for item in found[:_PROJECTS]
    ]
    data = Projects(
        projects=shown,
        total=len(found),
        default_project=default if default is not None and call.caller.may_see(default) else None,
    )
    lines = [f"- {item.project}: {item.snapshots} snapshots" for item in shown]
    return Answer(data, joined(f"{len(found)} projects, last active first", lines, note=False))
