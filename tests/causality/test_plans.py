"""Traversals are planned as searches that visit each snapshot once, never as an enumeration of paths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from wakegraph.graph.driver import Graph
from wakegraph.graph.queries import cypher_root, statement

WALKS = {"chain": 2, "chain_lengths": 1, "detours": 1, "explore": 2, "reasoning": 1}
NAMES = sorted(file.name.removesuffix(".cypher") for file in (cypher_root() / "causality").iterdir())
KEY = {"project": "p", "id": "i"}
VALUES: list[dict[str, Any]] = [
    {"projects": None, "include_detected": False},
    {"projects": ["p"], "include_detected": True},
    {"projects": ["p", "q"], "include_detected": False},
]


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", []):
        yield from operators(child)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("values", VALUES, ids=["all projects", "one project", "two projects"])
async def test_walks_visit_each_snapshot_once(graph: Graph, name: str, values: dict[str, Any]) -> None:
    stated = statement(f"causality/{name}")
    parameters = {"keys": [KEY], "skip": 0, "limit": 50, "causes": True, "effects": True, "depth": 5, **KEY, **values}
    await graph.ready()
    async with graph.session("READ") as session:
        given = {key: parameters.get(key) for key in stated.params}
        plan = (await (await session.run("EXPLAIN " + stated.text, given)).consume()).plan
    assert plan is not None
    walks = [op for op in operators(dict(plan)) if op.startswith(("VarLength", "Repeat", "Stateful", "Shortest"))]
    assert walks == ["VarLengthExpand(Pruning,BFS,All)"] * WALKS.get(name, 0)
