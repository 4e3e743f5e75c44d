"""Backup and restore on the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

from wakegraph.backup.files import BackupWriter, read_backup, verify_backup, writing
from wakegraph.backup.models import BackupResult
from wakegraph.errors import AccessDeniedError, ConflictError, DatabaseError, NotFoundError
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.times import from_microseconds
from wakegraph.models import LOCAL_CALLER, Caller, Scope
from wakegraph.progress import OnProgress, silent
from wakegraph.settings import Settings

__all__ = ["Backup"]

_PAGE = 200
_BATCH_ROWS = 1_000
_BATCH_CHARACTERS = 4_000_000
_FIRST = ""
_RESTORE = {
    "snapshot": "backup/restore_snapshots",
    "tombstone": "backup/restore_tombstones",
    "about": "backup/restore_about",
}
_RESTORE_LINKS = {
    "link CAUSED_BY": "backup/restore_caused_by",
    "link DEPENDS_ON": "backup/restore_depends_on",
    "link SUPERSEDES": "backup/restore_supersedes",
}


class Backup:
    """Saves everything wakegraph holds into one file, and brings it back.

    Args:
        graph: the database.
        settings: the settings.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings

    async def backup(
        self,
        path: Path,
        *,
        projects: Sequence[str] | None = None,
        caller: Caller = LOCAL_CALLER,
        on_progress: OnProgress = silent,
    ) -> BackupResult:
        """Write a backup file, while others may go on writing.

        Snapshots are read first and links after them; a link to a snapshot that was saved meanwhile is left out, so no
        link of the file leads nowhere.

        Args:
            path: the file; it appears only when it is complete.
            projects: names of projects; None for all. A link into a project that is not in the file is left out.
            caller: who asks; needs the scope `admin`.
            on_progress: told how many snapshots are written (of None).

        Raises:
            NotFoundError: a project does not exist.
            InvalidInputError: the file cannot be written.
        """
        _need_admin(caller)
        rows = await self._graph.read("backup/projects", names=None if projects is None else list(projects))
        names = [row["properties"]["name"] for row in rows]
        missing = sorted(set(projects or ()) - set(names))
        if missing:
            raise NotFoundError(f"there is no project {', '.join(map(repr, missing))}: nothing was written")
        counts: dict[str, int] = defaultdict(int)
        with writing(path) as writer:
            for row in rows:
                settings = {name: value for name, value in row["properties"].items() if name != "restoring"}
                writer.write("project", settings)
            known = await self._write_snapshots(writer, names, counts, on_progress)
            for name in names:
                await self._write_links(writer, name, known, counts)
                for row in await self._graph.read("backup/tombstones", project=name):
                    writer.write("tombstone", row["properties"])
                    counts["tombstone"] += 1
            digest = writer.close()
        return _result(names, counts, path, digest)

    async def restore(
        self, path: Path, *, caller: Caller = LOCAL_CALLER, on_progress: OnProgress = silent
    ) -> BackupResult:
        """Bring back what a file holds. The whole file is verified before anything is written.

        A restore that was interrupted is finished by running it again with the same file.

        Args:
            path: the file.
            caller: who asks; needs the scope `admin`.
            on_progress: told how many entries are written (of None).

        Raises:
            ImportFileError: the file is not a whole backup.
            ConflictError: a project of the file holds snapshots already.
        """
        _need_admin(caller)
        if self._settings.read_only:
            raise AccessDeniedError("wakegraph runs in read-only mode, nothing was restored")
        digest = verify_backup(path)
        names = [value["name"] for kind, value in read_backup(path) if kind == "project"]
        occupied = [row["name"] for row in await self._graph.read("backup/occupied", names=names, digest=digest)]
        if occupied:
            raise ConflictError(
                f"project {', '.join(map(repr, occupied))} holds snapshots already, nothing was restored: "
                "restore into a database that does not have it"
            )
        counts: dict[str, int] = defaultdict(int)
        for kind, rows in _batches(path):
            await self._write_batch(kind, rows, digest)
            counts["link" if kind.startswith("link") else kind] += len(rows)
            on_progress(sum(counts.values()), None)
        await self._graph.write("backup/restored", names=names)
        return _result(names, counts, path, digest)

    async def _write_snapshots(
        self, writer: BackupWriter, names: Sequence[str], counts: dict[str, int], on_progress: OnProgress
    ) -> set[int]:
        """Write all snapshots and return the hashes of their keys."""
        known: set[int] = set()
        for name in names:
            async for row in self._pages("backup/snapshots", name):
                writer.write("snapshot", _properties(row["properties"]))
                known.add(hash((name, row["id"])))
                counts["snapshot"] += 1
                on_progress(counts["snapshot"], None)
        return known

    async def _write_links(self, writer: BackupWriter, name: str, known: set[int], counts: dict[str, int]) -> None:
        async for row in self._pages("backup/links", name):
            if hash((name, row["id"])) not in known:
                continue
            for link in row["links"]:
                if hash((link["project"], link["id"])) in known:
                    target = {"target_project": link["project"], "target": link["id"]}
                    source = {"source_project": name, "source": row["id"]}
                    writer.write(
                        f"link {link['type']}", source | target | {"properties": _properties(link["properties"])}
                    )
                    counts["link"] += 1
            for ref in row["about"]:
                writer.write("about", {"project": name, "id": row["id"], "ref": ref})
                counts["about"] += 1

    async def _pages(self, statement: str, project: str) -> AsyncIterator[Row]:
        after = _FIRST
        while True:
            found = await self._graph.read_one(statement, project=project, after=after, limit=_PAGE)
            rows = found["page"] if found else []
            if not rows:
                return
            for row in rows:
                yield row
            after = rows[-1]["id"]

    async def _write_batch(self, kind: str, rows: Sequence[Any], digest: str) -> None:
        if kind == "project":
            await self._graph.write("backup/restore_projects", rows=rows, digest=digest)
        elif kind in _RESTORE:
            await self._graph.write(_RESTORE[kind], rows=rows)
        else:
            written = await self._graph.write_one(_RESTORE_LINKS[kind], rows=rows)
            if written is None or written["written"] != len(rows):
                raise DatabaseError("snapshots vanished while they were being restored: restore the same file again")


