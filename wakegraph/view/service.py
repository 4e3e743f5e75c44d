"""Pictures of a graph: a project, a neighbourhood, one step further. Looking counts no access."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wakegraph.errors import NotFoundError
from wakegraph.graph.times import from_microseconds
from wakegraph.models import LOCAL_CALLER, Caller, Direction, SnapshotRef
from wakegraph.snapshots.naming import Key, default_project, require_project, similar_projects, visible_to
from wakegraph.snapshots.reading import check_limit
from wakegraph.snapshots.records import thresholds_of
from wakegraph.view.models import (
    Picture,
    PictureDetail,
    PictureHit,
    PictureHits,
    PictureLink,
    PictureNode,
    PictureProjects,
)

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph

__all__ = ["AROUND", "DEPTH", "MAX_NODES", "View"]

MAX_NODES = 5_000
DEPTH = 4
AROUND = 400
_CHAIN = 200


class View:
    """What the page asks for.

    Args:
        wake: the memory.
    """

    def __init__(self, wake: Wakegraph) -> None:
        self._wake = wake

    async def projects(self, *, caller: Caller = LOCAL_CALLER) -> PictureProjects:
        """The projects the caller may see, and the one to begin with."""
        projects = await self._wake.snapshots.projects(caller=caller)
        default = default_project(self._wake.settings)
        known = any(project.project == default for project in projects)
        return PictureProjects(projects=projects, default=default if known else None)

    async def project(
        self, project: str | None = None, *, limit: int = MAX_NODES, caller: Caller = LOCAL_CALLER
    ) -> Picture:
        """The newest snapshots of a project.

        Args:
            project: the project; by default the setting.
            limit: most snapshots, up to 5,000.
            caller: who asks.

        Raises:
            NotFoundError: there is no such project for this caller.
            InvalidInputError: no project is known, or the limit is out of range.
        """
        check_limit(limit, MAX_NODES)
        home = require_project(project, default_project(self._wake.settings), caller)
        row = await self._wake.graph.read_one("view/newest", project=home, limit=limit)
        if row is None or not row["total"]:
            await self._require_known(home, caller)
            return Picture(project=home, nodes=[], total=0, truncated=False)
        nodes = await self._nodes([Key(home, id_) for id_ in row["ids"]], visible_to(caller, home))
        return Picture(project=home, nodes=nodes, total=row["total"], truncated=row["total"] > len(row["ids"]))

    async def around(
        self,
        name: str,
        *,
        direction: str = Direction.BOTH,
        depth: int = DEPTH,
        limit: int = AROUND,
        project: str | None = None,
        caller: Caller = LOCAL_CALLER,
    ) -> Picture:
        """A snapshot with its chain to the root and what is near it; with depth 1, one step in a direction.

        Args:
            name: id, prefix of an id, or `project::id`.
            direction: `causes`, `effects` or `both`.
            depth: largest distance; the chain of primary causes is followed to the root unless it is 1.
            limit: most snapshots around it.
            project: where it is; the answer then shows nothing of other projects.
            caller: who asks.

        Raises:
            NotFoundError: there is no such snapshot.
            InvalidInputError: the name is ambiguous, or an argument is out of range.
        """
        check_limit(limit, MAX_NODES)
        found = await self._wake.causality.explore(
            name, direction=direction, depth=depth, limit=limit, project=project, caller=caller
        )
        keys = [Key(node.project, node.id) for node in found.nodes]
        focus = keys[0]
        if depth > 1:
            chain = await self._wake.causality.chain(str(focus), limit=_CHAIN, project=project, caller=caller)
            keys += [Key(step.project, step.id) for step in chain.steps]
        nodes = await self._nodes(dict.fromkeys(keys), visible_to(caller, project, focus))
        return Picture(
            focus=SnapshotRef(id=focus.id, project=focus.project, title=found.nodes[0].title),
            project=focus.project,
            nodes=nodes,
            total=max(found.total, len(nodes)),
            truncated=found.truncated,
        )

    async def detail(self, name: str, *, caller: Caller = LOCAL_CALLER) -> PictureDetail:
        """One snapshot in full with its links, and its score with the parts it is made of.

        Raises:
            NotFoundError: there is no such snapshot.
            InvalidInputError: the name is ambiguous.
        """
        snapshot = (await self._wake.snapshots.get([name], caller=caller))[0]
        score = await self._wake.propagation.explain_score(snapshot.ref, caller=caller)
        return PictureDetail(snapshot=snapshot, score=score)

    async def search(
        self, query: str, *, project: str | None = None, limit: int = 20, caller: Caller = LOCAL_CALLER
    ) -> PictureHits:
        """Find snapshots by words, in one project or in all the caller may see."""
        page = await self._wake.snapshots.search(
            query, project=project, all_projects=project is None, limit=limit, caller=caller
        )
        hits = [
            PictureHit(
                id=hit.snapshot.id,
                project=hit.snapshot.project,
                title=hit.snapshot.title,
                excerpt=hit.excerpt,
                causal_role=hit.snapshot.causal_role,
                created_at=hit.snapshot.created_at,
            )
            for hit in page.hits
        ]
        return PictureHits(hits=hits, total=page.total)

    async def _require_known(self, project: str, caller: Caller) -> None:
        graph = self._wake.graph
        if await graph.read_one("projects/one", name=project) is not None:
            return
        similar = await similar_projects(graph.read, project, caller)
        hint = f"; similar names: {', '.join(similar)}" if similar else ""
        raise NotFoundError(f"there is no project {project!r}{hint}")

    async def _nodes(self, keys: Iterable[Key], projects: list[str] | None) -> list[PictureNode]:
        import numpy as np

        from wakegraph.memory.tiers import MISSING, TIERS, epoch_ms, tier_codes

        row = await self._wake.graph.read_one("view/nodes", keys=[key.row() for key in keys], projects=projects)
        if row is None:
            return []
        active = np.array(row["active"], np.int64) // 1000
        now = epoch_ms(self._wake.clock())
        codes = tier_codes(active, np.full_like(active, MISSING), now, thresholds_of(self._wake.settings))
        nodes = [
            PictureNode(
                id=row["ids"][i],
                project=row["node_projects"][i],
                title=row["titles"][i],
                action_type=row["action_types"][i],
                causal_role=row["roles"][i],
                memory_tier=TIERS[code],
                prediction_score=row["scores"][i][0],
                created_at=from_microseconds(row["created"][i]),
                author=row["authors"][i][0],
                links=[
                    PictureLink(type=kind, project=to_project, id=to, origin=origin, primary=bool(primary))
                    for kind, to_project, to, origin, primary in row["links"][i]
                ],
                effects=row["effects"][i],
                leads_elsewhere=row["elsewhere"][i],
            )
            for i, code in enumerate(codes.tolist())
        ]
        return sorted(nodes, key=lambda node: (node.created_at, node.project, node.id))
