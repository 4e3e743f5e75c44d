"""save, link, load, get, search, update, delete, projects."""

from __future__ import annotations

import json
from typing import Annotated, Any

from cyclopts import Parameter

from wakegraph.cli.options import OPTIONS, TIMED, Options, SnapshotName, Timed
from wakegraph.cli.output import Output, clean, moment, name_of, styled, superseded
from wakegraph.cli.session import opened, read_text
from wakegraph.cli.stdin import STDIN
from wakegraph.errors import InvalidInputError
from wakegraph.models import Edge, LinkRef, SnapshotDetail, Source
from wakegraph.snapshots.models import DeleteResult, LinkResult, ProjectInfo, SaveResult, SearchPage, SnapshotPage

__all__ = ["delete", "get", "link", "load", "projects", "save", "search", "update"]

Causes = Annotated[
    list[str] | None,
    Parameter(name="--caused-by", negative=(), help="A cause; repeatable, the first one is the primary cause."),
]
Dependencies = Annotated[
    list[str] | None, Parameter(name="--depends-on", negative=(), help="What it depends on; repeatable.")
]
Supersedes = Annotated[
    list[str] | None, Parameter(name="--supersedes", negative=(), help="What it replaces; repeatable.")
]
Tags = Annotated[list[str] | None, Parameter(name=("--tag", "--tags"), negative=(), help="A tag; repeatable.")]
ActionType = Annotated[str | None, Parameter(help="conversation, decision, file_edit, tool_use or research.")]
Metadata = Annotated[str | None, Parameter(help="A JSON object of your own.")]
Rationale = Annotated[str | None, Parameter(help="Why, in your own words.")]
CrossProject = Annotated[bool, Parameter(negative=(), show_default=False, help="Allow links into other projects.")]


async def save(
    content: Annotated[
        str | None, Parameter(allow_leading_hyphen=False, help="The text; `-` reads standard input.")
    ] = None,
    /,
    *,
    file: Annotated[str | None, Parameter(help="Read the text from this file.")] = None,
    id: Annotated[str | None, Parameter(help="A name of your own; by default a new UUID.")] = None,  # noqa: A002
    summary: Annotated[str | None, Parameter(help="By default the content, or its first 200 characters.")] = None,
    tags: Tags = None,
    action_type: ActionType = "conversation",
    rationale: Rationale = None,
    caused_by: Causes = None,
    depends_on: Dependencies = None,
    supersedes: Supersedes = None,
    about: Annotated[
        list[str] | None,
        Parameter(negative=(), help="What it is about: a path, a symbol, a URL, an issue; repeatable."),
    ] = None,
    author: Annotated[str | None, Parameter(help="Who; by default the setting WAKEGRAPH_AUTHOR.")] = None,
    author_type: Annotated[str | None, Parameter(help="human, ai-agent or ai-compositor.")] = None,
    session: Annotated[str | None, Parameter(help="The sitting it belongs to.")] = None,
    source: Annotated[str, Parameter(help="Through what it came: cli, mcp, api or import.")] = Source.CLI.value,
    metadata: Metadata = None,
    created_at: Annotated[str | None, Parameter(help="When it happened (ISO 8601); by default now.")] = None,
    cross_project: CrossProject = False,
    detect_dependencies: Annotated[
        bool,
        Parameter(negative="--no-detect-dependencies", help="Link what was saved shortly before as detected."),
    ] = True,
    options: Timed = TIMED,
) -> None:
    """Save a snapshot."""
    text = _content(content, file)
    own = _metadata(metadata)
    async with opened(options) as cli:
        answer = await cli.wake.snapshots.save(
            text,
            project=cli.project,
            id=id,
            summary=summary,
            tags=tags or (),
            action_type=action_type or "conversation",
            rationale=rationale,
            caused_by=caused_by or (),
            depends_on=depends_on or (),
            supersedes=supersedes or (),
            about=about or (),
            author=author,
            author_type=author_type,
            session=session,
            source=source,
            metadata=own,
            created_at=created_at,
            cross_project=cross_project,
            detect_dependencies=detect_dependencies,
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, _saved)


