"""What the database reads for single calls: the statements of each call, profiled.

The database's own count of its accesses is free of noise: where it is the same in a graph of ten thousand snapshots and
in one of a million, the call does not grow with the graph.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from wakegraph import Wakegraph
from wakegraph.graph.driver import Graph
from wakegraph.graph.queries import statement

SCANS = frozenset({"AllNodesScan", "NodeByLabelScan", "NodeIndexScan", "DirectedRelationshipTypeScan"})


async def plans(wake: Wakegraph, calls: dict[str, Callable[[str], Awaitable[Any]]], name: str) -> list[dict[str, Any]]:
    """For each call with the snapshot `name`: its statements, their database accesses, and how they find nodes."""
    found = []
    for call in calls.values():
        with recorded(wake.graph) as statements:
            await call(name)
        profiles = [await profiled(wake, text, parameters) for text, parameters in statements]
        operators = [operator for profile in profiles for operator in _operators(profile)]
        found.append(
            {
                "statements": len(statements),
                "database_accesses": sum(operator["args"].get("DbHits", 0) for operator in operators),
                "indexes": "; ".join(sorted({key for operator in operators for key in _index(operator)})),
                "scans": sum(operator["operatorType"].partition("@")[0] in SCANS for operator in operators),
            }
        )
    return found


@contextmanager
def recorded(graph: Graph) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """Collects the statements that are run meanwhile, with their parameters."""
    statements: list[tuple[str, dict[str, Any]]] = []
    before = graph.span

    def span(name: str, parameters: Mapping[str, Any]) -> AbstractContextManager[object]:
        statements.append((statement(name).text, dict(parameters)))
        return before(name, parameters)

    graph.span = span
    try:
        yield statements
    finally:
        graph.span = before


async def profiled(wake: Wakegraph, text: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Run a statement once more, without keeping what it writes."""
    async with wake.graph.session("WRITE") as session:
        transaction = await session.begin_transaction()
        try:
            result = await transaction.run(f"PROFILE {text}", parameters)
            profile = (await result.consume()).profile
        finally:
            await transaction.rollback()
    assert profile is not None
    return profile


def _operators(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("children", ()):
        yield from _operators(child)


def _index(operator: dict[str, Any]) -> list[str]:
    return re.findall(r"(?:INDEX|UNIQUE) \w+:(\w+\([\w, ]+\))", operator["args"].get("Details", ""))
