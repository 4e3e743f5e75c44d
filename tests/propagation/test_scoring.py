"""Scores: the published values, the properties they promise for any input, reasons, next access, explanations."""

import json
import math
from dataclasses import fields, replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wakegraph.memory.tiers import DAY_MS, HOUR_MS, MISSING, TIERS, epoch_ms, tier_codes
from wakegraph.models import ActionType, CausalRole, Profile
from wakegraph.propagation.activation import ActivationConstants, Ragged
from wakegraph.propagation.scoring import (
    ACTIONS,
    REASONS,
    ROLES,
    Constants,
    ReasonThresholds,
    ScoreColumns,
    Scores,
    StepsBoosts,
    StepsConstants,
    WakeConstants,
    Weights,
    explain,
    predicted_next_access,
    reason_names,
    reason_table,
    role_codes,
    score,
)

CASES = json.loads((Path(__file__).parents[1] / "data" / "scoring.json").read_text(encoding="utf-8"))["cases"]
NOW_MS = epoch_ms(datetime(2026, 5, 1, tzinfo=UTC))
OLDEST, LATEST = (epoch_ms(datetime(year, 1, 2, tzinfo=UTC)) for year in (1, 9999))
BOOSTED = Constants(steps=StepsConstants(boosts=StepsBoosts(enabled=True)))

times = st.one_of(
    st.just(MISSING),
    st.integers(OLDEST, LATEST),
    st.integers(NOW_MS - 40 * DAY_MS, NOW_MS + DAY_MS),
    st.sampled_from([NOW_MS - h * HOUR_MS + ms for h in (0, 1, 6, 24, 168, 720) for ms in (-1, 0, 1)]),
)
counts = st.integers(-3, 200) | st.sampled_from([-(2**63), 2**31, 2**63 - 1])
facts = st.fixed_dictionaries(
    {
        "created_ms": times,
        "accessed_ms": times,
        "access_count": counts,
        "dependents": counts,
        "dependencies": counts,
        "causes": st.integers(0, 3),
        "effects": st.integers(0, 3),
        "action": st.sampled_from(ACTIONS),
        "recent": st.lists(times, max_size=16),
    }
)
configurations = st.tuples(
    st.sampled_from(Profile),
    st.sampled_from([Weights(), Weights(1, 0, 0), Weights(0, 0.5, 0.5)]),
    st.sampled_from([Constants(), BOOSTED, Constants(activation=ActivationConstants(decay=0.3))]),
)


def columns(*snapshots: dict[str, Any]) -> ScoreColumns:
    def column(name: str, default: Any = 0) -> Any:
        return np.array([snapshot.get(name, default) for snapshot in snapshots], np.int64)

    created, accessed = column("created_ms", NOW_MS), column("accessed_ms", MISSING)
    actions = [ACTIONS.index(snapshot.get("action", ActionType.CONVERSATION)) for snapshot in snapshots]
    return ScoreColumns(
        created_ms=created,
        accessed_ms=accessed,
        access_count=column("access_count"),
        dependents=column("dependents"),
        dependencies=column("dependencies"),
        role_codes=role_codes(column("causes"), column("effects")),
        tier_codes=tier_codes(created, accessed, NOW_MS),
        action_codes=np.array(actions, np.int8),
        recent=Ragged.of([snapshot.get("recent", []) for snapshot in snapshots]),
    )


def of_case(given: dict[str, Any]) -> dict[str, Any]:
    since_access = given["hours_since_access"]
    return {
        "created_ms": NOW_MS - round(given["age_hours"] * HOUR_MS),
        "accessed_ms": MISSING if since_access is None else NOW_MS - round(since_access * HOUR_MS),
        "access_count": given["access_count"],
        "causes": given["direct_causes"],
        "effects": given["direct_effects"],
        "dependents": given["direct_effects"] + given["stated_dependents"],
        "action": ActionType(given["action_type"]),
    }


def accessed(hours: float, **others: Any) -> dict[str, Any]:
    moment = NOW_MS - round(hours * HOUR_MS)
    return {"created_ms": NOW_MS - 900 * HOUR_MS, "accessed_ms": moment, "access_count": 1, **others}