async def link(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    caused_by: Causes = None,
    depends_on: Dependencies = None,
    supersedes: Supersedes = None,
    rationale: Annotated[str | None, Parameter(help="Why the link holds.")] = None,
    primary: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Make the cause the primary one.")
    ] = False,
    remove: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Remove the links instead of making them.")
    ] = False,
    cross_project: CrossProject = False,
    options: Timed = TIMED,
) -> None:
    """Make or remove links of a snapshot."""
    async with opened(options) as cli:
        answer = await cli.wake.snapshots.link(
            id,
            project=cli.project,
            caused_by=caused_by or (),
            depends_on=depends_on or (),
            supersedes=supersedes or (),
            rationale=rationale,
            primary=primary,
            remove=remove,
            cross_project=cross_project,
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, _linked)


async def load(
    *,
    limit: Annotated[int, Parameter(help="Snapshots at the most (1 to 100).")] = 5,
    order: Annotated[str, Parameter(help="recent, predicted or least_recently_used.")] = "recent",
    action_type: ActionType = None,
    tag: Annotated[str | None, Parameter(help="Only those with this tag.")] = None,
    author: Annotated[str | None, Parameter(help="Only those of this author.")] = None,
    session: Annotated[str | None, Parameter(help="Only those of this session.")] = None,
    about: Annotated[str | None, Parameter(help="Only those about this reference.")] = None,
    since: Annotated[str | None, Parameter(help="Created at or after this time (ISO 8601).")] = None,
    until: Annotated[str | None, Parameter(help="Created at or before this time (ISO 8601).")] = None,
    cursor: Annotated[str | None, Parameter(help="Go on where the answer with this cursor ended.")] = None,
    options: Timed = TIMED,
) -> None:
    """List the snapshots of a project."""
    async with opened(options) as cli:
        answer = await cli.wake.snapshots.list(
            project=cli.project,
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
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, _listed)


async def get(
    *ids: Annotated[
        str, Parameter(name="ids", help="Ids, unique beginnings of them (8 characters or more), or project::id.")
    ],
    options: Timed = TIMED,
) -> None:
    """Show snapshots in full."""
    if not ids:
        raise InvalidInputError("no snapshot was named: give one id or more")
    async with opened(options) as cli:
        found = await cli.wake.snapshots.get(list(ids), project=cli.project, caller=cli.caller, now=options.moment)
        cli.output.show(found[0] if len(found) == 1 else found, lambda _, output: _shown(found, output))


async def search(
    *query: Annotated[
        str, Parameter(name="query", help='Words; a "phrase in quotes" must occur; word* stands for its beginning.')
    ],
    limit: Annotated[int, Parameter(help="Hits at the most (1 to 100).")] = 10,
    all_projects: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Search all projects, not only the default one.")
    ] = False,
    action_type: ActionType = None,
    tag: Annotated[str | None, Parameter(help="Only those with this tag.")] = None,
    tier: Annotated[str | None, Parameter(help="Only in this tier: ACTIVE, RECENT, ARCHIVED or EXPIRED.")] = None,
    author: Annotated[str | None, Parameter(help="Only those of this author.")] = None,
    session: Annotated[str | None, Parameter(help="Only those of this session.")] = None,
    about: Annotated[str | None, Parameter(help="Only those about this reference.")] = None,
    since: Annotated[str | None, Parameter(help="Created at or after this time (ISO 8601).")] = None,
    until: Annotated[str | None, Parameter(help="Created at or before this time (ISO 8601).")] = None,
    cursor: Annotated[str | None, Parameter(help="Go on where the answer with this cursor ended.")] = None,
    options: Timed = TIMED,
) -> None:
    """Find snapshots by words."""
    async with opened(options) as cli:
        answer = await cli.wake.snapshots.search(
            " ".join(query),
            project=cli.project,
            all_projects=all_projects,
            limit=limit,
            action_type=action_type,
            tag=tag,
            tier=tier,
            author=author,
            session=session,
            about=about,
            since=since,
            until=until,
            cursor=cursor,
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, _found)


