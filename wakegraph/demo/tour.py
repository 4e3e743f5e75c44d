"""What the demo looks at."""

from __future__ import annotations

from dataclasses import dataclass

from wakegraph.graph.driver import Graph

__all__ = ["LongChain", "longest_chain"]


@dataclass(frozen=True, slots=True)
class LongChain:
    """The snapshot of a project that is farthest from its root.

    Attributes:
        id: the snapshot.
        root: where its chain begins.
        length: snapshots of the chain.
    """

    id: str
    root: str
    length: int


async def longest_chain(graph: Graph, project: str) -> LongChain | None:
    """Find the longest primary chain of a project; the newest one when several are as long."""
    row = await graph.read_one("demo/longest_chain", project=project)
    return None if row is None else LongChain(row["id"], row["root"], row["length"])
