"""Layer 1 on the database: chains, ancestry and impact, roles, reasoning, validation, statistics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from posixpath import normpath
from typing import Any

from wakegraph.causality.models import (
    ActionTypeCounts,
    CausalChain,
    CausalityStats,
    ChainLink,
    ChainStep,
    GraphNode,
    Group,
    PrimaryFault,
    Reasoning,
    ReasoningLink,
    ReasoningRoot,
    RoleCounts,
    Subgraph,
    TimeInversion,
    ValidationReport,
    WhyAbout,
)
from wakegraph.causality.reasoning import reasoning_text
from wakegraph.causality.rules import Findings, Page, chain_gap
from wakegraph.errors import AccessDeniedError, InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.times import EPOCH, from_microseconds
from wakegraph.models import LOCAL_CALLER, Caller, CausalRole, Direction, Edge, NamedRef
from wakegraph.settings import Settings
from wakegraph.snapshots.naming import (
    Key,
    default_project,
    known_project,
    require_project,
    resolve,
    visible_to,
)
from wakegraph.snapshots.reading import check_limit, decode_cursor, encode_cursor
from wakegraph.snapshots.records import named_refs, sorted_refs, thresholds_of
from wakegraph.snapshots.rules import REF_LIMIT, check_enum, check_text, parse_name

__all__ = ["MAX_DEPTH", "MAX_NODES", "MAX_STEPS", "Causality"]

MAX_STEPS = 1_000_000
MAX_DEPTH = 1_000_000
MAX_NODES = 100_000
MAX_FINDINGS = 10_000
_MAX_ABOUT = 20
_LINKS = 20
_ALSO = 5
_ALIKE = 5
_GROUP = 20
_PAGE = 10_000
_WRITES = 2_000


class Causality:
    """Why snapshots exist and what follows from them.

    Every method takes `caller`, who asks; by default the local user. An answer shows the project that the call names;
    without one it follows links into every project the caller may see. Where it stops at the border, `leads_elsewhere`
    says so and nothing else does.

    Args:
        graph: the database.
        settings: the settings.
        clock: gives the present time, aware.
    """

    def __init__(self, graph: Graph, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._settings = settings
        self._clock = clock

    async def chain(
        self,
        name: str,
        *,
        project: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        caller: Caller = LOCAL_CALLER,
    ) -> CausalChain:
        """Follow the primary causes of a snapshot back to the root. One statement whatever the length.

        Args:
            name: id, prefix of an id, or `project::id`.
            project: where it is; the answer then shows nothing of other projects.
            limit: most steps; a longer chain gives the root, a gap that is stated, and the nearest steps. None for all.
            cursor: `next_cursor` of the page before: goes on into the gap, away from the asked snapshot. It is a number
                of steps, because what led to a snapshot stays the same while others write.
            caller: who asks.

        Returns:
            The root first, the asked snapshot last. `distinct_roots` counts over all causes, not only primary ones.

        Raises:
            NotFoundError: there is no such snapshot.
            InvalidInputError: the name is ambiguous, or an argument is out of range.
        """
        count = MAX_STEPS if limit is None else check_limit(limit, MAX_STEPS)
        skip = 0 if cursor is None else check_limit(decode_cursor(cursor, skip=int)["skip"], MAX_STEPS, "cursor")

        async def ask(key: Key, projects: list[str] | None) -> Row | None:
            return await self._graph.read_one(
                "causality/chain", keys=[key.row()], projects=projects, skip=skip, limit=count
            )

        key, row = await self._named(name, project, caller, ask)
        return _chain(key, row)

    async def explore(
        self,
        name: str,
        *,
        direction: Direction | str = Direction.CAUSES,
        depth: int = 5,
        limit: int = 100,
        include_detected: bool = False,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> Subgraph:
        """Everything that leads to a snapshot, or follows from it, or both.

        Both directions follow causes and dependencies alike, so that A is in the ancestry of B exactly when B is in the
        impact of A. Each snapshot comes once, with its smallest distance, whatever number of ways leads to it.

        Args:
            name: id, prefix of an id, or `project::id`.
            direction: `causes`, `effects` or `both`.
            depth: largest distance.
            limit: most snapshots, the asked one included; the nearest are kept, then the oldest.
            include_detected: follow detected dependencies too; they only say 'saved soon after'.
            project: where it is; the answer then shows nothing of other projects.
            caller: who asks.
            now: the moment of the call, for the tiers.

        Returns:
            The snapshots, the asked one first, all links between them, and whether there is more.

        Raises:
            NotFoundError: there is no such snapshot.
            InvalidInputError: the name is ambiguous, or an argument is out of range.
        """
        way = check_enum("direction", direction, Direction)
        check_limit(depth, MAX_DEPTH, "depth")
        check_limit(limit, MAX_NODES)

        async def ask(key: Key, projects: list[str] | None) -> Row | None:
            return await self._graph.read_one(
                "causality/explore",
                **key.row(),
                projects=projects,
                causes=way is not Direction.EFFECTS,
                effects=way is not Direction.CAUSES,
                include_detected=include_detected,
                depth=depth,
                limit=limit,
            )

        key, row = await self._named(name, project, caller, ask)
        nodes = self._nodes(row, now or self._clock())
        return Subgraph(
            id=key.id,
            project=key.project,
            direction=way,
            include_detected=include_detected,
            nodes=nodes,
            edges=_edges(row),
            truncated=len(nodes) < row["total"],
            total=row["total"],
        )

    async def ancestry(
        self,
        name: str,
        *,
        depth: int = MAX_DEPTH,
        limit: int = 1_000,
        include_detected: bool = False,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> Subgraph:
        """Every transitive cause and dependency: `explore` in the direction `causes`."""
        return await self.explore(
            name,
            direction=Direction.CAUSES,
            depth=depth,
            limit=limit,
            include_detected=include_detected,
            project=project,
            caller=caller,
            now=now,
        )

    async def impact(
        self,
        name: str,
        *,
        depth: int = MAX_DEPTH,
        limit: int = 1_000,
        include_detected: bool = False,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> Subgraph:
        """Everything that transitively follows, effects and dependents: `explore` in the direction `effects`."""
        return await self.explore(
            name,
            direction=Direction.EFFECTS,
            depth=depth,
            limit=limit,
            include_detected=include_detected,
            project=project,
            caller=caller,
            now=now,
        )

    async def reasoning(
        self,
        name: str | None = None,
        *,
        about: str | None = None,
        include_detected: bool = False,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
    ) -> Reasoning:
        """Answer "why does this exist?" in words and as data.

        Args:
            name: id, prefix of an id, or `project::id`.
            about: instead of a name, a reference: the newest snapshot about it is explained.
            include_detected: name detected dependencies too, as such.
            project: where it is; the answer then shows nothing of other projects.
            caller: who asks.

        Raises:
            NotFoundError: there is no such snapshot, or none about the reference.
            InvalidInputError: not exactly one of name and about was given, or the name is ambiguous.
        """
        if (name is None) == (about is None):
            raise InvalidInputError("give either the id of a snapshot or about, a path or other reference")
        also: list[NamedRef] = []
        if about is not None:
            home = require_project(project, default_project(self._settings), caller)
            shown = visible_to(caller, project)
            newest, *older = (await self._about(about, home, 1 + _ALSO, caller, shown))["snapshots"]
            name, also = str(Key(newest["project"], newest["id"])), named_refs(older)
        assert name is not None  # noqa: S101  one of both was given

        async def ask(key: Key, projects: list[str] | None) -> Row | None:
            return await self._graph.read_one(
                "causality/reasoning",
                **key.row(),
                projects=projects,
                include_detected=include_detected,
                limit=_LINKS,
            )

        key, row = await self._named(name, project, caller, ask)
        return _reasoning(key, row, about, also)

    async def why_about(
        self,
        ref: str,
        *,
        project: str | None = None,
        limit: int = 5,
        steps: int | None = None,
        caller: Caller = LOCAL_CALLER,
    ) -> WhyAbout:
        """The newest snapshots about a path or another reference, each with its chain. Two statements.

        Args:
            ref: the reference as it was given when saving; a path may also be given from another folder: the only
                stored one below it, else the longest that it ends with.
            project: the project; the answer then shows nothing of others.
            limit: most snapshots.
            steps: most steps of each chain, as in `chain`; None for all.
            caller: who asks.

        Raises:
            NotFoundError: nothing in the project is about it; the line names references that look like it.
        """
        check_limit(limit, _MAX_ABOUT)
        count = MAX_STEPS if steps is None else check_limit(steps, MAX_STEPS, "steps")
        home = require_project(project, default_project(self._settings), caller)
        shown = visible_to(caller, project)
        found = await self._about(ref, home, limit, caller, shown)
        keys = [Key(row["project"], row["id"]) for row in found["snapshots"]]
        rows = await self._graph.read(
            "causality/chain",
            keys=[key.row() for key in keys],
            projects=shown,
            skip=0,
            limit=count,
        )
        rows.sort(key=lambda row: row["position"])
        return WhyAbout(
            ref=found["ref"],
            project=home,
            total=found["total"],
            chains=[_chain(keys[row["position"]], row) for row in rows],
        )

    async def classify(self, of: str | Sequence[Key], *, caller: Caller = LOCAL_CALLER) -> dict[Key, CausalRole]:
        """The causal roles of some snapshots or of a whole project, from their links as they are now. One statement.

        Args:
            of: a project, or snapshots; those that do not exist for the caller are left out.
            caller: who asks.
        """
        if isinstance(of, str):
            home = require_project(of, None, caller)
            rows = await self._graph.read("causality/roles_of_project", project=home)
        else:
            keys = [key.row() for key in of if caller.may_see(key.project)]
            rows = await self._graph.read("causality/roles", keys=keys)
        return {Key(row["project"], row["id"]): CausalRole(row["role"]) for row in rows}

    async def recalculate_roles(self, project: str, *, caller: Caller = LOCAL_CALLER) -> int:
        """Bring the stored roles of a project up to date, in bounded batches; nothing is written where none differs.

        Predictions of the snapshots changed become stale, since a role is an input of a score.

        Returns:
            How many were changed.

        Raises:
            AccessDeniedError: in read-only mode.
        """
        if self._settings.read_only:
            raise AccessDeniedError("read-only mode: roles were not written")
        home = require_project(project, None, caller)
        changed, after = 0, ""
        while True:
            page = await self._graph.read_one("causality/role_drift", project=home, after=after, page=_PAGE)
            if page is None or not page["seen"]:
                return changed
            for start in range(0, len(page["ids"]), _WRITES):
                ids = page["ids"][start : start + _WRITES]
                written = await self._graph.write_one("causality/write_roles", project=home, ids=ids, epoch=EPOCH)
                changed += written["changed"] if written else 0
            after = page["last"]

    async def stats(self, project: str | None = None, *, caller: Caller = LOCAL_CALLER) -> CausalityStats:
        """Figures over a whole project, never a sample.

        A chain is counted inside the project: one that comes from another project begins where it enters. Roles and
        dependencies count all links of the project's snapshots, wherever they lead.

        Raises:
            NotFoundError: there is no such project.
        """
        home = require_project(project, default_project(self._settings), caller)
        rows = await self._graph.read("causality/stats", project=home)
        if not rows:
            await known_project(self._graph.read, home, None, caller)
        lengths = await self._graph.read_one("causality/chain_lengths", project=home) or {}
        roles = RoleCounts(**_sums(rows, "role"))
        chains = lengths["chains"]
        return CausalityStats(
            project=home,
            snapshots=sum(row["snapshots"] for row in rows),
            by_action_type=ActionTypeCounts(**_sums(rows, "action_type")),
            by_role=roles,
            with_causes=sum(row["with_causes"] for row in rows),
            roots=roles.root,
            leaves=roles.leaf,
            mean_chain_length=lengths["snapshots"] / chains if chains else 0.0,
            max_chain_length=lengths["longest"] or 0,
            stated_dependencies=sum(row["stated"] for row in rows),
            detected_dependencies=sum(row["detected"] for row in rows),
        )

    async def validate(
        self, project: str | None = None, *, limit: int = 100, caller: Caller = LOCAL_CALLER
    ) -> ValidationReport:
        """Look for what is odd in a project. Every snapshot and link is read once, in pages.

        Only links inside the project are judged; a causal cycle that runs through other projects is found too, and
        reported with its members in this one.

        Args:
            project: the project.
            limit: most findings of each kind to list; totals count all.
            caller: who asks.

        Raises:
            NotFoundError: there is no such project.
        """
        check_limit(limit, MAX_FINDINGS)
        home = require_project(project, default_project(self._settings), caller)
        findings, after = Findings(), ""
        while True:
            row = await self._graph.read_one("causality/validate_page", project=home, after=after, page=_PAGE)
            if row is None or not row["ids"]:
                break
            findings.add(Page(**row))
            after = row["ids"][-1]
        if not findings.ids:
            await known_project(self._graph.read, home, None, caller)
        detours = await self._graph.read("causality/detours", project=home)
        return _report(home, findings, [(row["effects"], row["causes"]) for row in detours], limit)

    async def _named(
        self,
        name: str,
        project: str | None,
        caller: Caller,
        ask: Callable[[Key, list[str] | None], Awaitable[Row | None]],
    ) -> tuple[Key, Row]:
        """Answer about the snapshot that `name` means.

        Most names are ids of the given or default project: they are answered at once, and only the others looked up.
        """
        parsed = parse_name(name)
        default = default_project(self._settings)
        home = parsed.project or (project if project is not None else default)
        if home is not None and caller.may_see(home):
            key = Key(home, parsed.id)
            row = await ask(key, visible_to(caller, project, key))
            if row is not None:
                return key, row
        key = await resolve(self._graph.read, name, project=project, default=default, caller=caller)
        row = await ask(key, visible_to(caller, project, key))
        if row is None:
            raise NotFoundError(f"snapshot {key} was deleted meanwhile")
        return key, row

    async def _about(self, ref: str, project: str, limit: int, caller: Caller, shown: list[str] | None) -> Row:
        check_text("about", ref, REF_LIMIT)
        row = await self._graph.read_one("causality/about", project=project, ref=ref, limit=limit, projects=shown)
        if row is not None and row["total"]:
            return {**row, "ref": ref}
        meant = await self._references_meant(ref, project)
        if len(meant) == 1:
            return await self._about(meant[0], project, limit, caller, shown)
        await known_project(self._graph.read, project, None, caller)
        alike = meant or await self._references_like(ref.rsplit("/", 1)[-1], project)
        hint = f"; did you mean {', '.join(alike)}?" if alike else ""
        raise NotFoundError(f"no snapshot in project {project!r} is about {ref!r}{hint}")

    async def _references_meant(self, path: str, project: str) -> list[str]:
        """The stored references that a path given from another folder may mean; the one when it is clear."""
        if "://" in path:
            return []
        parts = [part for part in normpath(path).split("/") if part not in {"", ".."}]
        tails = ["/".join(parts[first:]) for first in range(len(parts))]
        rows = await self._graph.read("causality/references", project=project, refs=tails)
        known = {row["ref"] for row in rows}
        if tails and tails[0] not in known and not path.startswith("/"):
            below = await self._references_like(f"/{tails[0]}", project)
            if below:
                return below
        # Of what the path ends with, the longest says most: docs/README.md rather than README.md.
        return next(([tail] for tail in tails if tail in known), [])

    async def _references_like(self, ending: str, project: str) -> list[str]:
        rows = await self._graph.read("causality/references_like", project=project, ending=ending, limit=_ALIKE)
        return [row["ref"] for row in rows]

    def _nodes(self, row: Row, now: datetime) -> list[GraphNode]:
        import numpy as np

        from wakegraph.memory.tiers import MISSING, TIERS, epoch_ms, tier_codes

        active = np.array(row["active"], np.int64) // 1000
        codes = tier_codes(active, np.full_like(active, MISSING), epoch_ms(now), thresholds_of(self._settings))
        return [
            GraphNode(
                id=row["ids"][i],
                project=row["node_projects"][i],
                distance=row["distances"][i],
                title=row["titles"][i],
                summary=row["summaries"][i],
                action_type=row["action_types"][i],
                causal_role=row["roles"][i],
                memory_tier=TIERS[code],
                prediction_score=row["scores"][i][0],
                created_at=from_microseconds(row["created"][i]),
                author=row["authors"][i][0],
                superseded_by=sorted_refs(row["superseded_by"][i]),
                leads_elsewhere=row["elsewhere"][i],
            )
            for i, code in enumerate(codes.tolist())
        ]


def _chain(key: Key, row: Row) -> CausalChain:
    length, distances = row["length"], row["distances"]
    steps = [
        ChainStep(
            id=row["ids"][i],
            project=row["step_projects"][i],
            depth=length - 1 - distance,
            title=row["titles"][i],
            summary=row["summaries"][i],
            action_type=row["action_types"][i],
            rationale=row["rationales"][i][0],
            timestamp=from_microseconds(row["times"][i]),
            role=row["roles"][i],
            author=row["authors"][i][0],
            link=_link(row["links"][i]),
            superseded_by=sorted_refs(row["superseded_by"][i]),
            leads_elsewhere=row["elsewhere"][i],
        )
        for i, distance in enumerate(distances)
    ]
    gap = chain_gap(length, distances)
    return CausalChain(
        id=key.id,
        project=key.project,
        steps=steps[::-1],
        length=length,
        other_causes=row["other_causes"],
        distinct_roots=row["distinct_roots"],
        gap=gap,
        next_cursor=encode_cursor(skip=length - 1 - gap.to_depth) if gap else None,
        irregular=row["irregular"],
    )


def _link(values: Sequence[Any]) -> ChainLink | None:
    origin, rationale = values
    return None if origin is None else ChainLink(origin=origin, rationale=rationale)


def _edges(row: Row) -> list[Edge]:
    """The links between the snapshots listed."""
    listed = set(zip(row["node_projects"], row["ids"], strict=True))
    edges = []
    for project, id_, links in zip(row["node_projects"], row["ids"], row["links"], strict=True):
        for kind, target_project, target, origin, rationale, primary, gap_seconds, recorded_at in links:
            if (target_project, target) in listed:
                edges.append(
                    Edge(
                        type=kind,
                        source=id_,
                        source_project=project,
                        target=target,
                        target_project=target_project,
                        origin=origin,
                        rationale=rationale,
                        primary=primary,
                        gap_seconds=gap_seconds,
                        recorded_at=None if recorded_at is None else from_microseconds(recorded_at),
                    )
                )
    edges.sort(key=lambda e: (e.source_project, e.source, e.type, not e.primary, e.target_project, e.target))
    return edges


def _reasoning(key: Key, row: Row, about: str | None, also: list[NamedRef]) -> Reasoning:
    causes = [_reasoning_link(link) for link in row["causes"]]
    dependencies = [_reasoning_link(link) for link in row["dependencies"]]
    untold = Reasoning(
        id=key.id,
        project=key.project,
        text="",
        title=row["title"],
        summary=row["summary"],
        action_type=row["action_type"],
        rationale=row["rationale"],
        author=row["author"],
        created_at=row["created_at"],
        role=row["role"],
        causes=causes,
        dependencies=dependencies,
        root=None if row["root"] is None else ReasoningRoot(**_named(row["root"])),
        chain_length=row["chain_length"],
        supersedes=sorted_refs(row["supersedes"]),
        superseded_by=sorted_refs(row["superseded_by"]),
        leads_elsewhere=row["elsewhere"],
        left_out=row["cause_count"] - len(causes) + row["dependency_count"] - len(dependencies),
        about=about,
        also_about=also,
    )
    return untold.model_copy(update={"text": reasoning_text(untold)})


def _reasoning_link(row: Mapping[str, Any]) -> ReasoningLink:
    return ReasoningLink(**_named(row))


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "superseded_by": sorted_refs(row["superseded_by"])}


def _sums(rows: Iterable[Row], name: str) -> dict[str, int]:
    sums: dict[str, int] = {}
    for row in rows:
        sums[row[name]] = sums.get(row[name], 0) + row["snapshots"]
    return sums


def _report(
    project: str, findings: Findings, detours: Sequence[tuple[Sequence[str], Sequence[str]]], limit: int
) -> ValidationReport:
    inversions = findings.time_inversions()
    groups = findings.dependency_groups()
    cycles = findings.causal_cycles(detours)
    return ValidationReport(
        project=project,
        snapshots=len(findings.ids),
        ok=not cycles and not findings.primary_faults,
        time_inversions=[TimeInversion(effect=e, cause=c, seconds=s) for e, c, s in inversions[:limit]],
        time_inversions_total=len(inversions),
        dependency_groups=_groups(groups[:limit]),
        dependency_groups_total=len(groups),
        unlinked=findings.unlinked[:limit],
        unlinked_total=len(findings.unlinked),
        primary_faults=[PrimaryFault(id=i, causes=c, primaries=p) for i, c, p in findings.primary_faults[:limit]],
        primary_faults_total=len(findings.primary_faults),
        causal_cycles=_groups(cycles[:limit]),
        causal_cycles_total=len(cycles),
    )


def _groups(groups: Iterable[Sequence[str]]) -> list[Group]:
    return [Group(size=len(group), ids=list(group[:_GROUP])) for group in groups]
