"""Tiers in the database: the same as in Python at every boundary; statistics over the whole project."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from graphdata import NOW, at, nodes, plant, run, snapshot

from wakegraph.errors import AccessDeniedError, InvalidInputError, NotFoundError
from wakegraph.memory.tiers import tier_of

pytestmark = pytest.mark.db

MICROSECOND = timedelta(microseconds=1)
STEPS = (timedelta(0), MICROSECOND, timedelta(microseconds=999), timedelta(milliseconds=1), timedelta(seconds=1))


def around_boundaries(now: datetime) -> list[datetime]:
    edges = [now, *(now - timedelta(hours=hours) for hours in (1, 24, 720)), now + timedelta(days=36_500)]
    return [edge + sign * step for edge in edges for step in STEPS for sign in (-1, 1)]


@pytest.mark.parametrize("now", [NOW, NOW + timedelta(microseconds=1234)])
async def test_cypher_and_python_agree_at_every_boundary(wake: Any, graph: Any, project: str, now: datetime) -> None:
    """F25, F27: also for times finer than a millisecond and for future ones."""
    times = around_boundaries(now)
    rows = [
        {**snapshot(project, f"c{number:03d}"), "created_at": moment, "last_activity": moment}
        for number, moment in enumerate(times)
    ]
    rows += [
        {**snapshot(project, f"a{number:03d}", 5000, 1), "last_accessed": moment, "last_activity": moment}
        for number, moment in enumerate(times)
    ]
    await plant(graph, project, rows)
    await wake.memory.recalculate_tiers(project=project, now=now)
    found = await nodes(graph, project)
    expected = {row["id"]: tier_of(row["created_at"], row.get("last_accessed"), now).value for row in rows}
    assert {name: node["memory_tier"] for name, node in found.items()} == expected
    counted = (await wake.memory.stats(project=project, now=now)).tiers
    assert Counter(expected.values()) == {name.upper(): count for name, count in counted.model_dump().items() if count}
    read = await wake.snapshots.list(project=project, limit=100, now=now)
    assert all(one.memory_tier == expected[one.id] for one in read.snapshots)


async def test_the_same_instant_in_any_zone_has_the_same_tier(wake: Any, project: str) -> None:
    """F25: one canonical stored form."""
    instant = at(24)
    zones = [UTC, UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-5, minutes=-30))]
    for number, zone in enumerate(zones):
        await wake.snapshots.save(f"s{number}", project=project, created_at=instant.astimezone(zone), now=NOW)
    await wake.snapshots.save("naive", project=project, created_at=instant.replace(tzinfo=None), now=NOW)
    stats = await wake.memory.stats(project=project, now=NOW)
    assert stats.tiers.model_dump() == {"active": 0, "recent": 0, "archived": 5, "expired": 0}
    stats = await wake.memory.stats(project=project, now=NOW - timedelta(milliseconds=1))
    assert stats.tiers.recent == 5


async def test_only_what_changes_is_written_and_reported(wake: Any, graph: Any, project: str) -> None:
    ages = {"a": (0.5, "ACTIVE"), "b": (2, "ACTIVE"), "c": (30, "RECENT"), "d": (31, "ACTIVE"), "e": (900, "EXPIRED")}
    await plant(graph, project, [snapshot(project, name, age, memory_tier=tier) for name, (age, tier) in ages.items()])
    found = await wake.memory.recalculate_tiers(project=project, now=NOW)
    changes = {(change.from_tier, change.to_tier): change.snapshots for change in found.changes}
    assert changes == {("ACTIVE", "RECENT"): 1, ("RECENT", "ARCHIVED"): 1, ("ACTIVE", "ARCHIVED"): 1}
    assert (found.changed, found.projects, found.project) == (3, 1, project)
    again = await wake.memory.recalculate_tiers(project=project, now=NOW)
    assert (again.changed, again.changes) == (0, [])


async def test_a_tier_that_was_taken_away_is_written_again(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a", 2)])
    await run(graph, "MATCH (s:Snapshot {project: $project}) REMOVE s.memory_tier", project=project)
    found = await wake.memory.recalculate_tiers(project=project, now=NOW)
    assert [(c.from_tier, c.to_tier, c.snapshots) for c in found.changes] == [(None, "RECENT", 1)]


async def test_many_pages(wake: Any, graph: Any, project: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wakegraph.memory.upkeep._PAGE", 7)
    monkeypatch.setattr("wakegraph.memory.upkeep._WRITES", 3)
    await plant(graph, project, [snapshot(project, f"s{number}", number * 10.0) for number in range(50)])
    found = await wake.memory.recalculate_tiers(project=project, now=NOW)
    assert found.changed == 49
    assert (await wake.memory.recalculate_tiers(project=project, now=NOW)).changed == 0


async def test_statistics_are_those_of_the_whole_project(
    wake: Any, graph: Any, project: str, other_project: str
) -> None:
    await plant(graph, other_project, [snapshot(other_project, "x", 1)])
    await plant(
        graph, project, [snapshot(project, f"s{n:03d}", 2 + n, since_access=1.5 if n < 3 else None) for n in range(30)]
    )
    stats = await wake.memory.stats(project=project, now=NOW)
    assert (stats.total, stats.never_accessed, stats.tiers.recent) == (30, 27, 22)
    assert (stats.oldest.id, stats.newest.id) == ("s029", "s000")
    assert stats.newest.created_at == at(2)


async def test_an_empty_project_has_statistics(wake: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [])
    await run(graph, "MERGE (:WakegraphProject {name: $project})", project=project)
    stats = await wake.memory.stats(project=project, now=NOW)
    assert (stats.total, stats.oldest, stats.newest) == (0, None, None)


async def test_bad_requests_are_one_clear_line(wake: Any, wake_at: Any, graph: Any, project: str) -> None:
    await plant(graph, project, [snapshot(project, "a")])
    with pytest.raises(NotFoundError, match=rf"no project '{project}x'; similar names: {project}"):
        await wake.memory.stats(project=f"{project}x")
    with pytest.raises(InvalidInputError, match="not both"):
        await wake.memory.recalculate_tiers(project=project, all_projects=True)
    with pytest.raises(AccessDeniedError, match="read-only"):
        await wake_at(NOW, read_only=True).memory.recalculate_tiers(project=project)
