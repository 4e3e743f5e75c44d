"""The refresh: the published values through the database, nothing but derived properties, and safe whatever happens."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from graphdata import NOW, at, nodes, plant, run, snapshot, tie

from wakegraph.errors import AccessDeniedError, ConflictError, DatabaseUnavailableError, InvalidInputError
from wakegraph.graph.times import EPOCH
from wakegraph.propagation import refresh
from wakegraph.propagation.schedule import parse_interval, run_every
from wakegraph.snapshots.naming import Key

pytestmark = pytest.mark.db

CASES = json.loads((Path(__file__).parents[1] / "data" / "scoring.json").read_text(encoding="utf-8"))["cases"]
DERIVED = {
    *("memory_tier", "causal_role", "temporal_score", "causal_score", "frequency_score", "prediction_score"),
    *("prediction_reasons", "prediction_profile", "last_predicted", "predicted_next_access", "last_activity"),
}

GONE = dict.fromkeys(DERIVED)


def of_case(project: str, number: int, given: dict[str, Any]) -> tuple[list[dict[str, Any]], Iterator[tuple[str, ...]]]:
    """The snapshot of a case with everything around it."""
    name = f"case{number}"
    row = snapshot(
        project,
        name,
        given["age_hours"],
        given["hours_since_access"],
        given["access_count"],
        action_type=given["action_type"],
        memory_tier="ACTIVE",
    )
    causes = [f"{name}-cause{k}" for k in range(given["direct_causes"])]
    effects = [f"{name}-effect{k}" for k in range(given["direct_effects"])]
    dependents = [f"{name}-dependent{k}" for k in range(given["stated_dependents"])]
    links = [
        *(("CAUSED_BY", name, other) for other in causes),
        *(("CAUSED_BY", other, name) for other in effects),
        *(("DEPENDS_ON", other, name) for other in dependents),
    ]
    return [row, *(snapshot(project, other) for other in (*causes, *effects, *dependents))], iter(links)


@pytest.mark.parametrize("profile", ["wake", "steps"])
async def test_published_values_through_the_database(wake: Any, graph: Any, project: str, profile: str) -> None:
    cases = [case for case in CASES if case["profile"] == profile]
    rows, links = [], []
    for number, case in enumerate(cases):
        more, ties = of_case(project, number, case["given"])
        rows += more
        links += ties
    await plant(graph, project, rows)
    for kind in ("CAUSED_BY", "DEPENDS_ON"):
        await tie(graph, project, kind, [(source, target) for of, source, target in links if of == kind])
    await tie(graph, project, "DEPENDS_ON", [("case0", "case1"), ("case2", "case0")], origin="detected")
    found = await wake.propagation.refresh(project=project, profile=profile, now=NOW)
    assert found.updated == len(rows)
    stored = await nodes(graph, project)
    for number, case in enumerate(cases):
        node, expected = stored[f"case{number}"], case["expected"]
        for name in ("memory_tier", "causal_role", "prediction_reasons"):
            assert node[name] == expected[name], (case, name)
        for name in ("temporal", "causal", "frequency"):
            assert node[f"{name}_score"] == pytest.approx(expected[name], abs=1e-6), (case, name)
        assert node["prediction_score"] == pytest.approx(expected["prediction_score"], abs=1e-6)
        assert (node["prediction_profile"], node["last_predicted"]) == (profile, NOW)
        explained = await wake.propagation.explain_score(f"case{number}", project=project, profile=profile, now=NOW)
        assert explained.prediction_score == node["prediction_score"]
        assert sum(part.contribution for part in explained.components) == pytest.approx(explained.total)


async def history(graph: Any, project: str, size: int = 40) -> None:
    """A project with a little of everything."""
    rows = [
        snapshot(
            project, f"s{n:03d}", 10.0 * n + 0.5, 5.0 * n + 0.1 if n % 3 == 0 else None, n % 7 if n % 3 == 0 else None
        )
        for n in range(size)
    ]
    await plant(graph, project, rows)
    await tie(graph, project, "CAUSED_BY", [(f"s{n:03d}", f"s{n + 1:03d}") for n in range(0, size - 1, 2)])
    await tie(graph, project, "DEPENDS_ON", [(f"s{n:03d}", f"s{n + 2:03d}") for n in range(0, size - 2, 5)])


@pytest.mark.parametrize("profile", ["wake", "steps", "activation"])
async def test_only_derived_properties_change_and_a_second_run_writes_nothing(
    wake: Any, graph: Any, project: str, profile: str
) -> None:
    """F28."""
    await history(graph, project)
    before = await nodes(graph, project)
    first = await wake.propagation.refresh(project=project, profile=profile, now=NOW)
    after = await nodes(graph, project)
    assert (first.updated, first.skipped) == (40, 0)
    for name, node in after.items():
        changed = {key for key in node | before[name] if node.get(key) != before[name].get(key)}
        assert changed <= DERIVED
    again = await wake.propagation.refresh(project=project, profile=profile, now=NOW)
    assert (again.updated, again.unchanged, again.skipped) == (0, 0, 40)
    forced = await wake.propagation.refresh(project=project, profile=profile, stale_threshold_hours=0, now=NOW)
    assert (forced.updated, forced.unchanged, forced.skipped) == (0, 40, 0)
    assert await nodes(graph, project) == after


async def test_derived_properties_can_be_deleted_and_rebuilt(wake: Any, graph: Any, project: str) -> None:
    await history(graph, project)
    await wake.propagation.refresh(project=project, now=NOW)
    before = await nodes(graph, project)
    for names in (DERIVED, {"last_predicted"}, {"prediction_reasons", "temporal_score"}):
        await run(
            graph,
            "MATCH (s:Snapshot {project: $project}) SET s += $nothing",
            project=project,
            nothing=dict.fromkeys(names),
        )
        hours = 0 if "last_predicted" not in names else None
        await wake.propagation.refresh(project=project, stale_threshold_hours=hours, now=NOW)
        assert await nodes(graph, project) == before


async def test_a_changed_input_makes_stale_and_nothing_else_does(wake: Any, graph: Any, project: str) -> None:
    for name in "abcde":
        await wake.snapshots.save(
            name, project=project, id=name, created_at=at(100), now=NOW, detect_dependencies=False
        )
    await wake.propagation.refresh(project=project, now=NOW)

    async def stale(*names: str) -> None:
        found = {name for name, node in (await nodes(graph, project)).items() if node["last_predicted"] == EPOCH}
        assert found == set(names)
        assert (await wake.propagation.stats(project=project, now=NOW)).stale == len(names)
        done = await wake.propagation.refresh(project=project, now=NOW)
        assert (done.updated, done.skipped) == (len(names), len(await nodes(graph, project)) - len(names))

    await stale()
    await wake.snapshots.update("a", project=project, tags=["x"], summary="other", now=NOW)
    await stale()
    await wake.snapshots.update("a", project=project, action_type="decision", now=NOW)
    await stale("a")
    await wake.snapshots.link("a", project=project, caused_by=["b"], now=NOW)
    await stale("a", "b")
    await wake.snapshots.link("a", project=project, caused_by=["b"], remove=True, now=NOW)
    await stale("a", "b")
    await wake.snapshots.save("f", project=project, id="f", depends_on=["c"], detect_dependencies=False, now=NOW)
    await stale("c", "f")
    await wake.memory.record_access([Key(project, "d")], now=NOW)
    await stale("d")
    await wake.snapshots.delete("f", project=project, confirm=True, now=NOW)
    await stale("c")


async def test_a_dependency_that_becomes_a_stated_one_makes_stale(wake: Any, graph: Any, project: str) -> None:
    """A detected one does not count, a stated one does."""
    await wake.snapshots.save("first", project=project, id="a", created_at=at(1), now=NOW)
    await wake.snapshots.save("second", project=project, id="b", created_at=at(0.9), now=NOW)
    await wake.propagation.refresh(project=project, now=NOW)
    before = (await nodes(graph, project))["a"]["causal_score"]
    linked = await wake.snapshots.link("b", project=project, depends_on=["a"], now=NOW)
    assert [change.change for change in linked.links] == ["updated"]
    assert {node["last_predicted"] for node in (await nodes(graph, project)).values()} == {EPOCH}
    await wake.propagation.refresh(project=project, now=NOW)
    assert (before, (await nodes(graph, project))["a"]["causal_score"]) == (0.0, 0.6)


@pytest.mark.parametrize("statement", ["snapshots/lock_snapshots", "propagation/hold"])
async def test_what_is_held_waits_even_when_derived_properties_are_gone(
    wake: Any, graph: Any, project: str, statement: str
) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    await run(graph, "MATCH (s:Snapshot {project: $project}) SET s += $nothing", project=project, nothing=GONE)
    order: list[str] = []

    async def holding(tx: Any, started: asyncio.Event) -> None:
        named = {"keys": [{"project": project, "id": "a"}]}
        await tx.run(statement, **(named if "lock" in statement else {"project": project, "ids": ["a"]}))
        started.set()
        await asyncio.sleep(0.3)
        order.append("held")

    async def reading(started: asyncio.Event) -> None:
        await started.wait()
        await wake.memory.record_access([Key(project, "a")], now=NOW)
        order.append("accessed")

    started = asyncio.Event()
    await asyncio.gather(graph.write_in(holding, started), reading(started))
    assert order == ["held", "accessed"]


async def test_stale_is_from_the_threshold_on(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    await wake.propagation.refresh(project=project, now=NOW)
    for hours, expected in ((23.999, 0), (24, 1)):
        moment = NOW + timedelta(hours=hours)
        assert (await wake.propagation.stats(project=project, now=moment)).stale == expected
        dry = await wake.propagation.refresh(project=project, now=moment, dry_run=True)
        assert (dry.updated, dry.skipped, dry.dry_run) == (expected, 1 - expected, True)
    assert (await wake.propagation.refresh(project=project, now=NOW, stale_threshold_hours=1e12)).updated == 0


@pytest.mark.parametrize(
    "change",
    [
        {"profile": "steps"},
        {"weights": {"temporal": 0.5, "causal": 0.25, "frequency": 0.25}},
        {"constants": {"wake.time_constant_hours": 48}},
        {"constants": {"reasons.high_score": 0.5}},
    ],
    ids=lambda change: next(iter(change)),
)
async def test_another_formula_makes_everything_stale(wake: Any, graph: Any, project: str, change: Any) -> None:
    await history(graph, project)
    await wake.propagation.refresh(project=project, now=NOW)
    await wake.propagation.configure_project(project=project, **change)
    stats = await wake.propagation.stats(project=project, now=NOW)
    assert stats.stale == 40
    assert (await wake.propagation.explain_score("s001", project=project, now=NOW)).stale
    assert (await wake.propagation.refresh(project=project, now=NOW)).updated == 40
    assert (await wake.propagation.stats(project=project, now=NOW)).stale == 0
    assert (await wake.propagation.refresh(project=project, now=NOW)).updated == 0


async def test_constants_of_another_profile_make_nothing_stale(wake: Any, graph: Any, project: str) -> None:
    await history(graph, project)
    await wake.propagation.refresh(project=project, now=NOW)
    await wake.propagation.configure_project(project=project, constants={"steps.root": 0.9}, boosts=True)
    assert (await wake.propagation.stats(project=project, now=NOW)).stale == 0


async def test_what_was_accessed_after_the_moment_stays_stale(wake: Any, graph: Any, project: str) -> None:
    """F27 too: a time in the future counts as now, and gives finite scores."""
    ahead = {"s1": 1 / 3600, "s2": 1, "s3": 240, "s4": 24 * 365 * 100}
    await plant(graph, project, [snapshot(project, name, 10, -hours) for name, hours in ahead.items()])
    await plant(graph, project, [snapshot(project, "born", -5)])
    found = await wake.propagation.refresh(project=project, now=NOW)
    assert (found.updated, found.accessed_later) == (5, 4)
    stored = await nodes(graph, project)
    for name in ahead:
        node = stored[name]
        assert (node["last_predicted"], node["memory_tier"], node["temporal_score"]) == (EPOCH, "ACTIVE", 1.0)
        assert 0 <= node["prediction_score"] <= 1
        assert NOW <= node["predicted_next_access"] <= NOW + timedelta(days=7)
    assert stored["born"]["last_predicted"] == NOW
    again = await wake.propagation.refresh(project=project, now=NOW)
    assert (again.updated, again.unchanged, again.accessed_later) == (0, 4, 4)


async def test_a_later_access_never_lowers_a_score(wake: Any, graph: Any, project: str) -> None:
    """F54."""
    await plant(graph, project, [snapshot(project, "older", 900, 50, 3), snapshot(project, "later", 900, 5, 3)])
    for profile in ("wake", "steps", "activation"):
        await wake.propagation.refresh(project=project, profile=profile, now=NOW)
        stored = await nodes(graph, project)
        for name in ("temporal_score", "prediction_score"):
            assert stored["later"][name] > stored["older"][name], (profile, name)


async def test_another_project_is_neither_read_nor_written(
    wake: Any, graph: Any, project: str, other_project: str
) -> None:
    await history(graph, other_project)
    await history(graph, project)
    await tie(graph, other_project, "CAUSED_BY", [("s001", "s000")], target_project=project)
    before = await nodes(graph, other_project)
    found = await wake.propagation.refresh(project=project, now=NOW)
    assert (found.updated, [one.project for one in found.projects]) == (40, [project])
    assert await nodes(graph, other_project) == before
    node = (await nodes(graph, project))["s000"]
    assert node["causal_role"] == "link", "an effect in another project counts"


async def test_pages_and_batches_reach_everything(
    wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BATCH", 3)
    monkeypatch.setattr(refresh, "_PAGE", 2)
    monkeypatch.setattr(refresh, "_FEW", 0)
    monkeypatch.setattr(refresh, "_UNSCORED", 7)
    await history(graph, project)
    steps: list[tuple[int, int]] = []
    found = await wake.propagation.refresh(
        project=project, now=NOW, on_progress=lambda done, total: steps.append((done, total))
    )
    assert found.updated == 40
    assert steps[-1] == (40, 40)
    assert steps == sorted(steps)
    assert (await wake.propagation.refresh(project=project, now=NOW)).updated == 0
    assert (await wake.propagation.refresh(project=project, now=NOW, profile="steps")).updated == 40
    monkeypatch.setattr(refresh, "_FEW", 1000)
    assert (await wake.propagation.refresh(project=project, now=NOW, profile="wake")).updated == 40


async def test_asked_to_stop_it_ends_between_batches_and_goes_on_later(
    wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BATCH", 5)
    await history(graph, project)
    asked = iter([False, False])
    first = await wake.propagation.refresh(project=project, now=NOW, stop=lambda: next(asked, True))
    assert 0 < first.updated < 40
    assert first.interrupted
    assert not first.complete
    second = await wake.propagation.refresh(project=project, now=NOW)
    assert second.updated >= 40 - first.updated - 10
    assert all(node["last_predicted"] == NOW for node in (await nodes(graph, project)).values())


async def test_two_refreshes_at_once_leave_what_one_would(
    wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BATCH", 4)
    await history(graph, project)
    await wake.propagation.refresh(project=project, now=NOW)
    expected = await nodes(graph, project)
    await run(
        graph, "MATCH (s:Snapshot {project: $project}) SET s.last_predicted = $epoch", project=project, epoch=EPOCH
    )
    await asyncio.gather(*(wake.propagation.refresh(project=project, now=NOW) for _ in range(2)))
    assert await nodes(graph, project) == expected
    for profile in ("steps", "wake") * 3:  # also when both have to claim the formula
        await asyncio.gather(*(wake.propagation.refresh(project=project, profile=profile, now=NOW) for _ in range(3)))
        assert {node["prediction_profile"] for node in (await nodes(graph, project)).values()} == {profile}
    await wake.propagation.refresh(project=project, now=NOW)
    assert await nodes(graph, project) == expected


async def test_two_profiles_at_once_never_mix(
    wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BATCH", 4)
    await history(graph, project)
    for _ in range(3):
        found = await asyncio.gather(
            *(wake.propagation.refresh(project=project, profile=profile, now=NOW) for profile in ("wake", "steps")),
            return_exceptions=True,
        )
        assert all(not isinstance(one, Exception) or isinstance(one, ConflictError) for one in found)
        formula = (
            await run(graph, "MATCH (p:WakegraphProject {name: $name}) RETURN p.prediction_formula AS f", name=project)
        )[0]["f"]
        settled = not formula.startswith("pending")
        for node in (await nodes(graph, project)).values():
            if node["last_predicted"] != EPOCH and settled:
                assert f'"profile":"{node["prediction_profile"]}"' in formula
    await wake.propagation.refresh(project=project, profile="steps", now=NOW)
    assert {node["prediction_profile"] for node in (await nodes(graph, project)).values()} == {"steps"}


async def test_accesses_meanwhile_are_never_lost(
    wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each snapshot is, in the end, either stale or scored on what is stored; every access is counted."""
    monkeypatch.setattr(refresh, "BATCH", 5)
    await history(graph, project)
    names = [f"s{n:03d}" for n in range(40)]
    counts = {name: node["access_count"] for name, node in (await nodes(graph, project)).items()}

    async def read(offset: int) -> None:
        for number in range(12):
            keys = [Key(project, names[(offset * 7 + number * 3 + k) % 40]) for k in range(6)]
            await wake.memory.record_access(keys, now=NOW)
            for key in keys:
                counts[key.id] += 1

    async def score() -> None:
        for _ in range(6):
            await wake.propagation.refresh(project=project, now=NOW)

    await asyncio.gather(score(), score(), *(read(offset) for offset in range(4)))
    stored = await nodes(graph, project)
    assert {name: node["access_count"] for name, node in stored.items()} == counts
    scored = {name: node for name, node in stored.items() if node["last_predicted"] != EPOCH}
    await wake.propagation.refresh(project=project, stale_threshold_hours=0, now=NOW)
    final = await nodes(graph, project)
    assert {name: final[name] for name in scored} == scored, "a score did not rest on what is stored"