async def update(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    summary: Annotated[str | None, Parameter(help="The new summary.")] = None,
    tags: Annotated[
        list[str] | None,
        Parameter(name=("--tag", "--tags"), negative="--no-tags", help="The new tags, all of them; repeatable."),
    ] = None,
    rationale: Rationale = None,
    metadata: Metadata = None,
    action_type: ActionType = None,
    options: Timed = TIMED,
) -> None:
    """Change what may change of a snapshot."""
    own = _metadata(metadata)
    async with opened(options) as cli:
        answer = await cli.wake.snapshots.update(
            id,
            project=cli.project,
            summary=summary,
            tags=tags,
            rationale=rationale,
            metadata=own,
            action_type=action_type,
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, lambda snapshot, output: output.snapshots([snapshot]))


async def delete(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    confirm: Annotated[
        bool, Parameter(name=("--confirm", "--yes"), negative=(), show_default=False, help="Really delete it.")
    ] = False,
    author: Annotated[str | None, Parameter(help="Who; by default the setting WAKEGRAPH_AUTHOR.")] = None,
    options: Timed = TIMED,
) -> None:
    """Delete a snapshot, or say what that would do."""
    async with opened(options) as cli:
        answer = await cli.wake.snapshots.delete(
            id, project=cli.project, confirm=confirm, author=author, caller=cli.caller, now=options.moment
        )
        cli.output.show(answer, _deleted)


async def projects(*, options: Options = OPTIONS) -> None:
    """List the projects."""
    async with opened(options) as cli:
        cli.output.show(await cli.wake.snapshots.projects(caller=cli.caller), _projects)


def _content(content: str | None, file: str | None) -> str:
    if (content is None) == (file is None):
        raise InvalidInputError("give the text once: as an argument, with --file, or as `-` for standard input")
    if content is not None and content != STDIN:
        return content
    return read_text(STDIN if file is None else file)


