"""Imports and exports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO, Final, TextIO

from wakegraph.errors import AccessDeniedError, ImportFileError, InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph
from wakegraph.interchange import git
from wakegraph.interchange.jsonl import opened_lines, output, records
from wakegraph.interchange.load import Items, Loader, Written
from wakegraph.interchange.memory_json import MemoryFile
from wakegraph.interchange.models import (
    ExportResult,
    ForeignImportResult,
    GitImportResult,
    ImportResult,
    Problem,
    ProvExportResult,
)
from wakegraph.interchange.plan import Plan
from wakegraph.interchange.prov import Provenance, ProvFormat
from wakegraph.interchange.records import LINK_KEYS, Reader, export_line
from wakegraph.interchange.sqlite import opened_database
from wakegraph.models import LOCAL_CALLER, Caller, Scope
from wakegraph.progress import OnProgress, silent
from wakegraph.settings import Settings
from wakegraph.snapshots.naming import default_project, known_project, require_project, resolve
from wakegraph.snapshots.records import thresholds_of

__all__ = ["Interchange"]

_FIRST_PAGE: Final = 200
_LAST_PAGE: Final = 2_000
_PAGE_BYTES: Final = 4_000_000
_SHOWN_PROBLEMS: Final = 20
_BEFORE_ALL: Final = "0001-01-01T00:00:00Z"


class Interchange:
    """Imports into the graph and exports from it.

    Args:
        graph: the database.
        settings: of the process.
        clock: gives the present time, aware.
    """

    def __init__(self, graph: Graph, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._settings = settings
        self._clock = clock

    async def import_jsonl(
        self,
        source: Path | BinaryIO | TextIO,
        *,
        project: str | None = None,
        skip_bad: bool = False,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
        now: datetime | None = None,
    ) -> ImportResult:
        """Import snapshots, one JSON object a line.

        The whole file is checked before anything is written. It is then written in batches, each complete in itself: an
        import that was interrupted is finished by running it again, and running it once more changes nothing.

        A line without an id gets one that follows from what it says; a text given only as `summary` is the content too.
        A time without offset is taken as UTC, a line without `created_at` happened now. Unknown keys are kept in
        `metadata`. Links are `imported` unless they say otherwise; nothing is detected. A snapshot that is stored with
        the same content stays as it is and gets the links it does not have.

        Args:
            source: a file, or a binary stream; plain or gzip, whatever its name.
            project: of lines that name none; by default the default project.
            skip_bad: leave out what is wrong and list it, instead of refusing the file. A line that cannot be used is
                left out whole; of others only the links that lead nowhere or close a cycle.
            caller: who asks.
            on_progress: told how many lines are checked (of None), then how many snapshots and links are written of
                how many.
            now: the time of the import; by default the present.

        Raises:
            ImportFileError: something is wrong in the file; `problems` lists all of it.
            InvalidInputError: the file cannot be read.
            AccessDeniedError: the caller may not write.
        """
        self._require_write(caller)
        moment = now or self._clock()
        reader = self._reader(project, caller, moment)
        started = perf_counter()
        with ExitStack() as stack:
            # In a thread: a pipe is read to its end here, and may wait for whoever writes into it.
            lines = await asyncio.to_thread(stack.enter_context, opened_lines(source))
            loader = self._loader(lambda: records(lines, reader), caller, moment, on_progress)
            plan, written = await _loaded(loader, skip_bad=skip_bad)
        return ImportResult(**_figures(plan, written, started), skipped=plan.problems, notes=_assumptions(plan))

    async def import_memory_json(
        self,
        source: Path | BinaryIO | TextIO,
        *,
        project: str | None = None,
        skip_bad: bool = False,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
        now: datetime | None = None,
    ) -> ForeignImportResult:
        """Import the file of the MCP memory server: entities with observations, and relations.

        See `wakegraph.interchange.memory_json` for what becomes of them. The file holds no times, so all of it happened
        at the time of the import. As for JSON lines, the whole file is checked first, and running it again adds what is
        new; an entity that has other observations by now is a problem, since contents are never changed.

        Args:
            source: a file, or a binary stream; plain or gzip.
            project: where it goes; by default the default project.
            skip_bad: leave out what is wrong and list it, instead of refusing the file.
            caller: who asks.
            on_progress: told how many entities are checked (of None), then how many snapshots and links are written of
                how many.
            now: the time of the import; by default the present.

        Raises:
            ImportFileError: something is wrong in the file; `problems` lists all of it.
            InvalidInputError: the file cannot be read, or is something else.
            AccessDeniedError: the caller may not write.
        """
        self._require_write(caller)
        moment = now or self._clock()
        reader = self._reader(require_project(project, self._settings.project, caller), caller, moment)
        started = perf_counter()
        with ExitStack() as stack:
            lines = await asyncio.to_thread(stack.enter_context, opened_lines(source))
            memory = await asyncio.to_thread(MemoryFile.load, lines)
        loader = self._loader(lambda: memory.records(reader), caller, moment, on_progress)
        plan, written = await _loaded(loader, skip_bad=skip_bad)
        figures = _figures(plan, written, started) | {"read": memory.read}
        return ForeignImportResult(**figures, skipped=plan.problems, notes=memory.notes)

    async def import_sqlite(
        self,
        path: Path,
        *,
        project: str | None = None,
        skip_bad: bool = False,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
        now: datetime | None = None,
    ) -> ForeignImportResult:
        """Import a database file of Wake Intelligence, which is only read.

        See `wakegraph.interchange.sqlite` for what becomes of its columns. As for JSON lines, the whole file is checked
        first, and running it again adds what is new.

        Args:
            path: the file.
            project: of rows that name none; by default the default project.
            skip_bad: leave out what is wrong and list it, instead of refusing the file: a row that cannot be used is
                left out whole, of others only the links that lead nowhere or close a cycle.
            caller: who asks.
            on_progress: told how many rows are checked (of None), then how many snapshots and links are written of how
                many.
            now: the time of the import; by default the present.

        Raises:
            ImportFileError: something is wrong in the file; `problems` lists all of it.
            InvalidInputError: the file cannot be read, or is something else.
            AccessDeniedError: the caller may not write.
        """
        self._require_write(caller)
        moment = now or self._clock()
        reader = self._reader(project, caller, moment)
        started = perf_counter()
        with opened_database(path) as database:
            loader = self._loader(lambda: database.records(reader), caller, moment, on_progress)
            plan, written = await _loaded(loader, skip_bad=skip_bad)
        notes = [*_assumptions(plan), *database.notes]
        return ForeignImportResult(**_figures(plan, written, started), skipped=plan.problems, notes=notes)

    async def import_git(
        self,
        path: Path,
        *,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
        now: datetime | None = None,
    ) -> GitImportResult:
        """Import the history of a git repository: every commit that its HEAD leads to becomes a snapshot.

        See `wakegraph.interchange.git` for what becomes of a commit. Running it again adds the commits that are new.

        Args:
            path: the repository, or a folder in it.
            project: by default named after the repository.
            caller: who asks.
            on_progress: told how many commits are read (of None), then how many snapshots and links are written of how
                many.
            now: the time of the import; by default the present.

        Raises:
            InvalidInputError: it is no git repository, or has no commits, or git is missing.
            AccessDeniedError: the caller may not write.
        """
        self._require_write(caller)
        moment = now or self._clock()
        started = perf_counter()
        history = await asyncio.to_thread(git.History.open, path)
        # A project of the settings is where an agent saves; a history goes to the one of its repository.
        named = default_project(self._settings.model_copy(update={"project": None}), path)
        name = require_project(project if project is not None else named, None, caller)
        reader = git.CommitReader(
            history,
            name,
            moment,
            self._settings.future_tolerance_seconds,
            thresholds_of(self._settings),
            await self._trailer_ends(history, name, caller),
        )
        loader = self._loader(reader.records, caller, moment, on_progress)
        plan = await loader.check()
        written = await loader.write(plan)
        return GitImportResult(
            **_figures(plan, written, started),
            skipped=plan.problems,
            project=name,
            head=history.head,
            notes=reader.notes,
        )

    async def export_jsonl(
        self,
        target: Path | BinaryIO | TextIO,
        *,
        project: str | None = None,
        all_projects: bool = False,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
    ) -> ExportResult:
        """Write snapshots as JSON lines, by project, time and id. The same graph always gives the same bytes.

        Derived properties are not written: an import makes them again. Links to other projects are written as
        `project::id`. Snapshots saved while the export runs may or may not be in it; each line is consistent.

        Args:
            target: a file (compressed when its name ends in `.gz`), or a binary stream.
            project: what to export; by default the default project.
            all_projects: export all projects that the caller may see instead.
            caller: who asks.
            on_progress: told how many snapshots are written, of how many.

        Raises:
            NotFoundError: there is no such project.
            InvalidInputError: the file cannot be written, or both a project and all projects are asked for.
        """
        names = await self._exported_projects(project, all_projects, caller)
        started = perf_counter()
        total = 0
        for name in names:
            row = await self._graph.read_one("interchange/count_snapshots", project=name)
            total += row["snapshots"] if row else 0
        export = _Export(self._graph, caller, on_progress, total)
        with output(target) as stream:
            for name in names:
                await export.write(name, stream)
        return ExportResult(
            snapshots=export.snapshots,
            links=export.links,
            links_left_out=export.hidden,
            projects=names,
            bytes=export.bytes,
            seconds=perf_counter() - started,
        )

    async def export_prov(
        self,
        target: Path | BinaryIO | TextIO,
        *,
        form: ProvFormat = ProvFormat.JSON,
        project: str | None = None,
        all_projects: bool = False,
        include_detected: bool = False,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
    ) -> ProvExportResult:
        """Write a W3C PROV document. The same graph always gives the same bytes.

        See `wakegraph.interchange.prov` for what it says. The document is held in memory until it is written.

        Args:
            target: a file (compressed when its name ends in `.gz`), or a binary stream.
            form: PROV-JSON or PROV-N.
            project: what to export; by default the default project.
            all_projects: export all projects that the caller may see instead.
            include_detected: write detected dependencies too, marked as such.
            caller: who asks.
            on_progress: told how many snapshots are read (of None).

        Raises:
            NotFoundError: there is no such project.
            InvalidInputError: the file cannot be written, or both a project and all projects are asked for.
        """
        names = await self._exported_projects(project, all_projects, caller)
        started = perf_counter()
        document = Provenance(include_detected=include_detected)
        for name in names:
            after, identifier = _BEFORE_ALL, ""
            while rows := await self._graph.read(
                "interchange/provenance_page",
                project=name,
                after=after,
                id=identifier,
                limit=_LAST_PAGE,
                projects=caller.project_list(),
            ):
                await asyncio.to_thread(document.extend, rows)
                on_progress(document.snapshots, None)
                after, identifier = rows[-1]["moment"], rows[-1]["node"]["id"]
        with output(target) as stream:
            await asyncio.to_thread(document.write, stream, form)
        return ProvExportResult(
            format=form.value,
            snapshots=document.snapshots,
            authors=len(document.authors),
            links=document.links,
            detected_left_out=document.detected_left_out,
            links_left_out=document.hidden,
            projects=names,
            seconds=perf_counter() - started,
        )

    async def _exported_projects(self, project: str | None, all_projects: bool, caller: Caller) -> list[str]:
        if all_projects:
            if project is not None:
                raise InvalidInputError(f"project {project!r} and all projects are both asked for: give one of them")
            return [row["name"] for row in await self._graph.read("projects/names", projects=caller.project_list())]
        return [await known_project(self._graph.read, project, self._settings.project, caller)]

    async def _trailer_ends(self, history: git.History, project: str, caller: Caller) -> dict[str, tuple[str, str]]:
        """The stored snapshots that `Caused-By` trailers name, other than commits of the history itself."""
        ends = {}
        for name in await asyncio.to_thread(history.foreign_causes):
            try:
                key = await resolve(self._graph.read, name, project=None, default=project, caller=caller)
            except (InvalidInputError, NotFoundError):
                continue  # said for each commit that names it
            ends[name] = (key.project, key.id)
        return ends

    def _reader(self, project: str | None, caller: Caller, now: datetime) -> Reader:
        default = project if project is not None else self._settings.project
        return Reader(
            None if default is None else require_project(default, None, caller),
            caller,
            now,
            self._settings.future_tolerance_seconds,
            thresholds_of(self._settings),
        )

    def _loader(self, items: Items, caller: Caller, now: datetime, on_progress: OnProgress) -> Loader:
        return Loader(self._graph, items, now=now, visible=caller.project_list(), on_progress=on_progress)

    def _require_write(self, caller: Caller) -> None:
        if self._settings.read_only:
            raise AccessDeniedError(
                "wakegraph is in read-only mode, so nothing can be imported: unset WAKEGRAPH_READ_ONLY"
            )
        if Scope.WRITE not in caller.scopes:
            raise AccessDeniedError("an import needs the scope 'write'")


class _Export:
    """An export in progress: pages of bounded size, and the figures of its result."""

    def __init__(self, graph: Graph, caller: Caller, on_progress: OnProgress, total: int) -> None:
        self._graph = graph
        self._visible = caller.project_list()
        self._on_progress = on_progress
        self._total = total
        self.snapshots = self.links = self.hidden = self.bytes = 0

    async def write(self, project: str, stream: BinaryIO) -> None:
        after, identifier, limit = _BEFORE_ALL, "", _FIRST_PAGE
        while True:
            rows = await self._graph.read(
                "interchange/export_page",
                project=project,
                after=after,
                id=identifier,
                limit=limit,
                projects=self._visible,
            )
            if not rows:
                return
            page = b"".join(self._line(row) for row in rows)
            await asyncio.to_thread(stream.write, page)
            self.bytes += len(page)
            self._on_progress(self.snapshots, self._total)
            after, identifier = rows[-1]["moment"], rows[-1]["node"]["id"]
            limit = max(1, min(_LAST_PAGE, 2 * limit, limit * _PAGE_BYTES // len(page)))

    def _line(self, row: dict[str, Any]) -> bytes:
        links = {key: row[key] for key in LINK_KEYS}
        self.snapshots += 1
        self.links += sum(map(len, links.values()))
        self.hidden += row["hidden"]
        return export_line(row["node"], links, row["about"])


async def _loaded(loader: Loader, *, skip_bad: bool) -> tuple[Plan, Written]:
    plan = await loader.check()
    if plan.problems and not skip_bad:
        raise _refused(plan.problems)
    return plan, await loader.write(plan)


def _figures(plan: Plan, written: Written, started: float) -> dict[str, Any]:
    defined = plan.defined()
    projects = sorted({plan.names[number][0] for number in defined})
    return {
        "read": plan.read,
        "created": written.created,
        "unchanged": len(defined) - written.created + plan.duplicates,
        "links_created": written.links,
        "artifacts": written.artifacts,
        "projects": projects,
        "new_projects": written.new_projects,
        "seconds": perf_counter() - started,
    }


def _assumptions(plan: Plan) -> list[str]:
    """What was taken for granted, for the notes of an answer."""
    lines = plan.assumed_utc
    return [f"{len(lines):,} times had no offset and were taken as UTC, first in line {lines[0]:,}"] if lines else []


def _refused(problems: list[Problem]) -> ImportFileError:
    more = f" (and {len(problems) - _SHOWN_PROBLEMS:,} more problems)" if len(problems) > _SHOWN_PROBLEMS else ""
    shown = "; ".join(str(problem) for problem in problems[:_SHOWN_PROBLEMS])
    return ImportFileError(
        f"{shown}{more}: nothing was written; mend the file, or leave out what is wrong (--skip-bad)",
        [str(problem) for problem in problems],
    )
