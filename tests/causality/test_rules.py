"""Roles, gaps and cycles as pure functions."""

from __future__ import annotations

import pytest
from causality.reference import mutual_groups
from hypothesis import given
from hypothesis import strategies as st

from wakegraph.causality.rules import Findings, Page, chain_gap, cyclic_groups, role_of
from wakegraph.models import CausalRole


@pytest.mark.parametrize(
    ("causes", "effects", "role"),
    [
        (0, 0, CausalRole.ISOLATED),
        (0, 1, CausalRole.ROOT),
        (0, 9, CausalRole.ROOT),
        (1, 0, CausalRole.LEAF),
        (3, 0, CausalRole.LEAF),
        (1, 1, CausalRole.LINK),
        (2, 1, CausalRole.LINK),
        (1, 2, CausalRole.BRANCH),
    ],
)
def test_role_of_a_snapshot(causes: int, effects: int, role: CausalRole) -> None:
    assert role_of(causes, effects) is role


@given(length=st.integers(1, 30), limit=st.integers(1, 30), skip=st.integers(0, 30))
def test_a_gap_and_the_steps_shown_are_the_whole_chain(length: int, limit: int, skip: int) -> None:
    near = limit - 1 if length > limit > 1 and skip == 0 else limit
    shown = [i for i in range(length) if skip <= i < skip + near]
    if skip == 0 and limit > 1 and length - 1 not in shown:
        shown.append(length - 1)
    gap = chain_gap(length, shown)
    depths = {length - 1 - i for i in shown} | {length - 1 - i for i in range(min(skip, length))}
    left_out = set(range(gap.from_depth, gap.to_depth + 1)) if gap else set()
    if shown:
        assert depths.isdisjoint(left_out)
        assert depths | left_out == set(range(length))
        assert gap is None or gap.count == len(left_out) > 0


@given(st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_cyclic_groups_are_those_found_by_comparing_all_pairs(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, links = graph
    targets: list[list[int]] = [[] for _ in range(count)]
    for source, target in links:
        targets[source].append(target)
    names = [f"{i:02}" for i in range(count)]
    expected = mutual_groups(names, [(names[a], names[b]) for a, b in links])
    assert [[names[i] for i in group] for group in cyclic_groups(targets)] == expected


def test_cyclic_groups_of_a_long_cycle_need_no_recursion() -> None:
    count = 50_000
    assert cyclic_groups([[(i + 1) % count] for i in range(count)]) == [list(range(count))]
    assert cyclic_groups([[i + 1] if i + 1 < count else [] for i in range(count)]) == []


def test_links_to_snapshots_that_no_page_held_are_left_out() -> None:
    findings = Findings()
    findings.add(Page(["a"], [5], [["gone"]], [1], [1], [["gone"]], [True]))
    assert findings.time_inversions() == []
    assert findings.causal_cycles([(["gone"], ["a"]), (["a"], ["gone"])]) == []
    assert findings.dependency_groups() == []
