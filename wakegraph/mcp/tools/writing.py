"""save_context, link_contexts, update_context, delete_context."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wakegraph.mcp.budget import clipped, fitting
from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import ActionTypeName, Names, Project, SnapshotName
from wakegraph.mcp.text import joined, named, quoted, replaced
from wakegraph.mcp.toolkit import Answer, Object, Texts, tool
from wakegraph.mcp.wire import Brief, EdgeOut, Ref, brief, edges_out, names_out
from wakegraph.models import Model, Scope
from wakegraph.snapshots.models import SaveResult

__all__ = [
    "Deleted",
    "Linked",
    "Saved",
    "Updated",
    "delete_context",
    "link_contexts",
    "save_context",
    "update_context",
]

_EDGES = (200, 50, 20)


class Suggestion(Model):
    id: str
    project: str
    title: str
    why: str
    superseded_by: list[str] | None = None


class SavedSnapshot(Brief):
    causal_role: str


class Saved(Model):
    snapshot: SavedSnapshot
    links: list[EdgeOut]
    detected: list[EdgeOut]
    suggested_causes: list[Suggestion]
    already_saved: bool
    new_project: bool
    similar_projects: list[str]
    notes: list[str]


class ChangeOut(EdgeOut):
    change: str


class RoleOut(Model):
    name: str
    causal_role: str


class Linked(Model):
    id: str
    project: str
    links: list[ChangeOut]
    roles: list[RoleOut]
    new_primary: str | None = None


class Updated(Model):
    snapshot: SavedSnapshot


class Deleted(Model):
    snapshot: Ref
    deleted: bool
    links: int
    orphans: list[str]
    orphan_count: int
    orphans_elsewhere: bool


@tool("Save a snapshot", scope=Scope.WRITE, writes=True, core=True)
async def save_context(
    call: Call,
    content: Annotated[str, Field(description="What was decided, done or found")],
    project: Project | None = None,
    id: Annotated[str | None, Field(description="Your id for it; default: generated")] = None,  # noqa: A002
    summary: Annotated[str | None, Field(description="Default: beginning of content")] = None,
    tags: Annotated[Texts, Field(description="Labels to filter by")] = [],  # noqa: B006  pydantic copies defaults
    action_type: Annotated[ActionTypeName, Field(description="What it is")] = "conversation",
    rationale: Annotated[str | None, Field(description="Why it was done")] = None,
    caused_by: Annotated[Names, Field(description="Ids of its causes, primary first")] = [],  # noqa: B006
    depends_on: Annotated[Names, Field(description="Ids that must hold for it")] = [],  # noqa: B006
    supersedes: Annotated[Names, Field(description="Ids it replaces")] = [],  # noqa: B006
    about: Annotated[Texts, Field(description="Paths, symbols, URLs")] = [],  # noqa: B006
    author: Annotated[str | None, Field(description="Default: you")] = None,
    author_type: Annotated[
        Literal["human", "ai-agent", "ai-compositor"] | None, Field(description="Kind of author")
    ] = None,
    session: Annotated[str | None, Field(description="Your name for this sitting")] = None,
    source: Annotated[Literal["mcp", "cli", "api", "import"], Field(description="Through what it came")] = "mcp",
    metadata: Annotated[Object | None, Field(description="Any JSON object")] = None,
    created_at: Annotated[str | None, Field(description="ISO 8601; default: now")] = None,
    cross_project: Annotated[bool, Field(description="Allow links into other projects")] = False,
    detect_dependencies: Annotated[bool, Field(description="Note what was saved in the hour before")] = True,
) -> Answer[Saved]:
    """Save a decision, edit or finding that a later reader needs. Give rationale and causedBy whenever you know them;
    supersede what was wrong. Saving the same again is safe.
    """
    result = await call.wake.snapshots.save(
        content,
        project=project,
        id=id,
        summary=summary,
        tags=tags,
        action_type=action_type,
        rationale=rationale,
        caused_by=caused_by,
        depends_on=depends_on,
        supersedes=supersedes,
        about=about,
        author=author,
        author_type=author_type,
        session=session,
        source=source,
        metadata=metadata,
        created_at=created_at,
        cross_project=cross_project,
        detect_dependencies=detect_dependencies,
        caller=call.caller,
        now=call.now,
    )
    sees = Scope.READ in call.caller.scopes

    def build(count: int) -> Saved:
        home = result.snapshot.project
        return Saved(
            snapshot=SavedSnapshot(**brief(result.snapshot), causal_role=result.snapshot.causal_role),
            links=edges_out(result.links[:count], home),
            detected=edges_out(result.detected[:count], home),
            suggested_causes=[
                Suggestion(
                    id=item.id,
                    project=item.project,
                    title=item.title,
                    why=clipped(", ".join(item.why), 200),
                    superseded_by=names_out(item.superseded_by),
                )
                for item in (result.suggested_causes if sees else [])
            ],
            already_saved=result.already_saved,
            new_project=result.new_project,
            similar_projects=result.similar_projects if sees else [],
            notes=result.notes,
        )

    return Answer(fitting(build, _EDGES), _saved_text(result, sees))


def _saved_text(result: SaveResult, sees: bool) -> str:
    snapshot = result.snapshot
    full = named(snapshot.project, snapshot.id)
    head = f"{full} was saved before; nothing was changed." if result.already_saved else f"Saved {full}."
    if result.new_project:
        alike = f" Names that look like it: {', '.join(result.similar_projects)}." if result.similar_projects else ""
        head += f" Project {snapshot.project!r} is new.{alike if sees else ''}"
    counts = f"{len(result.links)} links made, {len(result.detected)} dependencies detected ('saved soon after')."
    lines = [
        f"- may be caused by {item.project}::{item.id}{replaced(names_out(item.superseded_by))}: "
        f"{quoted(item.title, 80)} ({', '.join(item.why)[:120]})"
        for item in (result.suggested_causes if sees else [])
    ]
    after = "Link the right ones with link_contexts." if lines else None
    return joined(head, [counts, *lines], after, *result.notes, note=bool(lines))


@tool("Link snapshots", scope=Scope.WRITE, writes=True, destructive=True, core=True)
async def link_contexts(
    call: Call,
    id: Annotated[SnapshotName, Field(description="The effect, dependent or newer one")],  # noqa: A002
    project: Project | None = None,
    caused_by: Annotated[Names, Field(description="Causes of it")] = [],  # noqa: B006
    depends_on: Annotated[Names, Field(description="What it depends on")] = [],  # noqa: B006
    supersedes: Annotated[Names, Field(description="What it replaces")] = [],  # noqa: B006
    rationale: Annotated[str | None, Field(description="Why the link holds")] = None,
    primary: Annotated[bool, Field(description="Make the cause given primary")] = False,
    remove: Annotated[bool, Field(description="Remove these links")] = False,
    cross_project: Annotated[bool, Field(description="Allow links into other projects")] = False,
) -> Answer[Linked]:
    """Say afterwards why a snapshot exists, what it depends on or replaces, or take that back (remove=true). A causal
    cycle is refused.
    """
    result = await call.wake.snapshots.link(
        id,
        project=project,
        caused_by=caused_by,
        depends_on=depends_on,
        supersedes=supersedes,
        rationale=rationale,
        primary=primary,
        remove=remove,
        cross_project=cross_project,
        caller=call.caller,
        now=call.now,
    )

    def build(count: int) -> Linked:
        edges = edges_out((link.edge for link in result.links[:count]), result.project)
        return Linked(
            id=result.id,
            project=result.project,
            links=[
                ChangeOut(**edge.model_dump(), change=link.change)
                for edge, link in zip(edges, result.links[:count], strict=True)
            ],
            roles=[
                RoleOut(name=f"{role.project}::{role.id}", causal_role=role.causal_role)
                for role in result.roles[:count]
            ],
            new_primary=result.new_primary and f"{result.new_primary.project}::{result.new_primary.id}",
        )

    data = fitting(build, _EDGES)
    lines = [f"- {link.change}: {link.source} {link.type} {link.target}" for link in data.links]
    return Answer(data, joined(f"Links of {named(data.project, data.id)}:", lines, note=False))


@tool("Update a snapshot", scope=Scope.WRITE, writes=True)
async def update_context(
    call: Call,
    id: SnapshotName,  # noqa: A002
    project: Project | None = None,
    summary: Annotated[str | None, Field(description="New summary")] = None,
    tags: Annotated[Texts | None, Field(description="New tags; [] removes all")] = None,
    rationale: Annotated[str | None, Field(description="New rationale; '' removes it")] = None,
    metadata: Annotated[Object | None, Field(description="New JSON object")] = None,
    action_type: Annotated[ActionTypeName | None, Field(description="New type")] = None,
) -> Answer[Updated]:
    """Correct the summary, tags, rationale, metadata or type of a snapshot. Its content stays: supersede what was
    wrong.
    """
    snapshot = await call.wake.snapshots.update(
        id,
        project=project,
        summary=summary,
        tags=tags,
        rationale=rationale,
        metadata=metadata,
        action_type=action_type,
        caller=call.caller,
        now=call.now,
    )
    data = Updated(snapshot=SavedSnapshot(**brief(snapshot), causal_role=snapshot.causal_role))
    return Answer(data, f"Updated {named(snapshot.project, snapshot.id)}; its content is as it was.")


@tool("Delete a snapshot", scope=Scope.ADMIN, writes=True, destructive=True)
async def delete_context(
    call: Call,
    id: SnapshotName,  # noqa: A002
    project: Project | None = None,
    confirm: Annotated[bool, Field(description="true deletes; false only says what it would do")] = False,
) -> Answer[Deleted]:
    """Delete a snapshot for good, such as one that holds a secret. Without confirm it only says what it would
    orphan. What was merely wrong is better superseded.
    """
    result = await call.wake.snapshots.delete(
        id, project=project, confirm=confirm, author=None, caller=call.caller, now=call.now
    )
    data = Deleted(
        snapshot=Ref(id=result.snapshot.id, project=result.snapshot.project, title=result.snapshot.title),
        deleted=result.deleted,
        links=result.links,
        orphans=[f"{item.project}::{item.id}" for item in result.orphans[:50]],
        orphan_count=len(result.orphans),
        orphans_elsewhere=result.orphans_elsewhere,
    )
    done = "Deleted" if data.deleted else "Nothing was changed. With confirm=true this deletes"
    lost = (
        f"; {data.orphan_count} snapshots lose their only cause: {', '.join(data.orphans[:10])}" if data.orphans else ""
    )
    text = f"{done} {named(data.snapshot.project, data.snapshot.id)} and its {data.links} links{lost}."
    return Answer(data, text)
