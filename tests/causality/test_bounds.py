"""Graphs that walk naive traversals to death: cycles, ladders, long chains, stars. Each answer comes in bounded time.

The bounds tell work that grows with the snapshots from work that grows with the paths; they are no benchmark.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from causality.graphs import Drawing, chain, comb, ladder, star

from wakegraph.app import Wakegraph
from wakegraph.causality.service import MAX_NODES
from wakegraph.graph.driver import Graph


@contextmanager
def within(seconds: float) -> Iterator[None]:
    started = time.perf_counter()
    yield
    assert time.perf_counter() - started < seconds


async def ask_everything(wake: Wakegraph, project: str, name: str) -> None:
    """Every read of layer 1, each in bounded time."""
    causality = wake.causality
    with within(5):
        await causality.chain(name, project=project)
        await causality.reasoning(name, project=project, include_detected=True)
    with within(5):
        await causality.explore(name, direction="both", project=project, depth=1000, limit=1000)
    with within(5):
        await causality.stats(project)
    with within(5):
        await causality.validate(project)
        await causality.recalculate_roles(project)


CYCLES = {
    "self-loop": [("a", "a")],
    "two": [("a", "b"), ("b", "a")],
    "three": [("a", "b"), ("b", "c"), ("c", "a")],
    "three and a way in": [("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")],
}


@pytest.mark.parametrize("links", CYCLES.values(), ids=CYCLES)
async def test_causal_cycles_end_and_are_reported(
    wake: Wakegraph, graph: Graph, project: str, links: list[tuple[str, str]]
) -> None:
    await Drawing(project, ["a", "b", "c", "d"], causes=links, dependencies=links).write(graph)
    await ask_everything(wake, project, "a")
    members = sorted({node for link in links for node in link} - {"d"})
    found = await wake.causality.chain("a", project=project)
    assert sorted(s.id for s in found.steps) == members
    assert found.irregular
    assert found.distinct_roots == 0
    report = await wake.causality.validate(project)
    assert [(g.size, g.ids) for g in report.causal_cycles] == [(len(members), members)]
    assert [g.ids for g in report.dependency_groups] == [members]
    assert not report.ok
    ancestry = await wake.causality.ancestry("a", project=project)
    assert sorted(n.id for n in ancestry.nodes) == members


async def test_several_primary_causes_and_none_are_reported(wake: Wakegraph, graph: Graph, project: str) -> None:
    await Drawing(
        project,
        ["a", "b", "two", "none", "right"],
        causes=[
            ("two", "a", {"primary": True}),
            ("two", "b", {"primary": True}),
            ("none", "a", {"primary": False}),
            ("right", "two"),
        ],
    ).write(graph)
    report = await wake.causality.validate(project)
    assert [(f.id, f.causes, f.primaries) for f in report.primary_faults] == [("none", 1, 0), ("two", 2, 2)]
    assert (report.primary_faults_total, report.ok) == (2, False)
    found = await wake.causality.chain("right", project=project)
    assert found.irregular
    assert [s.id for s in found.steps][-2:] == ["two", "right"]
    assert [s.id for s in (await wake.causality.chain("none", project=project)).steps] == ["none"]


async def test_groups_that_depend_on_each_other_are_found_without_detected_links(
    wake: Wakegraph, graph: Graph, project: str
) -> None:
    await Drawing(
        project,
        ["a", "b", "c", "d", "e"],
        dependencies=[
            ("a", "b"),
            ("b", "c"),
            ("c", "a"),
            ("d", "a"),
            ("d", "e"),
            ("e", "d", {"origin": "detected", "gap_seconds": 1.0}),
        ],
    ).write(graph)
    report = await wake.causality.validate(project)
    assert [g.ids for g in report.dependency_groups] == [["a", "b", "c"]]
    assert report.ok
    assert [n.id for n in (await wake.causality.impact("a", project=project)).nodes] == ["a", "c", "d", "b"]


async def test_findings_are_listed_up_to_a_limit_and_counted_in_full(
    wake: Wakegraph, graph: Graph, project: str
) -> None:
    drawing = chain(project, 20)
    drawing.nodes = [*reversed(drawing.nodes), *(f"lone{i}" for i in range(5))]
    await drawing.write(graph)
    report = await wake.causality.validate(project, limit=3)
    assert (report.time_inversions_total, len(report.time_inversions)) == (19, 3)
    assert (report.time_inversions[0].effect, report.time_inversions[0].cause) == ("c1", "c0")
    assert report.time_inversions[0].seconds == 1.0
    assert (report.unlinked_total, report.unlinked) == (5, ["lone0", "lone1", "lone2"])
    assert report.snapshots == 25
    assert report.ok


@pytest.mark.parametrize("layers", [25, 60])
async def test_ladders_are_walked_by_snapshot_not_by_path(
    wake: Wakegraph, graph: Graph, project: str, layers: int
) -> None:
    await ladder(project, layers).write(graph)
    top = f"l{layers - 1}a"
    with within(5):
        ancestry = await wake.causality.ancestry(top, project=project)
    with within(5):
        impact = await wake.causality.impact("l0b", project=project)
    for found in (ancestry, impact):
        assert (found.total, found.nodes[-1].distance) == (2 * layers - 1, layers - 1)
    assert len(ancestry.edges) == 2 * (4 * layers - 6)
    await ask_everything(wake, project, top)
    steps = await wake.causality.chain(top, project=project)
    assert (steps.length, steps.other_causes, steps.distinct_roots) == (layers, layers - 1, 2)


async def test_a_chain_of_10_000_is_one_statement(wake: Wakegraph, graph: Graph, project: str) -> None:
    await chain(project, 10_000).write(graph)
    with within(5):
        found = await wake.causality.chain("c9999", project=project)
    assert [s.id for s in found.steps] == [f"c{i}" for i in range(10_000)]
    assert [s.depth for s in found.steps] == list(range(10_000))
    with within(5):
        short = await wake.causality.chain("c9999", project=project, limit=50)
    assert (len(short.steps), short.length) == (50, 10_000)
    with within(5):
        assert (await wake.causality.impact("c0", project=project, limit=MAX_NODES)).total == 10_000
    stats = await wake.causality.stats(project)
    assert (stats.mean_chain_length, stats.max_chain_length, stats.leaves) == (10_000, 10_000, 1)
    await ask_everything(wake, project, "c9999")


async def test_a_star_of_10_000_is_cut_and_says_so(wake: Wakegraph, graph: Graph, project: str) -> None:
    await star(project, 10_000).write(graph)
    with within(5):
        found = await wake.causality.impact("hub", project=project, limit=10)
    assert (len(found.nodes), found.truncated, found.total) == (10, True, 10_001)
    assert [n.id for n in found.nodes[1:3]] == ["p0", "p1"]
    stats = await wake.causality.stats(project)
    assert (stats.leaves, stats.mean_chain_length, stats.max_chain_length) == (10_000, 2.0, 2)
    await ask_everything(wake, project, "hub")


async def test_chain_statistics_of_a_comb_go_by_distance(wake: Wakegraph, graph: Graph, project: str) -> None:
    await comb(project, 3_000).write(graph)
    with within(5):
        stats = await wake.causality.stats(project)
    # back0 has one primary cause, root0; tooth i lies on root0, back0, ..., back i, tooth i.
    assert (stats.leaves, stats.max_chain_length, stats.mean_chain_length) == (3_000, 3_002, 1502.5)
    with within(5):
        found = await wake.causality.chain("tooth2999", project=project)
    assert (found.length, found.other_causes, found.distinct_roots) == (3_002, 2_999, 3_000)