KILLED = """
import asyncio, sys
from datetime import datetime
from wakegraph import Wakegraph
from wakegraph.propagation import refresh

refresh.BATCH = 5

async def main():
    uri, username, password, database, project, now = sys.argv[1:7]
    given = dict(neo4j_uri=uri, neo4j_username=username, neo4j_password=password, neo4j_database=database)

    def progress(done, total):
        print(done, flush=True)
        if done >= 15:
            import time
            time.sleep(60)

    async with Wakegraph.open(**given) as wake:
        await wake.propagation.refresh(project=project, now=datetime.fromisoformat(now), on_progress=progress)

asyncio.run(main())
"""


@pytest.mark.process
async def test_killed_half_way_and_run_again_it_finishes(
    wake: Any, settings: Any, graph: Any, project: str, tmp_path: Path
) -> None:
    await history(graph, project)
    script = tmp_path / "refresh.py"
    script.write_text(KILLED)
    password = settings.neo4j_password.get_secret_value()
    where = (settings.neo4j_uri, settings.neo4j_username, password, settings.neo4j_database, project, NOW.isoformat())
    process = await asyncio.create_subprocess_exec(sys.executable, str(script), *where, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    while int(await process.stdout.readline() or b"99") < 15:
        pass
    process.send_signal(signal.SIGKILL)
    await process.wait()
    half = [node for node in (await nodes(graph, project)).values() if node["last_predicted"] == NOW]
    assert 15 <= len(half) < 40
    assert all("prediction_score" in node for node in half)
    again = await wake.propagation.refresh(project=project, now=NOW)
    assert again.updated == 40 - len(half)
    assert all(node["last_predicted"] == NOW for node in (await nodes(graph, project)).values())


async def test_bad_requests_are_one_clear_line(wake: Any, wake_at: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    for hours in (-1, float("nan"), float("inf"), True, "12"):
        with pytest.raises(InvalidInputError, match="number of hours of at least 0"):
            await wake.propagation.refresh(project=project, stale_threshold_hours=hours)
    with pytest.raises(InvalidInputError, match="profile 'best' is not known: use one of wake, steps, activation"):
        await wake.propagation.refresh(project=project, profile="best")
    reader = wake_at(NOW, read_only=True)
    assert (await reader.propagation.refresh(project=project, dry_run=True)).updated == 1
    with pytest.raises(AccessDeniedError):
        await reader.propagation.refresh(project=project)


async def test_of_all_projects_one_that_fails_does_not_keep_the_others(
    wake: Any, graph: Any, project: str, other_project: str
) -> None:
    from wakegraph.models import Caller

    both = Caller(projects=frozenset({project, other_project}))
    await plant(graph, project, [snapshot(project, "a")])
    await plant(graph, other_project, [snapshot(other_project, "b")])
    broken = "MATCH (p:WakegraphProject {name: $project}) SET p.weight_causal = 7"
    await run(graph, broken, project=project)
    found = await wake.propagation.refresh(all_projects=True, now=NOW, caller=both)
    assert [one.project for one in found.projects] == [other_project]
    assert not found.complete
    assert [one.project for one in found.failed] == [project]
    assert "sum to 1" in found.failed[0].error
    assert "\n" not in found.failed[0].error


@pytest.mark.parametrize(("text", "seconds"), [("12h", 43_200), ("90m", 5_400), ("1.5 d", 129_600), ("2S", 2)])
def test_intervals(text: str, seconds: float) -> None:
    assert parse_interval(text).total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "12", "h", "-1h", "0s", "1000d", "12 hours"])
def test_wrong_intervals(text: str) -> None:
    with pytest.raises(InvalidInputError, match="12h"):
        parse_interval(text)


async def test_a_schedule_survives_failures_and_never_overlaps() -> None:
    stop, failures, running, runs = asyncio.Event(), [], 0, 0

    async def work() -> None:
        nonlocal running, runs
        running += 1
        runs += 1
        assert running == 1
        await asyncio.sleep(0.03)  # longer than the interval
        running -= 1
        if runs == 2:
            raise DatabaseUnavailableError("it is being restarted")
        if runs == 5:
            stop.set()

    await asyncio.wait_for(run_every(work, timedelta(seconds=0.01), stop, failures.append), 5)
    assert (runs, len(failures)) == (5, 1)


@pytest.mark.parametrize("due", [1, 2, 3_999, 4_000, 4_001, 10_000, 10_001, 999_999, 1_000_000])
def test_no_batch_runs_alone_at_the_end(due: int) -> None:
    """An odd number of batches leaves one of the two transactions in flight idle during the last one."""
    size = refresh._even(due)
    batches = -(-due // size)
    assert size <= refresh.BATCH
    assert batches % refresh.IN_FLIGHT == 0 or due == 1
