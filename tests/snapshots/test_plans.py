"""How the database finds snapshots: from an index, in its order, never by reading a project or a label."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from wakegraph.graph.driver import Graph
from wakegraph.graph.queries import statement
from wakegraph.graph.times import EARLIEST, LATEST

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
KEY = {"project": "no-such-project", "id": "x"}
FILTERS = {"action_type": None, "tag": None, "author": None, "session": None, "since": EARLIEST, "until": LATEST}
LIST = {"project": "no-such-project", "after_id": None, "limit": 10, **FILTERS}

IN_ORDER: dict[str, dict[str, Any]] = {
    "snapshots/list_recent": LIST,
    "snapshots/list_predicted": LIST | {"at_most": 2.0, "superseded": False},
    "snapshots/list_least_recently_used": LIST | {"from": EARLIEST, "as_of": NOW},
    "resume/newest": {"project": "no-such-project", "latest": LATEST, "author": None, "window": 10, "limit": 5},
}
SEEKING: dict[str, dict[str, Any]] = {
    **IN_ORDER,
    "snapshots/list_session": LIST | {"session": "s"},
    "snapshots/list_about": LIST | {"about": "a.py"},
    "resume/newest_of_session": {"project": "no-such-project", "session": "s"},
    "snapshots/get": {"keys": [KEY], "projects": None},
    "snapshots/existing": {"keys": [KEY]},
    "snapshots/by_id": {"id": "x", "projects": None, "limit": 10},
    "snapshots/by_prefix": {"id": "no-such-prefix", "projects": None, "limit": 10},
    "snapshots/tombstone": {"id": "x", "projects": None},
    "snapshots/superseded_by": {"keys": [KEY], "projects": None},
    "snapshots/links_out": KEY,
    "snapshots/delete_check": {"key": KEY, "projects": None},
}
SCANS = {"NodeByLabelScan", "AllNodesScan", "UnionNodeByLabelsScan", "NodeIndexScan", "DirectedRelationshipTypeScan"}
# A partial sort goes on within equal values of the index only.
SORTS = {"Sort", "Top", "TopNWithTies"}


def operators(plan: dict[str, Any], *, whole: bool = True) -> Iterator[str]:
    """The operators of a plan; or of its main line only, without the subqueries that are run for each row."""
    yield plan["operatorType"].partition("@")[0]
    children = plan.get("children", [])
    for child in children if whole else children[:1]:
        yield from operators(child, whole=whole)


async def planned(graph: Graph, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    text = "\n".join(line for line in statement(name).text.splitlines() if not line.startswith("//"))
    async with graph.session("READ") as session:
        result = await session.run(f"EXPLAIN {text}", parameters)
        found = (await result.consume()).plan
    assert found is not None
    return found


@pytest.mark.parametrize("name", SEEKING)
async def test_it_seeks(graph: Graph, name: str) -> None:
    assert not SCANS & set(operators(await planned(graph, name, SEEKING[name])))


@pytest.mark.parametrize("name", IN_ORDER)
async def test_it_reads_in_the_order_of_the_index(graph: Graph, name: str) -> None:
    assert not SORTS & set(operators(await planned(graph, name, IN_ORDER[name]), whole=False))
