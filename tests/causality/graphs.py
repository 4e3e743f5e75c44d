"""Causal graphs written straight into the database, the ones that no caller could make included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from wakegraph.causality.rules import role_of
from wakegraph.graph.driver import Graph

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
RECORDED = datetime(2026, 1, 2, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BATCH = 5_000

_CREATE = """
UNWIND $rows AS row
CREATE (s:Snapshot)
SET s = row
"""
_LINK = {
    "CAUSED_BY": """
UNWIND $rows AS row
MATCH (a:Snapshot {project: row.project, id: row.source}), (b:Snapshot {project: row.target_project, id: row.target})
CREATE (a)-[r:CAUSED_BY]->(b) SET r = row.properties
""",
    "DEPENDS_ON": """
UNWIND $rows AS row
MATCH (a:Snapshot {project: row.project, id: row.source}), (b:Snapshot {project: row.target_project, id: row.target})
CREATE (a)-[r:DEPENDS_ON]->(b) SET r = row.properties
""",
    "SUPERSEDES": """
UNWIND $rows AS row
MATCH (a:Snapshot {project: row.project, id: row.source}), (b:Snapshot {project: row.target_project, id: row.target})
CREATE (a)-[r:SUPERSEDES]->(b) SET r = row.properties
""",
}
_ABOUT = """
UNWIND $rows AS row
MATCH (s:Snapshot {project: row.project, id: row.id})
MERGE (a:Artifact {project: row.project, ref: row.ref})
MERGE (s)-[:ABOUT]->(a)
"""
_PROJECT = "MERGE (p:WakegraphProject {name: $project}) ON CREATE SET p.created_at = $now"


@dataclass
class Drawing:
    """A graph to write. Links are (source, target) or (source, target, properties); an end may be `project::id`.

    `causes` in the order stated: the first of a snapshot is its primary one, unless `primary` is given.
    """

    project: str
    nodes: Sequence[str]
    causes: Sequence[Sequence[Any]] = ()
    dependencies: Sequence[Sequence[Any]] = ()
    supersedes: Sequence[Sequence[Any]] = ()
    about: Sequence[tuple[str, str]] = ()
    properties: dict[str, dict[str, Any]] = field(default_factory=dict)
    start: datetime = START

    async def write(self, graph: Graph) -> None:
        await _run(graph, _PROJECT, project=self.project, now=RECORDED)
        await _batches(graph, _CREATE, self._node_rows())
        first: set[str] = set()
        rows = []
        for source, target, *more in self.causes:
            rows.append(self._link_row(source, target, {"primary": source not in first, **(more[0] if more else {})}))
            first.add(source)
        await _batches(graph, _LINK["CAUSED_BY"], rows)
        for kind, links in (("DEPENDS_ON", self.dependencies), ("SUPERSEDES", self.supersedes)):
            rows = [self._link_row(source, target, *more) for source, target, *more in links]
            await _batches(graph, _LINK[kind], rows)
        await _batches(graph, _ABOUT, [{"project": self.project, "id": id_, "ref": ref} for id_, ref in self.about])

    def _node_rows(self) -> list[dict[str, Any]]:
        causes, effects = _counts(self.causes)
        rows = []
        for number, id_ in enumerate(self.nodes):
            moment = self.start + timedelta(seconds=number)
            row = {
                "project": self.project,
                "id": id_,
                "content": f"content of {id_}",
                "summary": f"summary of {id_}",
                "title": f"title of {id_}",
                "tags": [],
                "action_type": "conversation",
                "source": "api",
                "created_at": moment,
                "recorded_at": moment,
                "access_count": 0,
                "recent_accesses": [],
                "recent_accessors": [],
                "last_activity": moment,
                "memory_tier": "ACTIVE",
                "causal_role": role_of(causes.get(id_, 0), effects.get(id_, 0)).value,
                "last_predicted": EPOCH,
            }
            rows.append({**row, **self.properties.get(id_, {})})
        return rows

    def _link_row(self, source: str, target: str, properties: dict[str, Any] | None = None) -> dict[str, Any]:
        project, _, id_ = target.rpartition("::")
        return {
            "project": self.project,
            "source": source,
            "target_project": project or self.project,
            "target": id_,
            "properties": {"origin": "stated", "recorded_at": RECORDED, **(properties or {})},
        }


def _counts(links: Iterable[Sequence[Any]]) -> tuple[dict[str, int], dict[str, int]]:
    causes: dict[str, int] = {}
    effects: dict[str, int] = {}
    for source, target, *_ in links:
        causes[source] = causes.get(source, 0) + 1
        effects[target] = effects.get(target, 0) + 1
    return causes, effects


async def _run(graph: Graph, text: str, **parameters: Any) -> None:
    await graph.ready()
    async with graph.session("WRITE") as session:
        await (await session.run(text, parameters)).consume()


async def _batches(graph: Graph, text: str, rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), _BATCH):
        await _run(graph, text, rows=rows[start : start + _BATCH])


def chain(project: str, length: int) -> Drawing:
    """c0 <- c1 <- c2 ...: c0 is the root."""
    return Drawing(project, [f"c{i}" for i in range(length)], [(f"c{i}", f"c{i - 1}") for i in range(1, length)])


def star(project: str, points: int) -> Drawing:
    """One root with that many effects."""
    return Drawing(project, ["hub", *(f"p{i}" for i in range(points))], [(f"p{i}", "hub") for i in range(points)])


def ladder(project: str, layers: int) -> Drawing:
    """Layers of two snapshots, each caused by and depending on both of the layer below: 2^(layers-1) ways up."""
    rungs = [(f"l{i}{a}", f"l{i - 1}{b}") for i in range(1, layers) for a in "ab" for b in "ab"]
    return Drawing(project, [f"l{i}{a}" for i in range(layers) for a in "ab"], rungs, rungs)


def comb(project: str, length: int) -> Drawing:
    """A chain whose every step has an effect of its own and, as a second cause, a root of its own."""
    nodes = [f"{kind}{i}" for i in range(length) for kind in ("root", "back", "tooth")]
    causes: list[tuple[str, str]] = []
    for i in range(length):
        if i:
            causes.append((f"back{i}", f"back{i - 1}"))
        causes += [(f"back{i}", f"root{i}"), (f"tooth{i}", f"back{i}")]
    return Drawing(project, nodes, causes)