def _metadata(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InvalidInputError(f"--metadata is not JSON: {error}") from None


def _saved(answer: SaveResult, output: Output) -> None:
    _save_answer(answer, output)
    if answer.new_project:
        similar = f"; similar names: {', '.join(answer.similar_projects)}" if answer.similar_projects else ""
        output.notice(f"the project {answer.snapshot.project!r} is new{similar}")
    for note in answer.notes:
        output.notice(note)


def _save_answer(answer: SaveResult, output: Output) -> None:
    snapshot = answer.snapshot
    if not output.rich:
        output.verbatim(snapshot.id)
        return
    verb = "was saved before" if answer.already_saved else "saved"
    output.line(f"[bold]{clean(snapshot.id)}[/] {verb} in project {clean(snapshot.project)}")
    for edge in answer.links:
        output.line(f"  {_edge(edge, snapshot.project)}")
    for edge in answer.detected:
        output.line(f"  [dim]{_edge(edge, snapshot.project)}[/]")
    for suggestion in answer.suggested_causes:
        facts = ", ".join([clean(", ".join(suggestion.why)), *superseded(suggestion.superseded_by, snapshot.project)])
        output.line(f"  maybe caused by {clean(suggestion.id)}: {clean(suggestion.title)} ({facts})")


def _edge(edge: Edge, project: str) -> str:
    target = edge.target if edge.target_project == project else f"{edge.target_project}::{edge.target}"
    facts = [edge.origin.value if edge.origin else "", "primary" if edge.primary else ""]
    shown = ", ".join(fact for fact in facts if fact)
    return f"{edge.type.value} {clean(target)}" + (f" ({shown})" if shown else "")


def _linked(answer: LinkResult, output: Output) -> None:
    for change in answer.links:
        output.line(f"{change.change}: {clean(change.edge.source)} {_edge(change.edge, answer.project)}")
    if answer.new_primary:
        output.line(f"primary cause now: {clean(name_of(answer.new_primary, answer.project))}")
    for role in answer.roles:
        output.line(f"{clean(role.id)} is now {styled(role.causal_role.value)}")


def _listed(page: SnapshotPage, output: Output) -> None:
    output.snapshots(page.snapshots)
    if not output.rich:
        return
    if not page.snapshots:
        output.line(f"no snapshot in project {clean(page.project)} answers to that")
    if page.next_cursor:
        output.verbatim(f"more: --cursor {page.next_cursor}")


def _found(page: SearchPage, output: Output) -> None:
    if not output.rich:
        output.snapshots(hit.snapshot for hit in page.hits)
        return
    for hit in page.hits:
        output.snapshots([hit.snapshot])
        output.fitted(f"    [dim]{hit.score:.2f}  {clean(' '.join(hit.excerpt.split()))}[/]")
    count = f"{page.total}" if page.total_is_exact else f"at least {page.total}"
    output.line(f"[dim]{len(page.hits)} of {count} hits[/]")
    for note in page.notes:
        output.line(f"[dim]{clean(note)}[/]")
    if page.next_cursor:
        output.verbatim(f"more: --cursor {page.next_cursor}")


def _shown(found: list[SnapshotDetail], output: Output) -> None:
    for position, snapshot in enumerate(found):
        if position:
            output.line()
        output.snapshots([snapshot])
        for name, value in _facts(snapshot):
            output.line(f"{name}: {clean(value)}")
        for title, links in _links(snapshot):
            for link in links:
                output.line(_link(title, link, snapshot.project))
        output.line()
        output.verbatim(snapshot.content)


def _facts(snapshot: SnapshotDetail) -> list[tuple[str, str]]:
    facts = {
        "project": snapshot.project,
        "rationale": snapshot.rationale,
        "session": snapshot.session,
        "tags": ", ".join(snapshot.tags),
        "about": ", ".join(snapshot.about),
        "metadata": snapshot.metadata_json,
        "accessed": f"{snapshot.access_count}, last {moment(snapshot.last_accessed)}"
        if snapshot.last_accessed
        else None,
        "prediction": None if snapshot.prediction_score is None else f"{snapshot.prediction_score:.3f}",
    }
    return [(name, value) for name, value in facts.items() if value]


def _links(snapshot: SnapshotDetail) -> list[tuple[str, list[LinkRef]]]:
    return [
        ("caused by", snapshot.caused_by),
        ("depends on", snapshot.depends_on),
        ("supersedes", snapshot.supersedes),
        ("caused", snapshot.effects),
        ("needed by", snapshot.dependents),
    ]


def _link(title: str, link: LinkRef, project: str) -> str:
    facts = [
        *([link.origin.value] if link.origin else []),
        *(["primary"] if link.primary else []),
        *superseded(link.superseded_by, project),
    ]
    shown = f" ({', '.join(facts)})" if facts else ""
    why = f": {clean(link.rationale)}" if link.rationale else ""
    return f"{title} {clean(name_of(link, project))}{shown} {clean(link.title or '')}{why}"


def _deleted(answer: DeleteResult, output: Output) -> None:
    done = answer.deleted
    output.line(f"{'deleted' if done else 'would delete'} {clean(answer.snapshot.id)} and {answer.links} links")
    for orphan in answer.orphans:
        verb = "lost" if done else "would lose"
        output.line(f"  {clean(orphan.id)} {verb} its only cause: {clean(orphan.title or '')}")
    if answer.new_primaries:
        output.line(f"  snapshots of which another cause becomes primary: {answer.new_primaries}")
    if answer.links_elsewhere:
        output.line("  links to snapshots of projects that are not shown here go too")
    if not done:
        output.line("nothing was changed; say --confirm to do it")


def _projects(found: list[ProjectInfo], output: Output) -> None:
    rows = [
        (info.project, f"{info.snapshots}", moment(info.last_activity) if info.last_activity else "") for info in found
    ]
    output.rows(("project", "snapshots", "last activity"), rows, numbers=(1,))
