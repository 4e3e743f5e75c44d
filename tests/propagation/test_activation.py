"""Activation: the base level against its definition, and spreading taken apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakegraph.memory.tiers import HOUR_MS, MISSING
from wakegraph.propagation.activation import (
    ActivationConstants,
    BaseLevel,
    Ragged,
    Spreading,
    base_level,
    spread,
    squash,
)

NOW_MS = 1_790_000_000_000
FLOOR = 1 / 60
DEFAULT = ActivationConstants()

hours = st.floats(-100, 20_000)
histories = st.lists(st.tuples(hours, st.lists(hours, max_size=16), st.integers(-2, 10**12)), max_size=12)


def ago(age: float) -> int:
    return NOW_MS - round(age * HOUR_MS)


def levels(*snapshots: tuple[float | None, list[float], int], constants: ActivationConstants = DEFAULT) -> BaseLevel:
    """Of snapshots given by age in hours, ages of the accesses kept, and count; the newest kept is the last."""
    created = [MISSING if age is None else ago(age) for age, _, _ in snapshots]
    kept = [[ago(age) for age in ages] for _, ages, _ in snapshots]
    last = [max(times, default=MISSING) for times in kept]
    counts = [count for _, _, count in snapshots]
    columns = (np.array(column, np.int64) for column in (created, last, counts))
    return base_level(*columns, Ragged.of(kept), NOW_MS, constants)


def spread_from(given: list[int], edges: list[tuple[int, int, float]], **constants: float) -> Spreading:
    source, target, weight = zip(*edges, strict=True) if edges else ((), (), ())
    indices = (np.array(column, np.int64) for column in (source, target))
    return spread(6, *indices, np.array(weight, float), np.array(given, np.int64), ActivationConstants(**constants))


def test_kept_accesses_and_creation_count_exactly() -> None:
    found = levels((100, [9, 4, 1], 3), (25, [], 0))
    assert found.created == pytest.approx([0.1, 0.2])
    assert found.kept == pytest.approx([1 / 3 + 1 / 2 + 1, 0])
    assert found.older == pytest.approx([0, 0])
    assert found.level == pytest.approx([math.log(0.1 + 1 / 3 + 1 / 2 + 1), math.log(0.2)])


@pytest.mark.parametrize("decay", [0.2, 0.5, 0.8])
def test_older_accesses_approach_the_sum_over_evenly_spread_ones(decay: float) -> None:
    constants = ActivationConstants(decay=decay)
    every = np.linspace(4, 1000, 50_000)
    exact = (every**-decay).sum() + 1**-decay
    found = levels((1000, [1, 4], 50_000), constants=constants)
    assert found.strength[0] == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("span", [0.0, 1e-7, 1e-4, 1.0, 1e4])
def test_the_closed_form_does_not_depend_on_which_way_it_is_computed(span: float) -> None:
    snapshot = (10 + span, [10.0], 5)
    near_half = ActivationConstants(decay=0.5 + 1e-9)
    assert levels(snapshot, constants=near_half).older == pytest.approx(levels(snapshot).older, rel=1e-6)


def test_without_kept_times_the_last_access_is_the_one_known() -> None:
    created, last, count = (np.array([x], np.int64) for x in (ago(100), ago(4), 3))
    found = base_level(created, last, count, Ragged.of([[]]), NOW_MS)
    assert found.kept == pytest.approx([0.5])
    assert found.older == pytest.approx([2 * 2 / (10 + 2)])


def test_a_time_of_this_moment_or_later_counts_as_the_floor() -> None:
    assert levels((0, [], 0), (-5, [], 0)).strength == pytest.approx([FLOOR**-0.5] * 2)


def test_nothing_known_is_a_finite_level_and_the_score_zero() -> None:
    found = levels((None, [], 0))
    assert found.level == pytest.approx([math.log(1e-12)])
    assert squash(found.strength) == pytest.approx([0.0])


def test_squash_is_the_logistic_function_around_the_midpoint() -> None:
    found = levels((24, [], 0), (3, [5, 2], 7), (9000, [], 0))
    logistic = 1 / (1 + np.exp(-(found.level - math.log(24**-0.5))))
    assert squash(found.strength) == pytest.approx(logistic)
    assert squash(found.strength)[0] == pytest.approx(0.5)


@given(histories)
def test_levels_are_finite_and_a_row_depends_on_itself_alone(snapshots: list[tuple[float, list[float], int]]) -> None:
    together = levels(*snapshots)
    assert np.isfinite(together.level).all()
    scores = squash(together.strength)
    assert ((scores >= 0) & (scores <= 1)).all()
    alone = [levels(one).strength[0] for one in snapshots]
    assert together.strength.tolist() == alone


@given(st.floats(1, 20_000), st.lists(st.floats(0, 1), max_size=40), st.floats(0, 1))
def test_one_more_access_never_lowers_the_level(age: float, parts: list[float], newest: float) -> None:
    """Also when it pushes the oldest kept time out of the newest 16."""
    ages = sorted((age * part for part in parts), reverse=True)
    more = [*ages, min([*ages[-1:], age]) * newest]
    before, after = levels((age, ages[-16:], len(ages)), (age, more[-16:], len(more))).strength
    assert after >= before * (1 - 1e-12)


def test_ragged_offsets_must_fit() -> None:
    for offsets in ([], [0, 1], [1, 2], [0, 2, 1, 2]):
        with pytest.raises(ValueError, match="offsets must rise from 0 to the 2 values"):
            Ragged(np.array([1, 2], np.int64), np.array(offsets, np.int64))
    assert len(Ragged.of([[], [1], [2, 3]])) == 3


def test_each_given_shares_attention_and_weakens_by_its_fan() -> None:
    edges = [(0, 2, 1.0), (0, 3, 1.0), (1, 3, 0.5), (4, 5, 1.0)]
    found = spread_from([1, 0], edges, association=2.0)
    strength = 0.5 * (2 - math.log(2))
    assert found.target.tolist() == [2, 3, 3]
    assert found.source.tolist() == [0, 0, 1]
    assert found.amount == pytest.approx([strength, strength, 0.5 * 0.5 * 2])
    assert found.total == pytest.approx([0, 0, strength, strength + 0.5, 0, 0])


def test_two_edges_between_the_same_are_one_association_of_the_stronger() -> None:
    found = spread_from([0, 0], [(0, 1, 0.2), (0, 1, 0.8), (0, 1, 0.4)], association=1.0)
    assert (found.source.tolist(), found.target.tolist()) == ([0], [1])
    assert found.amount == pytest.approx([0.8])


def test_a_wide_fan_gives_nothing_but_never_inhibits() -> None:
    found = spread_from([0], [(0, k, 1.0) for k in range(1, 6)], association=1.0)
    assert found.amount.tolist() == [0.0] * 5


@pytest.mark.parametrize(("given", "edges"), [([], [(0, 1, 1.0)]), ([2], [(0, 1, 1.0)]), ([0], [])])
def test_nothing_in_hand_or_no_edge_spreads_nothing(given: list[int], edges: list[tuple[int, int, float]]) -> None:
    found = spread_from(given, edges)
    assert found.total.dtype == np.float64
    assert found.total.tolist() == [0.0] * 6
    assert found.amount.size == found.source.size == found.target.size == 0


@given(
    st.lists(st.integers(0, 5), max_size=6),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0, 1)), max_size=30),
)
def test_the_parts_sum_to_the_total(given: list[int], edges: list[tuple[int, int, float]]) -> None:
    found = spread_from(given, edges)
    sums = np.zeros(6)
    np.add.at(sums, found.target, found.amount)
    assert sums == pytest.approx(found.total)
    assert (found.amount >= 0).all()
    pairs = list(zip(found.target.tolist(), found.source.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert set(found.source.tolist()) <= set(given)


@pytest.mark.parametrize(
    ("name", "value"),
    [("decay", 0.0), ("decay", 1.0), ("floor_hours", 0.0), ("midpoint_hours", math.inf), ("source", -1.0)],
)
def test_wrong_constants_are_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must be .*{value}"):
        ActivationConstants(**{name: value})
