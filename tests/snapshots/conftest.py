"""What a project holds, to the last property, so that 'nothing was changed' can be checked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from wakegraph.graph.driver import Graph
from wakegraph.graph.times import from_graph

_NODES = [
    f"MATCH (n:{label}) WHERE n.{name} = $project AND n.{key} IS NOT NULL RETURN labels(n) AS l, properties(n) AS p"
    for label, name, key in (
        ("Snapshot", "project", "created_at"),
        ("Artifact", "project", "ref"),
        ("WakegraphTombstone", "project", "id"),
        ("WakegraphProject", "name", "name"),
    )
]
_LINKS = """
MATCH (a:Snapshot)-[r]-(b)
WHERE a.project = $project AND a.created_at IS NOT NULL
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
                for query in (*_NODES, _LINKS):
                    result = await session.run(query, project=project)
                    rows += [from_graph(record.data()) async for record in result]
        return sorted(repr(sorted(row.items())) for row in rows)

    return dumped
