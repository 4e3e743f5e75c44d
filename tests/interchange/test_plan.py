"""The order of a graph, and its cycles."""

from __future__ import annotations

from collections import defaultdict
from graphlib import CycleError, TopologicalSorter

from hypothesis import given
from hypothesis import strategies as st

from wakegraph.interchange.plan import ordered

EDGES = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30)


def adjacency(edges: list[tuple[int, int]]) -> dict[int, list[tuple[int, int]]]:
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for label, (source, target) in enumerate(edges):
        found[source].append((target, label))
    return found


@given(EDGES)
def test_targets_come_first_or_a_cycle_is_named(edges: list[tuple[int, int]]) -> None:
    order, cycles = ordered(adjacency(edges))
    sorter = TopologicalSorter({})
    for source, target in edges:
        sorter.add(source, target)
    try:
        tuple(sorter.static_order())
    except CycleError:
        acyclic = False
    else:
        acyclic = not any(source == target for source, target in edges)
    assert acyclic is (not cycles)
    if acyclic:
        assert all(order.index(target) < order.index(source) for source, target in edges)
    for cycle in cycles:
        ends = [edges[label] for _, label in cycle]
        assert all(source == node for (source, _), (node, _) in zip(ends, cycle, strict=True))
        assert [target for _, target in ends] == [source for source, _ in ends[1:]] + [ends[0][0]]


def test_a_chain_of_any_length_needs_no_stack_of_calls() -> None:
    order, cycles = ordered({number: [(number - 1, 0)] for number in range(1, 50_000)})
    assert not cycles
    assert order == list(range(50_000))
