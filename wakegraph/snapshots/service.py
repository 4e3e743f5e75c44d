"""Snapshots as the other layers and the outside see them."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from wakegraph.errors import AccessDeniedError
from wakegraph.graph.driver import Graph
from wakegraph.models import LOCAL_CALLER, ActionType, Caller, Order, Snapshot, SnapshotDetail, Source
from wakegraph.settings import Settings
from wakegraph.snapshots import changing, linking, reading, saving, searching
from wakegraph.snapshots.models import DeleteResult, LinkResult, ProjectInfo, SaveResult, SearchPage, SnapshotPage

__all__ = ["Snapshots"]


class Snapshots:
    """Save, link, read, change and delete snapshots.

    Every method takes `caller`, who asks; by default the local user, who may do and see everything. A `project` that is
    left out is the default project, the setting `project`.

    Args:
        graph: the database.
        settings: the settings.
        clock: gives the present time, aware.
    """

    def __init__(
        self,
        graph: Graph,
        settings: Settings,
        clock: Callable[[], datetime],
    ) -> None:
        self._graph = graph
        self._settings = settings
        self._clock = clock

    async def save(
        self,
        content: str,
        *,
        project: str | None = None,
        id: str | None = None,  # noqa: A002  the name of the property
        summary: str | None = None,
        tags: Iterable[str] = (),
        action_type: str = ActionType.CONVERSATION,
        rationale: str | None = None,
        caused_by: Sequence[str] = (),
        depends_on: Sequence[str] = (),
        supersedes: Sequence[str] = (),
        about: Iterable[str] = (),
        author: str | None = None,
        author_type: str | None = None,
        session: str | None = None,
        source: str = Source.API,
        metadata: Mapping[str, Any] | None = None,
        created_at: datetime | str | None = None,
        cross_project: bool = False,
        detect_dependencies: bool = True,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> SaveResult:
        """Save a snapshot with its links in one transaction.

        Args:
            content: the full text, kept exactly as given, up to 1,000,000 characters.
            project: the project it belongs to.
            id: its id, unique in the project; by default a time-ordered UUID.
            summary: by default the content, or its first 200 characters.
            tags: short texts; each is kept once, in order.
            action_type: one of `ActionType`.
            rationale: why it was done, in the author's words.
            caused_by: names of its causes; the first is the primary one.
            depends_on: names of what it depends on.
            supersedes: names of what it replaces.
            about: what it is about: paths, symbols, addresses.
            author: who; ignored where the caller's name is fixed.
            author_type: one of `AuthorType`.
            session: the sitting it belongs to.
            source: one of `Source`.
            metadata: a JSON object.
            created_at: when it happened; a time without offset is taken as UTC.
            cross_project: whether links may lead into other projects.
            detect_dependencies: whether to add dependencies on what was saved shortly before.
            caller: who asks.
            now: the moment of the call.

        Returns:
            The snapshot, its links, and whether it had been saved before.

        Raises:
            InvalidInputError: an argument cannot be accepted.
            NotFoundError: a snapshot to link to does not exist.
            ConflictError: the id exists with other content or without one of the links.
        """
        self._refuse_write()
        draft = saving.Draft(
            content,
            project,
            id,
            summary,
            tags,
            action_type,
            rationale,
            caused_by,
            depends_on,
            supersedes,
            about,
            author,
            author_type,
            session,
            source,
            metadata,
            created_at,
            cross_project,
            detect_dependencies,
        )
        return await saving.save(
            self._graph, self._settings, draft, caller=caller, default=self._settings.project, now=self._moment(now)
        )

    async def link(
        self,
        id: str,  # noqa: A002  the name of the property
        *,
        project: str | None = None,
        caused_by: Sequence[str] = (),
        depends_on: Sequence[str] = (),
        supersedes: Sequence[str] = (),
        rationale: str | None = None,
        primary: bool = False,
        remove: bool = False,
        cross_project: bool = False,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> LinkResult:
        """Make or remove links that start at a snapshot, all in one transaction. Repeating a link changes nothing.

        Args:
            id: the effect, the dependent or the newer snapshot.
            project: its project.
            caused_by: names of causes.
            depends_on: names of dependencies.
            supersedes: names of what it replaces.
            rationale: why the link holds.
            primary: make the one cause given the primary one.
            remove: remove the links instead; one that is not there is an error.
            cross_project: whether links may lead into other projects.
            caller: who asks.
            now: the moment of the call.

        Returns:
            Each link with what became of it, and the roles of all ends.

        Raises:
            InvalidInputError: an argument cannot be accepted.
            NotFoundError: a snapshot does not exist, or a link to remove.
            ConflictError: a link would close a cycle; the line names the path.
        """
        self._refuse_write()
        request = linking.LinkRequest(
            id, project, caused_by, depends_on, supersedes, rationale, primary, remove, cross_project
        )
        return await linking.link(
            self._graph, request, caller=caller, default=self._settings.project, now=self._moment(now)
        )

    async def get(
        self,
        ids: str | Sequence[str],
        *,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> builtins.list[SnapshotDetail]:
        """Snapshots with their links, in the order of `ids`.

        Args:
            ids: one name or up to 100.
            project: their project; links into others are then not shown.
            caller: who asks.
            now: the moment for which tiers hold.

        Raises:
            NotFoundError: one does not exist; the line says whether it was deleted, when and by whom.
        """
        return await reading.get(
            self._graph,
            self._settings,
            [ids] if isinstance(ids, str) else ids,
            project=project,
            default=self._settings.project,
            caller=caller,
            now=self._moment(now),
        )

    async def list(
        self,
        *,
        project: str | None = None,
        limit: int = 5,
        order: str = Order.RECENT,
        action_type: str | None = None,
        tag: str | None = None,
        author: str | None = None,
        session: str | None = None,
        about: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        cursor: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> SnapshotPage:
        """One page of a project's snapshots, filtered in the database before the limit.

        Args:
            project: the project.
            limit: snapshots a page, 1 to 100.
            order: one of `Order`.
            action_type: only of this type.
            tag: only with this tag.
            author: only by this author.
            session: only of this session.
            about: only about this reference (order `recent`).
            since: only created at or after this time.
            until: only created at or before this time.
            cursor: `next_cursor` of the page before.
            caller: who asks.
            now: the moment for which tiers hold.

        Raises:
            InvalidInputError: an argument cannot be accepted.
        """
        request = reading.ListRequest(
            project, limit, order, action_type, tag, author, session, about, since, until, cursor
        )
        return await reading.list_snapshots(
            self._graph,
            self._settings,
            request,
            caller=caller,
            default=self._settings.project,
            now=self._moment(now),
        )

    async def search(
        self,
        query: str,
        *,
        project: str | None = None,
        all_projects: bool = False,
        limit: int = 10,
        action_type: str | None = None,
        tag: str | None = None,
        tier: str | None = None,
        author: str | None = None,
        session: str | None = None,
        about: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        cursor: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> SearchPage:
        """Find snapshots by words, filtered in the database before the limit.

        Any text is a query, and its punctuation means nothing, but for two things: `"words in quotes"` are a phrase
        that every hit holds, and `word*` stands for every word that begins so. A hit holds at least one of the other
        words; it ranks by BM25 relevance times the weight of its memory tier, and what was superseded ranks last. Of
        equals the newest comes first. Pages follow one another without gap or repetition; while others write or read,
        the places of single hits may shift between two pages, since every write changes how rare a word is.

        Args:
            query: what to find, up to 10,000 characters; of more than 64 words and phrases the first 64 count.
            project: where; by default the default project, and without one all projects that the caller may see.
            all_projects: search all projects that the caller may see, whether or not there is a default one.
            limit: hits a page, 1 to 100.
            action_type: only of this type.
            tag: only with this tag.
            tier: only in this memory tier, for the moment of the call.
            author: only by this author.
            session: only of this session.
            about: only about this reference.
            since: only created at or after this time.
            until: only created at or before this time.
            cursor: `next_cursor` of the page before, with the same query and filters.
            caller: who asks.
            now: the moment for which tiers hold; later pages keep that of the first.

        Returns:
            The hits, each with the part that matched.

        Raises:
            InvalidInputError: a blank query, or an argument that cannot be accepted.
            NotFoundError: there is no such project.
        """
        request = searching.SearchRequest(
            query, project, all_projects, limit, action_type, tag, tier, author, session, about, since, until, cursor
        )
        return await searching.search(
            self._graph,
            self._settings,
            request,
            caller=caller,
            default=self._settings.project,
            now=self._moment(now),
        )

    async def update(
        self,
        id: str,  # noqa: A002  the name of the property
        *,
        project: str | None = None,
        summary: str | None = None,
        tags: Iterable[str] | None = None,
        rationale: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        action_type: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> Snapshot:
        """Change what may be changed of a snapshot. Its content stays: what was wrong is superseded.

        Args:
            id: its name.
            project: its project.
            summary: a new summary.
            tags: new tags; an empty list removes all.
            rationale: a new rationale; an empty text removes it.
            metadata: a new JSON object.
            action_type: one of `ActionType`.
            caller: who asks.
            now: the moment for which the tier holds.

        Raises:
            InvalidInputError: nothing to change, or a value that cannot be accepted.
            NotFoundError: it does not exist.
        """
        self._refuse_write()
        changes = changing.Changes(summary, tags, rationale, metadata, action_type)
        return await changing.update(
            self._graph,
            self._settings,
            id,
            changes,
            project=project,
            caller=caller,
            default=self._settings.project,
            now=self._moment(now),
        )

    async def delete(
        self,
        id: str,  # noqa: A002  the name of the property
        *,
        project: str | None = None,
        confirm: bool = False,
        author: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> DeleteResult:
        """Delete a snapshot with its links, or, without `confirm`, say what that would do.

        Args:
            id: its name.
            project: its project.
            confirm: really delete it.
            author: who deletes it, for the tombstone.
            caller: who asks.
            now: the moment of the call.

        Raises:
            NotFoundError: it does not exist.
        """
        if confirm:
            self._refuse_write()
        return await changing.delete(
            self._graph,
            id,
            project=project,
            confirm=confirm,
            by=saving.author_of(author, caller, self._settings),
            caller=caller,
            default=self._settings.project,
            now=self._moment(now),
        )

    async def projects(self, *, caller: Caller = LOCAL_CALLER) -> builtins.list[ProjectInfo]:
        """The projects the caller may see, with counts and last activity, by name."""
        rows = await self._graph.read("projects/list", projects=caller.project_list())
        return [ProjectInfo(**row) for row in rows]

    def _moment(self, now: datetime | None) -> datetime:
        return self._clock() if now is None else now

    def _refuse_write(self) -> None:
        if self._settings.read_only:
            raise AccessDeniedError("wakegraph runs in read-only mode, nothing was written: unset WAKEGRAPH_READ_ONLY")
