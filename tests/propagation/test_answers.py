"""What is worth keeping at hand, what will be needed next, statistics and explanations."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest
from graphdata import NOW, at, nodes, plant, run, snapshot, tie

from wakegraph.errors import ConfigurationError, InvalidInputError, NotFoundError
from wakegraph.models import Caller, Scope
from wakegraph.propagation import service
from wakegraph.snapshots.naming import Key

pytestmark = pytest.mark.db


async def test_high_value_is_ranked_explained_and_refreshed_first(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, f"s{n}", 900, 3.0 * n + 0.5, 30) for n in range(6)])
    await tie(graph, project, "CAUSED_BY", [("s0", "s1"), ("s2", "s1"), ("s3", "s1")])
    before = await wake.propagation.high_value(project=project, min_score=0, now=NOW)
    assert (before.contexts, before.state.stale, before.state.refreshed) == ([], 6, 0)
    assert "wakegraph refresh" in before.state.note
    found = await wake.propagation.high_value(project=project, min_score=0, refresh_first=True, now=NOW)
    assert (found.state.stale, found.state.refreshed, found.formula.profile) == (0, 6, "wake")
    scores = [one.prediction_score for one in found.contexts]
    assert scores == sorted(scores, reverse=True)
    assert found.contexts[0].id == "s1"
    assert (len(found.contexts), found.has_more) == (5, True)
    for one in found.contexts:
        assert one.prediction_score == pytest.approx(sum(part.contribution for part in one.components))
        assert one.prediction_reasons
        assert [part.weight for part in one.components] == [0.4, 0.3, 0.3]


async def test_an_empty_answer_names_the_best_there_is(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, name, 0.2) for name in ("a", "b")])
    await tie(graph, project, "CAUSED_BY", [("b", "a")])
    await wake.propagation.refresh(project=project, now=NOW)
    found = await wake.propagation.high_value(project=project, now=NOW)
    assert (found.contexts, found.best.id) == ([], "a")
    assert found.best_score == pytest.approx(0.4 * 0.3 + 0.3 * 0.6)
    assert "0.300 (a), below 0.6; what was never accessed cannot exceed 0.42" in found.note


async def test_what_was_superseded_comes_last(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "old", 900, 0.1, 50), snapshot(project, "new", 900, 20, 2)])
    await tie(graph, project, "SUPERSEDES", [("new", "old")])
    await wake.propagation.refresh(project=project, now=NOW)
    found = await wake.propagation.high_value(project=project, min_score=0, now=NOW)
    assert [one.id for one in found.contexts] == ["new", "old"]
    assert [ref.id for ref in found.contexts[1].superseded_by] == ["new"]
    single = await wake.propagation.high_value(project=project, min_score=0, limit=1, now=NOW)
    assert ([one.id for one in single.contexts], single.has_more) == (["new"], True)
    predicted = await wake.propagation.predict_next(project=project, now=NOW)
    assert [one.snapshot.id for one in predicted.predictions] == ["new", "old"]


@pytest.mark.parametrize("limit", [0, -1, 101, 10**9, "5", 5.5, True, None])
async def test_limits_are_checked(wake: Any, project: str, limit: Any) -> None:
    """F13: an error that names the range, never a silent cap."""
    for call in (wake.propagation.high_value, wake.propagation.predict_next):
        with pytest.raises(InvalidInputError, match="from 1 to 100"):
            await call(project=project, limit=limit)


@pytest.mark.parametrize("limit", [1, 7, 100])
async def test_as_many_as_asked_for(wake: Any, graph: Any, project: str, other_project: str, limit: int) -> None:
    """F12, F13: filters come before the limit, and more of another project hides nothing."""
    await plant(graph, other_project, [snapshot(other_project, f"x{n}", 900, 0.1, 99) for n in range(120)])
    await plant(graph, project, [snapshot(project, f"s{n:03d}", 900, 1.0 + n, 20) for n in range(30)])
    await wake.propagation.refresh(project=project, now=NOW)
    await wake.propagation.refresh(project=other_project, now=NOW)
    found = await wake.propagation.high_value(project=project, min_score=0, limit=limit, now=NOW)
    assert [one.id for one in found.contexts] == [f"s{n:03d}" for n in range(min(limit, 30))]
    assert found.has_more == (limit < 30)
    predicted = await wake.propagation.predict_next(project=project, limit=limit, now=NOW)
    assert [one.snapshot.id for one in predicted.predictions] == [f"s{n:03d}" for n in range(min(limit, 30))]


async def test_refreshing_first_is_for_small_things_and_those_who_may_write(
    wake_at: Any, graph: Any, project: str
) -> None:
    await plant(graph, project, [snapshot(project, f"s{n}", 900, 1) for n in range(4)])

    async def state(wake: Any, **given: Any) -> tuple[int, int]:
        found = await wake.propagation.high_value(project=project, refresh_first=True, **given)
        return found.state.stale, found.state.refreshed

    reader = Caller(scopes=frozenset({Scope.READ}))
    assert await state(wake_at(NOW, refresh_before_answer=3)) == (4, 0)
    assert await state(wake_at(NOW, read_only=True)) == (4, 0)
    assert await state(wake_at(NOW), caller=reader) == (4, 0)
    assert await state(wake_at(NOW, refresh_before_answer=4)) == (0, 4)
    assert await state(wake_at(NOW)) == (0, 0)


async def test_statistics_cover_the_whole_project(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, f"s{n:02d}", 900, 0.2 + 3 * n, 60) for n in range(20)])
    await plant(graph, project, [snapshot(project, f"n{n:02d}", 900) for n in range(5)])
    await wake.propagation.refresh(project=project, now=NOW)
    await plant(graph, project, [snapshot(project, "later", 1)])
    stats = await wake.propagation.stats(project=project, now=NOW)
    stored = [node["prediction_score"] for node in (await nodes(graph, project)).values() if "prediction_score" in node]
    assert (stats.total_contexts, stats.total_predicted, stats.stale) == (26, 25, 1)
    assert stats.average_prediction_score == pytest.approx(sum(stored) / 25)
    assert stats.bands.model_dump() == {
        "high": sum(score >= 0.8 for score in stored),
        "medium": sum(0.5 <= score < 0.8 for score in stored),
        "low": sum(score < 0.5 for score in stored),
    }
    frequency = {one.reason: one.snapshots for one in stats.reason_frequency}
    assert frequency["high_access_frequency"] == 20
    assert frequency["baseline_prediction"] == 5
    wire = stats.model_dump(by_alias=True)
    assert {"totalContexts", "totalPredicted", "averagePredictionScore", "reasonFrequency", "bands", "stale"} <= set(
        wire
    )


async def test_statistics_of_nothing(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [])
    stats = await wake.propagation.stats(project=project, now=NOW)
    assert (stats.total_contexts, stats.average_prediction_score, stats.reason_frequency) == (0, None, [])
    assert (await wake.propagation.refresh(project=project, now=NOW)).updated == 0
    assert (await wake.propagation.predict_next(project=project, now=NOW)).predictions == []


async def test_what_comes_next_is_near_and_fresh_and_taken_apart(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, f"far{n:02d}", 400 + n) for n in range(20)])
    await plant(graph, project, [snapshot(project, name, 500) for name in ("hand", "cause", "effect", "need", "guess")])
    await plant(graph, project, [snapshot(project, "often", 600, 100, 3)])
    await tie(graph, project, "CAUSED_BY", [("hand", "cause"), ("effect", "hand")])
    await tie(graph, project, "DEPENDS_ON", [("hand", "need")])
    await tie(graph, project, "DEPENDS_ON", [("hand", "guess")], origin="detected")
    found = await wake.propagation.predict_next(["hand"], project=project, limit=100, now=NOW)
    names = [one.snapshot.id for one in found.predictions]
    assert set(names[:3]) == {"cause", "effect", "need"}
    assert names[3] == "often"
    assert "hand" not in names
    first = found.predictions[0]
    assert first.spreading == pytest.approx(5 - math.log(3))
    assert [(part.source.id, part.amount) for part in first.spreading_from] == [("hand", first.spreading)]
    for one in found.predictions:
        strength = one.creation + one.kept_accesses + one.older_accesses
        assert one.base_level == pytest.approx(math.log(strength))
        assert one.activation == pytest.approx(one.base_level + one.spreading)
        assert 0 <= one.score <= 1
    assert found.predictions[names.index("guess")].spreading == 0
    assert [one.activation for one in found.predictions] == sorted(
        (one.activation for one in found.predictions), reverse=True
    )
    assert (await nodes(graph, project))["cause"].get("prediction_score") is None, "a prediction writes nothing"


async def test_several_in_hand_share_attention_and_add_up(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, name, 500) for name in ("a", "b", "both", "single")])
    await tie(graph, project, "CAUSED_BY", [("both", "a"), ("both", "b"), ("single", "a")])
    found = await wake.propagation.predict_next(["b", "a", "a"], project=project, now=NOW)
    assert [ref.id for ref in found.given] == ["a", "b"]
    both, single = found.predictions
    assert (both.snapshot.id, single.snapshot.id) == ("both", "single")
    parts = {part.source.id: part.amount for part in both.spreading_from}
    assert parts == {"a": pytest.approx((5 - math.log(2)) / 2), "b": pytest.approx(2.5)}


async def test_a_hub_in_hand_spreads_nothing(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, f"s{n:03d}", 500) for n in range(160)])
    await tie(graph, project, "CAUSED_BY", [(f"s{n:03d}", "s000") for n in range(1, 160)])
    found = await wake.propagation.predict_next("s000", project=project, now=NOW)
    assert {one.spreading for one in found.predictions} == {0.0}


async def test_candidates_are_bounded(wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "CANDIDATES", 5)
    await plant(graph, project, [snapshot(project, f"s{n:02d}", 10.0 + n) for n in range(30)])
    await wake.propagation.refresh(project=project, now=NOW)
    found = await wake.propagation.predict_next(project=project, now=NOW)
    assert 5 <= found.candidates <= 10
    assert found.predictions[0].snapshot.id == "s00"


async def test_given_ones_must_exist_and_a_prediction_stays_in_its_project(
    wake: Any, graph: Any, project: str, other_project: str
) -> None:
    await plant(graph, project, [snapshot(project, "a"), snapshot(project, "b")])
    await plant(graph, other_project, [snapshot(other_project, "c", 1)])
    await tie(graph, project, "CAUSED_BY", [("a", "c")], target_project=other_project)
    found = await wake.propagation.predict_next(["a"], project=project, now=NOW)
    assert [one.snapshot.id for one in found.predictions] == ["b"]
    with pytest.raises(NotFoundError, match="given"):
        await wake.propagation.predict_next(["nothing"], project=project)


async def test_a_score_explains_itself(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a", 100, 24, 2), snapshot(project, "b", 50)])
    await tie(graph, project, "CAUSED_BY", [("b", "a")])
    found = await wake.propagation.explain_score("a", project=project, now=NOW)
    assert (found.stale, found.stored_score, found.last_predicted) == (True, None, None)
    temporal, causal, frequency = found.components
    assert (temporal.value, temporal.weight) == (pytest.approx(math.exp(-1)), 0.4)
    assert {one.name: one.value for one in temporal.inputs} == {"hours_since_access": 24, "memory_tier": "ARCHIVED"}
    assert (causal.value, frequency.value) == (pytest.approx(0.6), pytest.approx(math.log(3) / math.log(101)))
    await wake.propagation.refresh(project=project, now=NOW)
    later = await wake.propagation.explain_score("a", project=project, now=NOW + timedelta(hours=1))
    assert later.stored_score == pytest.approx(found.prediction_score, abs=1e-12)
    assert (later.stale, later.last_predicted, later.stored_profile) == (False, NOW, "wake")
    with pytest.raises(NotFoundError):
        await wake.propagation.explain_score("nothing", project=project)


async def test_settings_of_a_project_stand_over_those_of_the_installation(
    wake: Any, wake_at: Any, graph: Any, project: str
) -> None:
    await plant(graph, project, [snapshot(project, "a", 100, 24, 2)])
    changed = await wake.propagation.configure_project(
        project=project,
        profile="steps",
        weights={"temporal": 0.2, "causal": 0.3, "frequency": 0.5},
        boosts=True,
        stale_threshold_hours=6,
        constants={"steps.root": 0.9, "steps.temporal_hours": [1, 5, 24, 168]},
    )
    assert changed == await wake.propagation.settings_of(project=project)
    assert (changed.formula.profile, changed.formula.boosts, changed.stale_threshold_hours) == ("steps", True, 6)
    assert changed.formula.changed_constants == [
        "steps.boosts.enabled=true",
        "steps.root=0.9",
        "steps.temporal_hours=[1.0, 5.0, 24.0, 168.0]",
    ]
    answer = await wake.propagation.high_value(project=project, min_score=0, refresh_first=True, now=NOW)
    assert answer.formula == changed.formula
    assert answer.contexts[0].prediction_profile == "steps"
    back = await wake.propagation.configure_project(
        project=project, reset=["prediction_profile", "prediction_constants", "steps_boosts"]
    )
    assert (back.formula.profile, back.formula.changed_constants) == ("wake", [])
    assert back.own == ["weight_temporal", "weight_causal", "weight_frequency", "stale_threshold_hours"]
    installed = wake_at(NOW, prediction_constants={"wake.saturation": 10}, prediction_profile="activation")
    shown = await installed.propagation.settings_of(project=project)
    assert (shown.formula.profile, shown.formula.weights) == ("activation", None)
    assert shown.formula.changed_constants == ["wake.saturation=10"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weights": {"temporal": 0.9, "causal": 0.3, "frequency": 0.3}}, "sum to 1"),
        ({"weights": {"temporal": 1.0}}, "must name temporal, causal, frequency"),
        ({"weights": {"temporal": "1", "causal": 0, "frequency": 0}}, "weight_temporal must be a number, not '1'"),
        ({"profile": "best"}, "use one of wake, steps, activation"),
        ({"constants": {"wake.saturatoin": 3}}, "did you mean wake.saturation"),
        ({"constants": {"wake.saturation": 2.5}}, "wake.saturation must be a whole number"),
        ({"constants": {"wake.never_accessed": 1}}, "must be a list of numbers"),
        ({"constants": {"wake.caused_cap": 2}}, "within 0-1"),
        ({"stale_threshold_hours": -1}, "at least 0"),
        ({"reset": ["name"]}, "is no setting of a project"),
    ],
)
async def test_wrong_settings_are_one_clear_line_and_change_nothing(
    wake: Any, graph: Any, project: str, change: Any, words: str
) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    with pytest.raises((InvalidInputError, ConfigurationError), match=words) as raised:
        await wake.propagation.configure_project(project=project, **change)
    assert "\n" not in str(raised.value)
    assert (await wake.propagation.settings_of(project=project)).own == []


async def test_a_small_project_beside_a_large_stale_one(
    wake: Any, graph: Any, project: str, other_project: str
) -> None:
    await plant(graph, other_project, [snapshot(other_project, f"x{n:04d}", 900) for n in range(2000)])
    await plant(graph, project, [snapshot(project, f"s{n}", 900, 1) for n in range(10)])
    found = await wake.propagation.high_value(project=project, min_score=0, refresh_first=True, limit=100, now=NOW)
    assert (len(found.contexts), found.state.refreshed, found.state.stale) == (10, 10, 0)
    assert (await wake.propagation.stats(project=other_project, now=NOW)).stale == 2000
    assert (await wake.memory.record_access([Key(project, "s0")], now=at(0))) == 1
    await run(graph, "RETURN 1")
