"""Pruning: what still explains something alive stays, whatever happens at the same time."""

from __future__ import annotations

import asyncio
import random
from datetime import timedelta
from typing import Any

import pytest
from graphdata import NOW, at, nodes, plant, run, snapshot, tie

from wakegraph.errors import AccessDeniedError, ConflictError, InvalidInputError, NotFoundError
from wakegraph.graph.times import EPOCH
from wakegraph.memory import pruning
from wakegraph.models import Caller
from wakegraph.snapshots.naming import Key

pytestmark = pytest.mark.db

OLD = 1000.0


async def pruned(wake: Any, project: str, **options: Any) -> list[str]:
    found = await wake.memory.prune(project=project, dry_run=False, now=NOW, **options)
    return [one.id for one in found.pruned]


async def test_nothing_goes_by_default(wake: Any, graph: Any, project: str) -> None:
    """F32: an idle time of two months deletes nothing; a prune is asked for, and says first what it would do."""
    await plant(graph, project, [snapshot(project, name, 1440) for name in "abc"])
    await wake.propagation.refresh(project=project, now=NOW)
    found = await wake.memory.prune(project=project, now=NOW)
    assert (found.dry_run, found.pruned_count, found.expired) == (True, 3, 3)
    assert set(await nodes(graph, project)) == {"a", "b", "c"}


async def test_the_moment_decides_what_is_expired_not_the_stored_tier(wake: Any, graph: Any, project: str) -> None:
    await plant(
        graph,
        project,
        [
            snapshot(project, "exactly", 720, memory_tier="ACTIVE"),
            snapshot(project, "just-not", 720 - 1 / 3_600_000, memory_tier="EXPIRED"),
            snapshot(project, "read", 5000, 10, memory_tier="EXPIRED"),
        ],
    )
    assert await pruned(wake, project) == ["exactly"]


async def test_what_a_kept_one_needs_stays_step_by_step(wake: Any, graph: Any, project: str) -> None:
    names = ["root", "middle", "near", "needed", "guessed", "free"]
    await plant(graph, project, [*(snapshot(project, name, OLD) for name in names), snapshot(project, "alive", 1)])
    await tie(graph, project, "CAUSED_BY", [("alive", "near"), ("near", "middle"), ("middle", "root")])
    await tie(graph, project, "DEPENDS_ON", [("near", "needed")])
    await tie(graph, project, "DEPENDS_ON", [("alive", "guessed"), ("alive", "free")], origin="detected")
    found = await wake.memory.prune(project=project, dry_run=False, now=NOW)
    assert {one.id for one in found.pruned} == {"guessed", "free"}
    kept = {one.id: (one.needed_by.id, one.reason) for one in found.kept}
    assert kept == {
        "near": ("alive", "a kept one is caused by it"),
        "middle": ("near", "needed by an expired one that stays"),
        "root": ("middle", "needed by an expired one that stays"),
        "needed": ("near", "needed by an expired one that stays"),
    }
    assert (found.kept_count, found.remaining) == (4, 0)
    assert set(await nodes(graph, project)) == {"root", "middle", "near", "needed", "alive"}


@pytest.mark.parametrize("origin", ["stated", "imported", "inferred"])
async def test_every_dependency_but_a_detected_one_protects(wake: Any, graph: Any, project: str, origin: str) -> None:
    await plant(graph, project, [snapshot(project, "old", OLD), snapshot(project, "alive", 1)])
    await tie(graph, project, "DEPENDS_ON", [("alive", "old")], origin=origin)
    assert await pruned(wake, project) == []


async def test_an_expired_chain_that_nobody_needs_goes_from_its_end(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, f"s{n}", OLD - n) for n in range(6)])
    await tie(graph, project, "CAUSED_BY", [(f"s{n + 1}", f"s{n}") for n in range(5)])
    assert await pruned(wake, project, limit=2) == ["s5", "s4"]
    assert await pruned(wake, project, limit=10) == ["s3", "s2", "s1", "s0"]


async def test_expired_ones_that_depend_on_each_other_go_together(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, name, OLD - n) for n, name in enumerate("abcx")])
    await tie(graph, project, "DEPENDS_ON", [("a", "b"), ("b", "c"), ("c", "a"), ("c", "x")])
    found = await wake.memory.prune(project=project, limit=2, now=NOW)
    assert (found.pruned, found.remaining) == ([], 4)
    assert await pruned(wake, project, limit=3) == ["a", "b", "c"]
    assert await pruned(wake, project) == ["x"]


async def test_what_replaces_a_kept_one_stays(wake: Any, graph: Any, project: str) -> None:
    """Else a decision that was replaced would look as if it still held."""
    await plant(graph, project, [snapshot(project, "newer", OLD), snapshot(project, "older", 2000, 1)])
    await tie(graph, project, "SUPERSEDES", [("newer", "older")])
    found = await wake.memory.prune(project=project, dry_run=False, now=NOW)
    assert [(one.id, one.reason, one.needed_by.id) for one in found.kept] == [
        ("newer", "it supersedes a kept one", "older")
    ]
    await run(
        graph,
        "MATCH (s:Snapshot {project: $project, id: 'older'}) SET s.last_activity = s.created_at",
        project=project,
    )
    assert sorted(await pruned(wake, project)) == ["newer", "older"]