def bits(scores: Scores, row: int) -> list[Any]:
    names = [f.name for f in fields(Scores) if f.name != "base"]
    return [getattr(scores, name)[row].tobytes() for name in names]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['profile']}-{case['given']['age_hours']}h")
def test_published_values(case: dict[str, Any]) -> None:
    column, expected = columns(of_case(case["given"])), case["expected"]
    scores = score(column, NOW_MS, Profile(case["profile"]))
    assert TIERS[column.tier_codes[0]] == expected["memory_tier"]
    assert ROLES[column.role_codes[0]] == expected["causal_role"]
    for name, values in (
        ("temporal", scores.temporal),
        ("causal", scores.causal),
        ("frequency", scores.frequency),
        ("prediction_score", scores.prediction),
    ):
        assert values[0] == pytest.approx(expected[name], abs=1e-6), name
    assert reason_names(int(scores.reasons[0])) == expected["prediction_reasons"]


def test_the_cases_give_the_same_as_one_column() -> None:
    for profile in (Profile.WAKE, Profile.STEPS):
        cases = [case for case in CASES if case["profile"] == profile]
        scores = score(columns(*(of_case(case["given"]) for case in cases)), NOW_MS, profile)
        assert scores.prediction == pytest.approx([c["expected"]["prediction_score"] for c in cases], abs=1e-6)


def test_roles() -> None:
    causes, effects = (np.array(column) for column in ([0, 0, 1, 1, 2, 0, 3], [0, 1, 0, 1, 2, 5, 0]))
    names = ["isolated", "root", "leaf", "link", "branch", "root", "leaf"]
    assert [ROLES[code] for code in role_codes(causes, effects)] == names
    assert tuple(CausalRole) == ROLES


@given(st.lists(facts, min_size=1, max_size=20), configurations)
def test_any_input_gives_finite_scores_reasons_and_a_next_access(
    snapshots: list[dict[str, Any]], configuration: tuple[Profile, Weights, Constants]
) -> None:
    column = columns(*snapshots)
    scores = score(column, NOW_MS, *configuration)
    for values in (scores.temporal, scores.causal, scores.frequency, scores.prediction):
        assert ((values >= 0) & (values <= 1)).all()
    assert (scores.reasons > 0).all()
    never = column.accessed_ms == MISSING
    assert (scores.predicted_next_ms[never] == MISSING).all()
    ahead = scores.predicted_next_ms[~never] - NOW_MS
    assert ((ahead >= 0) & (ahead <= 7 * DAY_MS)).all()


@given(st.lists(facts, min_size=1, max_size=40), configurations)
def test_a_row_has_the_same_bits_alone_in_a_column_and_again(
    snapshots: list[dict[str, Any]], configuration: tuple[Profile, Weights, Constants]
) -> None:
    together = score(columns(*snapshots), NOW_MS, *configuration)
    again = score(columns(*snapshots), NOW_MS, *configuration)
    for row, snapshot in enumerate(snapshots):
        alone = score(columns(snapshot), NOW_MS, *configuration)
        assert bits(together, row) == bits(alone, 0) == bits(again, row)


@pytest.mark.parametrize("profile", Profile)
def test_pages_of_any_size_give_the_same_bits(profile: Profile) -> None:
    rng = np.random.default_rng(7)
    snapshots = [accessed(rng.exponential(100), access_count=int(rng.geometric(0.1)), causes=1) for _ in range(1003)]
    whole = score(columns(*snapshots), NOW_MS, profile)
    for size in (1, 3, 64, 1000):
        page = score(columns(*snapshots[-size:]), NOW_MS, profile)
        assert page.prediction.tobytes() == whole.prediction[-size:].tobytes()
        assert page.temporal.tobytes() == whole.temporal[-size:].tobytes()


@pytest.mark.parametrize("profile", Profile)
@given(facts, st.integers(0, LATEST - OLDEST))
def test_a_later_access_never_lowers_temporal_or_frequency(
    profile: Profile, snapshot: dict[str, Any], later: int
) -> None:
    first = snapshot["accessed_ms"] if snapshot["accessed_ms"] != MISSING else NOW_MS - 2 * DAY_MS
    before = {**snapshot, "accessed_ms": first}
    after = {**snapshot, "accessed_ms": first + later}
    scores = score(columns(before, after), NOW_MS, profile)
    assert scores.temporal[0] <= scores.temporal[1]
    assert scores.frequency[0] <= scores.frequency[1]


