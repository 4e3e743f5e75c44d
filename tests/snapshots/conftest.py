"""What a project holds, to the last property, so that 'nothing was changed' can be checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from wakegraph.graph.driver import Graph
from wakegraph.graph.times import from_graph

_NODES = """
MATCH (n:Snapshot|Artifact|WakegraphTombstone|WakegraphProject)
WHERE n.project = $project OR n.name = $project
RETURN labels(n) AS labels, properties(n) AS properties
"""
_LINKS = """
MATCH (a:Snapshot {project: $project})-[r]-(b)
RETURN startNode(r) = a AS outgoing, a.id AS a, type(r) AS type, b.project AS project, coalesce(b.id, b.ref) AS b,
  properties(r) AS properties
"""

Dump = Callable[..., Awaitable[list[str]]]


@pytest.fixture
async def dump(graph: Graph) -> Dump:
    """`await dump(project, ...)`: everything that projects hold, as sorted texts."""

    async def dumped(*projects: str) -> list[str]:
        rows: list[dict[str, Any]] = []
        async with graph.session("READ") as session:
            for project in projects:
                for query in (_NODES, _LINKS):
                    result = await session.run(query, project=project)
                    rows += [from_graph(record.data()) async for record in result]
        return sorted(repr(sorted(row.items())) for row in rows)

    return dumped