def _properties(parts: Row) -> Row:
    """Properties of which the times came apart."""
    lists = {name: [from_microseconds(moment) for moment in moments] for name, moments in parts["time_lists"]}
    return dict(parts["plain"]) | {name: from_microseconds(moment) for name, moment in parts["times"]} | lists


def _batches(path: Path) -> Iterator[tuple[str, list[Any]]]:
    """Entries of one kind, in batches that fit into a transaction; all snapshots before what links them."""
    waiting: dict[str, list[Any]] = defaultdict(list)
    characters = 0
    for kind, value in read_backup(path):
        if kind not in {"project", "snapshot"}:
            for earlier in ("project", "snapshot"):
                if waiting[earlier]:
                    yield earlier, waiting.pop(earlier)
        waiting[kind].append(value)
        characters += len(value.get("content", ""))
        if len(waiting[kind]) >= _BATCH_ROWS or characters >= _BATCH_CHARACTERS:
            yield kind, waiting.pop(kind)
            characters = 0
    yield from ((kind, rows) for kind, rows in waiting.items() if rows)


def _need_admin(caller: Caller) -> None:
    if Scope.ADMIN not in caller.scopes or caller.projects is not None:
        raise AccessDeniedError("backup and restore concern all projects: they need the scope admin")


def _result(names: list[str], counts: dict[str, int], path: Path, digest: str) -> BackupResult:
    return BackupResult(
        projects=names,
        snapshots=counts["snapshot"],
        links=counts["link"],
        references=counts["about"],
        tombstones=counts["tombstone"],
        bytes=path.stat().st_size,
        sha256=digest,
    )
