"""What may be pruned: never before what needs it, never what something kept needs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wakegraph.memory.selection import select


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], set[int], int]:
    size = draw(st.integers(0, 12))
    ends = st.integers(0, max(size - 1, 0))
    needs = [sorted(draw(st.sets(ends, max_size=3)) - {number}) for number in range(size)]
    held = draw(st.sets(ends, max_size=3)) if size else set()
    return needs, held, draw(st.integers(1, 14))


def reachable(needs: list[list[int]], start: set[int]) -> set[int]:
    found, waiting = set(start), list(start)
    while waiting:
        for other in needs[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


@given(graphs())
def test_any_graph(given_graph: tuple[list[list[int]], set[int], int]) -> None:
    needs, held, limit = given_graph
    found = select(needs, held, limit)
    kept = reachable(needs, held)
    assert set(found.kept_for) == kept
    assert {number for number, reason in found.kept_for.items() if reason == number} == held
    assert all(number in needs[reason] for number, reason in found.kept_for.items() if number != reason)
    gone: set[int] = set()
    for group in found.groups:
        needing = {number for number in range(len(needs)) if set(needs[number]) & set(group)}
        assert needing <= gone | set(group), "something went before what needs it"
        assert all(set(group) <= reachable(needs, {one}) for one in group), "a group needs itself"
        gone |= set(group)
    assert not gone & kept
    assert len(gone) <= limit
    assert found.remaining == len(needs) - len(kept) - len(gone)
    if limit >= len(needs):
        assert found.remaining == 0


def test_the_longest_unused_goes_first_where_nothing_needs_it() -> None:
    assert select([[], [], []], [], 2).groups == [[0], [1]]
    # 1 and 2 are caused by 0, and 3 by 2: the oldest can only go last
    assert select([[], [0], [0], [2]], [], 4).groups == [[1], [3], [2], [0]]


def test_a_group_that_needs_itself_goes_as_a_whole_or_not_at_all() -> None:
    needs = [[1], [2], [0], []]
    assert select(needs, [], 2).groups == [[3]]
    assert select(needs, [], 3).groups == [[0, 1, 2]]
    assert select(needs, [], 4).groups == [[0, 1, 2], [3]]


def test_a_long_chain_needs_no_recursion() -> None:
    size = 20_000
    found = select([[], *([number] for number in range(size - 1))], [], size)
    assert found.groups == [[number] for number in reversed(range(size))]