@pytest.mark.parametrize("profile", Profile)
@given(facts, st.integers(0, 300))
def test_one_more_access_never_lowers_temporal_or_frequency(
    profile: Profile, snapshot: dict[str, Any], count: int
) -> None:
    before, after = {**snapshot, "access_count": count}, {**snapshot, "access_count": count + 1}
    scores = score(columns(before, after), NOW_MS, profile)
    assert scores.temporal[0] <= scores.temporal[1]
    assert scores.frequency[0] <= scores.frequency[1]


@given(facts, st.integers(0, 30))
def test_one_more_stated_dependent_never_lowers_the_causal_part_of_wake(
    snapshot: dict[str, Any], dependents: int
) -> None:
    before, after = {**snapshot, "dependents": dependents}, {**snapshot, "dependents": dependents + 1}
    scores = score(columns(before, after), NOW_MS)
    assert scores.causal[0] <= scores.causal[1]


def test_the_last_accessed_of_two_equal_ones_scores_higher() -> None:
    for profile in Profile:
        assert np.diff(score(columns(accessed(30), accessed(0.5)), NOW_MS, profile).prediction) > 0


def test_a_dependency_alone_is_an_edge() -> None:
    found = score(columns({}, {"dependencies": 1}, {"dependencies": 1, "dependents": 1}), NOW_MS).causal
    assert found == pytest.approx([0.0, 0.2, 0.6])


def test_a_future_access_counts_as_now_and_a_negative_count_as_none() -> None:
    scores = score(columns(accessed(-24 * 36525), accessed(0, access_count=-5)), NOW_MS)
    assert scores.temporal.tolist() == [1.0, 1.0]
    assert scores.frequency[1] == 0.0


def test_a_sum_that_reaches_the_threshold_on_paper_is_a_high_score() -> None:
    """Every combination of steps, compared with exact fractions: 0.4 + 0.09 + 0.21 is 0.7."""
    steps = StepsConstants()
    parts = list(product((0.5, 2, 10, 100, 300), (1, 3, 6, 20), ((0, 1), (1, 0), (1, 1), (1, 2)), ACTIONS[:2]))
    column = columns(
        *(accessed(h, access_count=a, causes=c, effects=e, action=action) for h, a, (c, e), action in parts)
    )
    scores = score(column, NOW_MS, Profile.STEPS)

    def exact(value: float) -> Fraction:
        return Fraction(str(value)).limit_denominator(100)

    reached = 0
    for row in range(len(parts)):
        composite = (
            4 * exact(scores.temporal[row]) + 3 * exact(scores.causal[row]) + 3 * exact(scores.frequency[row])
        ) / 10
        assert (scores.prediction[row] >= 0.7) == (composite >= Fraction(7, 10)) == bool(scores.reasons[row] & 1)
        assert scores.prediction[row] == float(composite)
        reached += composite == Fraction(7, 10)
    assert reached
    assert set(scores.temporal) == set(steps.temporal)


@pytest.mark.parametrize(
    ("snapshot", "boost", "prediction"),
    [
        ({"effects": 1, "dependents": 1}, 0.6, 1.0),
        ({"causes": 1, "effects": 2, "action": ActionType.DECISION}, 0.6, 0.94),
        (accessed(800, causes=1, access_count=0), -0.2, 0.0),
        (accessed(2, access_count=1), 0.1, 0.63),
        (accessed(30, access_count=1), 0.0, 0.33),
    ],
)
def test_boosts_of_steps_are_added_and_clamped(snapshot: dict[str, Any], boost: float, prediction: float) -> None:
    off = score(columns(snapshot), NOW_MS, Profile.STEPS)
    on = score(columns(snapshot), NOW_MS, Profile.STEPS, constants=BOOSTED)
    assert (off.boost[0], on.boost[0]) == (0, boost)
    assert on.prediction[0] == pytest.approx(min(1, max(0, off.prediction[0] + boost)))
    assert on.prediction[0] == pytest.approx(prediction)