async def test_a_prune_leaves_everything_else_in_order(wake: Any, graph: Any, project: str) -> None:
    """Roles, scores and references of what stays; a tombstone for what goes."""
    await wake.snapshots.save("kept", project=project, id="kept", about=["shared"], created_at=at(OLD), now=NOW)
    for name in ("one", "two"):
        await wake.snapshots.save(
            name, project=project, id=name, caused_by=["kept"], about=["shared", "own"], created_at=at(OLD), now=NOW
        )
    await wake.memory.record_access([Key(project, "kept")], now=NOW)
    await wake.propagation.refresh(project=project, now=NOW + timedelta(seconds=1))
    assert (await nodes(graph, project))["kept"]["causal_role"] == "root"
    found = await wake.memory.prune(
        project=project, dry_run=False, now=NOW, caller=Caller(author="gardener"), author="gardener"
    )
    assert [one.id for one in found.pruned] == ["one", "two"]
    kept = (await nodes(graph, project))["kept"]
    assert (kept["causal_role"], kept["last_predicted"]) == ("isolated", EPOCH)
    refs = await run(graph, "MATCH (a:Artifact {project: $project}) RETURN a.ref AS ref", project=project)
    assert refs == [{"ref": "shared"}]
    with pytest.raises(NotFoundError, match=r"one was pruned at 2026-05-01T12:00:00\+00:00 by gardener"):
        await wake.snapshots.get("one", project=project)


async def test_a_link_from_another_project_protects_and_shows_nothing_of_it(
    wake: Any, graph: Any, project: str, other_project: str
) -> None:
    await plant(graph, project, [snapshot(project, "old", OLD)])
    await plant(graph, other_project, [snapshot(other_project, "theirs", OLD)])
    await tie(graph, other_project, "CAUSED_BY", [("theirs", "old")], target_project=project)
    found = await wake.memory.prune(project=project, dry_run=False, now=NOW)
    assert [(one.id, one.needed_by, one.reason) for one in found.kept] == [
        ("old", None, "needed by a snapshot of another project")
    ]
    assert set(await nodes(graph, project)) == {"old"}
    caller = Caller(projects=frozenset({project, other_project}))
    everything = await wake.memory.prune(all_projects=True, now=NOW, caller=caller)
    assert [one.id for one in everything.pruned] == ["theirs", "old"]


async def test_the_limit_and_the_mode_are_checked(wake: Any, wake_at: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "old", OLD)])
    for limit in (0, -1, 10**9, True):
        with pytest.raises(InvalidInputError, match="from 1 to 100000"):
            await wake.memory.prune(project=project, limit=limit)
    reader = wake_at(NOW, read_only=True)
    assert (await reader.memory.prune(project=project)).pruned_count == 1
    with pytest.raises(AccessDeniedError):
        await reader.memory.prune(project=project, dry_run=False)


async def test_what_came_to_life_since_it_was_chosen_stays(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, name, OLD) for name in ("a", "b", "c", "d")])
    await tie(graph, project, "CAUSED_BY", [("b", "a")])
    await wake.memory.record_access([Key(project, "b")], now=NOW)
    await wake.snapshots.save("new", project=project, id="new", depends_on=["c"], now=NOW)
    groups = [[Key(project, name)] for name in ("b", "a", "c", "d", "gone")]
    done = await pruning.prune(graph, groups, until=at(720), now=NOW, by=None)
    assert done == [Key(project, "d")]


async def test_pages_and_batches(wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "_PAGE", 4)
    monkeypatch.setattr(pruning, "_BATCH", 3)
    await plant(graph, project, [snapshot(project, f"s{n:02d}", OLD + n // 5) for n in range(20)])
    await tie(graph, project, "CAUSED_BY", [(f"s{n + 1:02d}", f"s{n:02d}") for n in range(10)])
    assert len(await pruned(wake, project)) == 20


async def test_pruning_while_others_link_breaks_no_chain(wake: Any, graph: Any, project: str) -> None:
    """Links are made to snapshots that are being pruned: each either holds them, or fails and leaves nothing."""
    count = 60
    await plant(graph, project, [snapshot(project, f"old{n:02d}", OLD + n) for n in range(count)])
    await tie(graph, project, "CAUSED_BY", [(f"old{n:02d}", f"old{n + 1:02d}") for n in range(0, count - 1, 2)])
    await plant(graph, project, [snapshot(project, f"live{n}", 1) for n in range(4)])
    await wake.causality.recalculate_roles(project)
    picks = random.Random(5)
    made: list[tuple[str, str]] = []
    refused = 0

    async def save(number: int) -> None:
        nonlocal refused
        target = f"old{picks.randrange(count):02d}"
        try:
            if number % 2:
                await wake.snapshots.save(
                    f"new {number}", project=project, id=f"new{number}", caused_by=[target], detect_dependencies=False
                )
                made.append((f"new{number}", target))
            else:
                source = f"live{picks.randrange(4)}"
                await wake.snapshots.link(source, project=project, depends_on=[target])
                made.append((source, target))
        except (NotFoundError, ConflictError):
            refused += 1

    async def prune() -> None:
        for _ in range(8):
            await wake.memory.prune(project=project, limit=7, dry_run=False, now=NOW)
            await asyncio.sleep(0.01)

    await asyncio.gather(prune(), *(save(number) for number in range(60)))
    await wake.memory.prune(project=project, limit=1000, dry_run=False, now=NOW)
    left = await nodes(graph, project)
    links = await run(
        graph,
        "MATCH (s:Snapshot {project: $project})-[:CAUSED_BY|DEPENDS_ON]->(t) RETURN s.id AS source, t.id AS target",
        project=project,
    )
    there = {(link["source"], link["target"]) for link in links}
    assert set(made) <= there, "an acknowledged link is gone"
    for name in left:
        effects = sum(1 for _, target in there if target == name)
        assert effects or not name.startswith("old"), f"{name} is kept although nothing needs it"
    assert await wake.causality.recalculate_roles(project) == 0, "a stored role was wrong"
