"""Layer 2 on the database: access, tiers, statistics, pruning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from wakegraph.errors import AccessDeniedError, InvalidInputError
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.times import EPOCH
from wakegraph.memory import pruning
from wakegraph.memory.models import (
    DatedRef,
    Kept,
    MemoryStats,
    PruneResult,
    TierChange,
    TierCounts,
    TierRecalculation,
)
from wakegraph.memory.tiers import tier_times
from wakegraph.memory.upkeep import bring_up_to_date
from wakegraph.models import LOCAL_CALLER, Caller, LinkType, SnapshotRef
from wakegraph.settings import Settings
from wakegraph.snapshots.naming import Key, known_project, visible_to
from wakegraph.snapshots.reading import check_limit
from wakegraph.snapshots.records import thresholds_of
from wakegraph.snapshots.saving import author_of

__all__ = ["MAX_PRUNED", "Memory"]

MAX_PRUNED = 100_000
_KEPT_ACCESSES = 16
_REASONS = {
    LinkType.CAUSED_BY: "a kept one is caused by it",
    LinkType.DEPENDS_ON: "a kept one depends on it",
    LinkType.SUPERSEDES: "it supersedes a kept one",
}


class Memory:
    """How relevant snapshots are now.

    Every method takes `caller`, who asks; by default the local user.

    Args:
        graph: the database.
        settings: the settings.
        clock: gives the present time, aware.
    """

    def __init__(self, graph: Graph, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._settings = settings
        self._clock = clock

    async def record_access(
        self, keys: Iterable[Key], *, accessor: str | None = None, now: datetime | None = None
    ) -> int:
        """Count one access to each of some snapshots, in one statement.

        The counts are exact however many do this at once. Nothing is counted in read-only mode. A reader for whom
        counting is not the point should log a failure and go on.

        Args:
            keys: the snapshots; one named twice counts once.
            accessor: who reads, when known.
            now: the moment of the access.

        Returns:
            How many accesses were counted: those of snapshots that exist.
        """
        ordered = sorted(set(keys))
        if self._settings.read_only or not ordered:
            return 0
        row = await self._graph.write_one(
            "memory/record_access",
            keys=[key.row() for key in ordered],
            accessor=accessor or "",
            now=self._moment(now),
            epoch=EPOCH,
            kept=_KEPT_ACCESSES,
        )
        return int(row["counted"]) if row else 0

    async def stats(
        self, *, project: str | None = None, caller: Caller = LOCAL_CALLER, now: datetime | None = None
    ) -> MemoryStats:
        """Snapshots of a project by tier, over all of them, with the oldest and the newest.

        Raises:
            NotFoundError: there is no such project.
        """
        name = await self._project(project, caller)
        moment = self._moment(now)
        times = tier_times(moment, thresholds_of(self._settings))
        row = await self._graph.read_one(
            "memory/stats", project=name, active=times.active, recent=times.recent, archived=times.archived
        )
        assert row is not None  # noqa: S101  the statement always returns one row
        return MemoryStats(
            project=name,
            as_of=moment,
            total=row["total"],
            tiers=TierCounts(**{tier: row[tier] for tier in ("active", "recent", "archived", "expired")}),
            oldest=DatedRef(**row["oldest"]) if row["oldest"] else None,
            newest=DatedRef(**row["newest"]) if row["newest"] else None,
            never_accessed=row["never_accessed"],
        )

    async def recalculate_tiers(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> TierRecalculation:
        """Bring the stored tiers of a project, or of all, up to date. Only those that change are written.

        Raises:
            NotFoundError: there is no such project.
            AccessDeniedError: read-only mode.
        """
        self._refuse_write()
        moment = self._moment(now)
        times = tier_times(moment, thresholds_of(self._settings))
        projects = await self._projects(project, all_projects, caller)
        changes: Counter[tuple[str | None, str]] = Counter()
        for name in projects:
            changes += await bring_up_to_date(self._graph, name, times)
        return TierRecalculation(
            project=None if all_projects else projects[0],
            as_of=moment,
            projects=len(projects),
            changed=changes.total(),
            changes=[
                TierChange.model_validate({"from_tier": before, "to_tier": after, "snapshots": count})
                for (before, after), count in sorted(changes.items(), key=lambda item: (item[0][0] or "", item[0][1]))
            ],
        )

    async def prune(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        limit: int = 100,
        dry_run: bool = True,
        author: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> PruneResult:
        """Remove expired snapshots that nothing kept needs, or, in a dry run, say which these are.

        Kept are those that a kept snapshot is caused by, or depends on by more than detection; and those that supersede
        a kept snapshot, else it would look as if it still held. What nobody needs goes longest unused first, but
        nothing before what needs it. Each one removed is remembered by a tombstone.

        Args:
            project: the project; a snapshot of any other project counts as kept.
            all_projects: prune all projects instead.
            limit: how many may go at the most, 1 to 100,000.
            dry_run: change nothing.
            author: who prunes, for the tombstones.
            caller: who asks.
            now: the moment for which snapshots are expired.

        Raises:
            NotFoundError: there is no such project.
            InvalidInputError: the limit is out of range.
            AccessDeniedError: read-only mode and not a dry run.
        """
        check_limit(limit, MAX_PRUNED)
        if not dry_run:
            self._refuse_write()
        moment = self._moment(now)
        until = tier_times(moment, thresholds_of(self._settings)).archived
        projects = await self._projects(project, all_projects, caller)
        expired = await pruning.find_expired(self._graph, projects, until)
        chosen = expired.selection(limit)
        groups = [[expired.keys[position] for position in group] for group in chosen.groups]
        gone = [key for group in groups for key in group]
        kept = sorted(chosen.kept_for)[:limit]
        shown = {*gone, *(expired.keys[end] for place in kept for end in (place, chosen.kept_for[place]))}
        named = await self._named(shown, projects, until)
        if not dry_run:
            by = author_of(author, caller, self._settings)
            gone = await pruning.prune(self._graph, groups, until=until, now=moment, by=by)
        visible = visible_to(caller, project)
        return PruneResult(
            project=None if all_projects else projects[0],
            as_of=moment,
            dry_run=dry_run,
            expired=len(expired.keys),
            pruned=[_ref(key, named) for key in gone],
            pruned_count=len(gone),
            remaining=chosen.remaining,
            kept_count=len(chosen.kept_for),
            kept=[_kept(expired.keys[place], expired.keys[chosen.kept_for[place]], named, visible) for place in kept],
        )

    async def _named(self, keys: Iterable[Key], projects: list[str], until: datetime) -> dict[Key, Row]:
        rows = await self._graph.read(
            "memory/expired_named", keys=[key.row() for key in sorted(keys)], projects=projects, until=until
        )
        return {Key(row["project"], row["id"]): row for row in rows}

    async def _projects(self, project: str | None, all_projects: bool, caller: Caller) -> list[str]:
        if not all_projects:
            return [await self._project(project, caller)]
        if project is not None:
            raise InvalidInputError(f"give either project {project!r} or all projects, not both")
        return [row["name"] for row in await self._graph.read("projects/names", projects=caller.project_list())]

    async def _project(self, project: str | None, caller: Caller) -> str:
        return await known_project(self._graph.read, project, self._settings.project, caller)

    def _moment(self, now: datetime | None) -> datetime:
        return self._clock() if now is None else now

    def _refuse_write(self) -> None:
        if self._settings.read_only:
            raise AccessDeniedError("wakegraph runs in read-only mode, nothing was written: unset WAKEGRAPH_READ_ONLY")


def _ref(key: Key, named: Mapping[Key, Row]) -> SnapshotRef:
    return SnapshotRef(id=key.id, project=key.project, title=named[key]["title"] if key in named else None)


def _kept(key: Key, needed_by: Key, named: Mapping[Key, Row], visible: Sequence[str] | None) -> Kept:
    """Why an expired snapshot stays."""
    ref = dict(_ref(key, named))
    if needed_by != key:
        return Kept(**ref, reason="needed by an expired one that stays", needed_by=_ref(needed_by, named))
    holder = named[key]["held_by"] if key in named else None
    if holder is None:
        return Kept(**ref, reason="something kept needed it a moment ago")
    if visible is not None and holder["project"] not in visible:
        return Kept(**ref, reason="needed by a snapshot of another project")
    link = LinkType(holder["type"])
    by = SnapshotRef(id=holder["id"], project=holder["project"], title=holder["title"])
    return Kept(**ref, reason=_REASONS[link], needed_by=by, link=link)
