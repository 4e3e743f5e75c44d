"""Pages of an export are read in the order of an index: what lies behind a page is not read for it."""

from __future__ import annotations

import pytest

from tests.snapshots.test_plans import SCANS, SORTS, operators, planned
from wakegraph.graph.driver import Graph

PAGE = {"project": "no-such-project", "after": "2026-01-01T00:00:00Z", "id": "x", "limit": 10, "projects": None}


@pytest.mark.parametrize("name", ["interchange/export_page", "interchange/provenance_page"])
async def test_a_page_is_read_in_the_order_of_the_index(graph: Graph, name: str) -> None:
    found = set(operators(await planned(graph, name, PAGE), whole=False))
    # A union of two ways to a page reads all that is left of the project, sorts it, and takes ten.
    assert not found & (SCANS | SORTS | {"Union", "Distinct"})