def test_activation_ranks_recent_and_frequent_first_and_keeps_the_components_of_wake() -> None:
    column = columns(accessed(48), accessed(24), accessed(24, access_count=9), accessed(0.5))
    scores, wake = score(column, NOW_MS, Profile.ACTIVATION), score(column, NOW_MS)
    assert (np.diff(scores.prediction) > 0).all()
    assert scores.base is not None
    assert wake.base is None
    assert scores.temporal.tolist() == wake.temporal.tolist()
    assert scores.causal.tolist() == wake.causal.tolist()


@pytest.mark.parametrize(
    ("created", "last", "count", "expected"),
    [
        (-100, None, 5, None),  # never accessed
        (-100, -2, 1, 22),  # one access: a day later
        (-100, -2, 0, 22),  # a time without a count is one access
        (-100, -24, 1, 0),  # due this moment is not past
        (-100, -25, 1, 23),  # past: the next multiple of the day
        (-100, -10, 9, 0),  # (100 - 10) / 9 = 10 h
        (-100, -11, 2, 33.5),  # 44.5 h
        (-1000, -40, 30, 24),  # 32 h: -8, then 24
        (-5, -5, 3, 19),  # no span: a day
        (-5, -9, 3, 15),  # created after accessed: a day
        (-2000, -1, 2, 168),  # 999.5 h: at most 7 days
        (-2000, -1500, 2, 0),  # 250 h, six times
        (-2000, -1300, 2, 100),  # 350 h, four times
        (-3000, -1000, 2, 0),  # 1000 h
        (-3000, -1001, 2, 168),  # 999.5 h: the second multiple is 998 h ahead, over 7 days
        (-10, 100, 1, 124),  # last access in the future
        (-10, 900, 1, 168),
        (None, -2, 7, 22),  # creation unknown: a day
    ],
)
def test_predicted_next_access(created: float | None, last: float | None, count: int, expected: float | None) -> None:
    def at(hours: float | None) -> int:
        return MISSING if hours is None else NOW_MS + round(hours * HOUR_MS)

    given_columns = (np.array([value], np.int64) for value in (at(created), at(last), count))
    assert predicted_next_access(*given_columns, NOW_MS)[0] == at(expected)


def test_an_interval_is_a_whole_millisecond_at_least() -> None:
    crowded = (np.array([value], np.int64) for value in (NOW_MS - 100, NOW_MS - 50, 10**12))
    assert predicted_next_access(*crowded, NOW_MS)[0] == NOW_MS


def test_reasons_are_listed_in_order_and_tabled_once_each() -> None:
    masks = np.array([512, 0b100, 512, 0b1_1110_1011], np.uint16)
    table, position = reason_table(masks)
    assert [table[k] for k in position] == [reason_names(int(mask)) for mask in masks]
    assert table == [
        ["accessed_today"],
        [name for k, name in enumerate(REASONS[:9]) if k not in {2, 4}],
        ["baseline_prediction"],
    ]
    assert reason_table(masks[:0])[0] == []


def test_reason_thresholds_are_settings() -> None:
    constants = Constants(reasons=ReasonThresholds(0.2, 5, 6, 4, 2))
    snapshot = accessed(4, access_count=4)
    assert reason_names(int(score(columns(snapshot), NOW_MS, constants=constants).reasons[0])) == [
        "high_composite_score",
        "recently_accessed",
        "high_access_frequency",
    ]


@settings(max_examples=50)
@given(facts, configurations)
def test_an_explanation_adds_up_to_the_score(
    snapshot: dict[str, Any], configuration: tuple[Profile, Weights, Constants]
) -> None:
    column = columns(snapshot)
    found, scores = explain(column, NOW_MS, *configuration), score(column, NOW_MS, *configuration)
    for component in found.components:
        assert component.contribution == component.weight * component.value
    assert found.total == pytest.approx(sum(component.contribution for component in found.components))
    middle = configuration[2].activation.midpoint_strength
    activated = configuration[0] is Profile.ACTIVATION
    by_formula = found.total / (found.total + middle) if activated else min(1, max(0, found.total))
    assert found.prediction == scores.prediction[0] == pytest.approx(by_formula)
    assert found.reasons == reason_names(int(scores.reasons[0]))
    assert (found.predicted_next_ms is None) == (column.accessed_ms[0] == MISSING)
    json.dumps([component.inputs for component in found.components], allow_nan=False)


def test_an_explanation_names_inputs_and_constants() -> None:
    snapshot = accessed(24, access_count=2, effects=3, dependents=3, action=ActionType.DECISION)
    temporal, causal, frequency = explain(columns(snapshot), NOW_MS).components
    assert temporal.inputs == {"hours_since_access": 24.0, "memory_tier": "ARCHIVED"}
    assert temporal.formula.startswith("exp(-h / 24); never accessed: by tier ACTIVE 0.3, RECENT 0.2")
    assert causal.inputs == {"causal_role": "root", "dependents": 3, "dependencies": 0}
    assert "no cause: min(1, 0.5 + 0.1 n); with cause: min(0.7, 0.3 + 0.1 n)" in causal.formula
    assert frequency.formula == "min(1, ln(a + 1) / ln 101)"
    steps = explain(columns(snapshot), NOW_MS, Profile.STEPS, constants=BOOSTED).components
    assert [component.name for component in steps] == ["temporal", "causal", "frequency", "boost"]
    assert steps[0].formula == "h < 1: 1; h < 6: 0.8; h < 24: 0.5; h < 168: 0.3; else 0.1; never accessed: 0.1"
    assert steps[2].formula == "a >= 10: 1; a >= 5: 0.7; a >= 2: 0.4; else 0.2"
    activation = explain(columns(snapshot), NOW_MS, Profile.ACTIVATION)
    assert [component.name for component in activation.components] == ["creation", "kept_accesses", "older_accesses"]
    assert activation.formula.startswith("total / (total + 0.204124)")


def test_explain_takes_one_snapshot() -> None:
    with pytest.raises(ValueError, match="columns of one snapshot, not of 2"):
        explain(columns({}, {}), NOW_MS)


def test_constants_are_settings() -> None:
    wake = WakeConstants(time_constant_hours=48, per_dependent=0.05, saturation=10)
    scores = score(columns(accessed(48, access_count=10, dependents=1)), NOW_MS, constants=Constants(wake=wake))
    parts = [scores.temporal[0], scores.causal[0], scores.frequency[0]]
    assert parts == pytest.approx([math.exp(-1), 0.55, 1.0])
    steps = StepsConstants(temporal_hours=(10,), temporal=(0.9, 0.2), other=0.6)
    scores = score(columns(accessed(48)), NOW_MS, Profile.STEPS, constants=Constants(steps=steps))
    assert (scores.temporal[0], scores.causal[0]) == (0.2, 0.6)


@pytest.mark.parametrize(
    "weights", [(0.5, 0.5, 0.5), (1.2, -0.2, 0), (math.nan, 0.5, 0.5), (math.inf, 0, 0), (0, 0, 0)]
)
def test_wrong_weights_are_named(weights: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match=rf"sum to 1.*temporal={weights[0]}, causal={weights[1]}"):
        Weights(*weights)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (WakeConstants, {"time_constant_hours": 0}),
        (WakeConstants, {"never_accessed": (0.3, 0.2)}),
        (WakeConstants, {"caused_cap": 1.5}),
        (WakeConstants, {"saturation": 0}),
        (WakeConstants, {"no_dependents": 0.9}),
        (StepsConstants, {"temporal_hours": (6, 1, 24, 168)}),
        (StepsConstants, {"frequency": (0.2, 0.4)}),
        (StepsConstants, {"root": 2}),
        (StepsConstants, {"temporal": (0.1, 0.8, 0.5, 0.3, 0.1)}),
        (StepsBoosts, {"expired": -2}),
        (ReasonThresholds, {"moderate_count": 10}),
        (ReasonThresholds, {"recent_hours": math.nan}),
    ],
)
def test_wrong_constants_are_named(kind: type[Any], values: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(values))):
        kind(**values)


def test_columns_must_have_one_length() -> None:
    with pytest.raises(ValueError, match=r"different lengths.*'access_count': 2"):
        replace(columns({}), access_count=np.zeros(2, np.int64))


def test_no_snapshots_no_scores() -> None:
    for profile in Profile:
        assert score(columns(), NOW_MS, profile, constants=BOOSTED).prediction.size == 0
