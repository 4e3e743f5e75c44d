"""Links between snapshots that exist."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from wakegraph.app import Wakegraph
from wakegraph.errors import ConflictError, InvalidInputError
from wakegraph.graph.driver import Graph
from wakegraph.models import Caller, CausalRole, Origin, SnapshotDetail

from .conftest import Dump

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
async def abcd(wake: Wakegraph, project: str) -> str:
    for number, name in enumerate("abcd"):
        created = NOW + timedelta(hours=2 * number)
        await wake.snapshots.save(name, project=project, id=name, created_at=created, now=created)
    return project


async def one(wake: Wakegraph, project: str, name: str) -> SnapshotDetail:
    return (await wake.snapshots.get(name, project=project))[0]


async def primary(wake: Wakegraph, project: str, name: str) -> list[str]:
    return [link.id for link in (await one(wake, project, name)).caused_by if link.primary]


async def test_a_link_is_made_once_and_repeating_says_so(wake: Wakegraph, abcd: str, dump: Dump) -> None:
    first = await wake.snapshots.link("b", project=abcd, caused_by=["a"])
    assert [change.change for change in first.links] == ["created"]
    assert {(role.id, role.causal_role) for role in first.roles} == {("a", CausalRole.ROOT), ("b", CausalRole.LEAF)}
    before = await dump(abcd)
    changes = [await wake.snapshots.link("b", project=abcd, caused_by=["a"]) for _ in range(29)]
    assert {change.change for done in changes for change in done.links} == {"unchanged"}
    assert await dump(abcd) == before


async def test_thirty_links_at_once_are_one(wake: Wakegraph, abcd: str) -> None:
    done = await asyncio.gather(*(wake.snapshots.link("b", project=abcd, caused_by=["a"]) for _ in range(30)))
    changes = [change.change for result in done for change in result.links]
    assert sorted(changes) == ["created", *["unchanged"] * 29]
    assert len((await one(wake, abcd, "b")).caused_by) == 1


async def test_all_kinds_in_one_call(wake: Wakegraph, abcd: str) -> None:
    done = await wake.snapshots.link(
        "d", project=abcd, caused_by=["a"], depends_on=["b"], supersedes=["c"], rationale="so it is"
    )
    assert [change.change for change in done.links] == ["created"] * 3
    found = await one(wake, abcd, "d")
    stated, none = Origin.STATED, None
    for links, *facts in (
        (found.caused_by, "a", stated),
        (found.depends_on, "b", stated),
        (found.supersedes, "c", none),
    ):
        assert [[link.id, link.origin, link.rationale] for link in links] == [[*facts, "so it is"]]


async def test_the_first_cause_is_primary_until_changed_or_removed(wake: Wakegraph, abcd: str) -> None:
    await wake.snapshots.link("d", project=abcd, caused_by=["b"], now=NOW)
    await wake.snapshots.link("d", project=abcd, caused_by=["c", "a"], now=NOW + timedelta(seconds=1))
    assert await primary(wake, abcd, "d") == ["b"]
    done = await wake.snapshots.link("d", project=abcd, caused_by=["c"], primary=True)
    assert done.new_primary is not None
    assert done.new_primary.id == "c"
    assert await primary(wake, abcd, "d") == ["c"]
    done = await wake.snapshots.link("d", project=abcd, caused_by=["c"], remove=True)
    assert done.new_primary is not None
    assert await primary(wake, abcd, "d") == ["b"], "the oldest that remains"
    await wake.snapshots.link("d", project=abcd, caused_by=["a", "b"], remove=True)
    assert await primary(wake, abcd, "d") == []
    assert (await one(wake, abcd, "d")).causal_role is CausalRole.ISOLATED


async def test_a_new_cause_can_be_made_primary_at_once(wake: Wakegraph, abcd: str) -> None:
    await wake.snapshots.link("d", project=abcd, caused_by=["a"])
    done = await wake.snapshots.link("d", project=abcd, caused_by=["b"], primary=True)
    assert [(change.change, change.edge.primary) for change in done.links] == [("created", True)]
    assert await primary(wake, abcd, "d") == ["b"]


async def test_roles_of_all_ends_follow(wake: Wakegraph, abcd: str) -> None:
    await wake.snapshots.link("b", project=abcd, caused_by=["a"])
    await wake.snapshots.link("c", project=abcd, caused_by=["b"])
    await wake.snapshots.link("d", project=abcd, caused_by=["b"])
    roles = {name: (await one(wake, abcd, name)).causal_role.value for name in "abcd"}
    assert roles == {"a": "root", "b": "branch", "c": "leaf", "d": "leaf"}
    await wake.snapshots.link("b", project=abcd, caused_by=["a"], remove=True)
    roles = {name: (await one(wake, abcd, name)).causal_role.value for name in "ab"}
    assert roles == {"a": "isolated", "b": "root"}


async def test_a_detected_dependency_becomes_a_stated_one(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("a", project=project, id="a", now=NOW)
    await wake.snapshots.save("b", project=project, id="b", now=NOW + timedelta(minutes=1))
    done = await wake.snapshots.link("b", project=project, depends_on=["a"], rationale="needed")
    assert [change.change for change in done.links] == ["updated"]
    (link,) = (await one(wake, project, "b")).depends_on
    assert (link.origin, link.rationale, link.gap_seconds) == (Origin.STATED, "needed", None)


async def test_a_cycle_is_refused_with_the_way_it_would_take(wake: Wakegraph, abcd: str, dump: Dump) -> None:
    for effect, cause in ("ba", "cb", "dc"):
        await wake.snapshots.link(effect, project=abcd, caused_by=[cause])
        await wake.snapshots.link(effect, project=abcd, supersedes=[cause])
    before = await dump(abcd)
    way = " -> ".join(f"{abcd}::{name}" for name in "dcba")
    for kind in ("caused_by", "supersedes"):
        with pytest.raises(ConflictError, match=way):
            await wake.snapshots.link("a", project=abcd, **{kind: ["d"]})
    assert await dump(abcd) == before


async def test_dependencies_may_run_in_a_circle_and_against_causes(wake: Wakegraph, abcd: str) -> None:
    await wake.snapshots.link("b", project=abcd, caused_by=["a"], depends_on=["a"])
    await wake.snapshots.link("a", project=abcd, depends_on=["b"])
    assert [link.id for link in (await one(wake, abcd, "a")).depends_on] == ["b"]


async def test_a_long_way_round_is_shortened_in_the_message(wake: Wakegraph, project: str) -> None:
    for number in range(40):
        await wake.snapshots.save(
            f"{number}", project=project, id=f"{number}", caused_by=[f"{number - 1}"] if number else [],
            detect_dependencies=False,
        )  # fmt: skip
    with pytest.raises(ConflictError, match=r"::39 -> .*\.\.\. 28 more \.\.\. .*::0;"):
        await wake.snapshots.link("0", project=project, caused_by=["39"])


async def test_a_cycle_in_a_ladder_is_refused_in_good_time(wake: Wakegraph, project: str, graph: Graph) -> None:
    """Sixty layers of two with all cross links have 2^60 paths."""
    query = """
    UNWIND range(0, 59) AS layer UNWIND [0, 1] AS side
    CREATE (s:Snapshot {project: $p, id: layer + '-' + side, title: '', created_at: $now, causal_role: 'link'})
    WITH count(*) AS done
    MATCH (a:Snapshot) WHERE a.project = $p AND a.created_at IS NOT NULL
    MATCH (b:Snapshot) WHERE b.project = $p AND b.created_at IS NOT NULL
      AND toInteger(split(b.id, '-')[0]) = toInteger(split(a.id, '-')[0]) + 1
    CREATE (b)-[:CAUSED_BY {primary: a.id ENDS WITH '0', origin: 'stated', recorded_at: $now}]->(a)
    """
    async with graph.session("WRITE") as session:
        await (await session.run(query, p=project, now=NOW)).consume()
    started = asyncio.get_running_loop().time()
    with pytest.raises(ConflictError, match="::59-0"):
        await wake.snapshots.link("0-0", project=project, caused_by=["59-0"])
    assert asyncio.get_running_loop().time() - started < 10


async def test_two_projects_cannot_close_a_cycle_together(wake: Wakegraph, project: str, other_project: str) -> None:
    for round_ in range(10):
        a, b = f"{project}::a{round_}", f"{other_project}::b{round_}"
        await wake.snapshots.save("a", project=project, id=f"a{round_}", detect_dependencies=False)
        await wake.snapshots.save("b", project=other_project, id=f"b{round_}", detect_dependencies=False)
        done = await asyncio.gather(
            wake.snapshots.link(a, caused_by=[b], cross_project=True),
            wake.snapshots.link(b, caused_by=[a], cross_project=True),
            return_exceptions=True,
        )
        assert [type(result).__name__ for result in done].count("ConflictError") == 1, done


async def test_a_refused_cycle_shows_nothing_of_projects_out_of_sight(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    mine, other = wake.snapshots, f"{other_project}::"
    plain: dict[str, Any] = {"detect_dependencies": False, "cross_project": True}
    await mine.save("a", project=project, id="a", **plain)
    for name, cause in (("secret1", f"{project}::a"), ("secret2", "secret1")):
        await mine.save(name, project=other_project, id=name, caused_by=[cause], supersedes=[cause], **plain)
    await mine.save(
        "c", project=project, id="c", caused_by=[f"{other}secret2"], supersedes=[f"{other}secret2"], **plain
    )
    limited = Caller(projects=frozenset({project}))
    for who in ({"project": project}, {"project": project, "caller": limited}, {"caller": limited}):
        for kind in ("caused_by", "supersedes"):
            with pytest.raises(ConflictError) as refused:
                await mine.link(f"{project}::a", **{kind: [f"{project}::c"]}, **who)  # type: ignore[arg-type]
            assert f"{project}::c -> (another project) -> {project}::a" in str(refused.value)
            assert other not in str(refused.value)
    with pytest.raises(ConflictError, match=f"{other}secret2 -> {other}secret1"):
        await mine.link(f"{project}::a", caused_by=[f"{project}::c"])


async def test_leave_is_needed_to_make_a_link_into_another_project_not_to_remove_it(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    await wake.snapshots.save("a", project=project, id="a")
    await wake.snapshots.save("b", project=other_project, id="b")
    name = f"{other_project}::b"
    with pytest.raises(InvalidInputError, match="crossProject"):
        await wake.snapshots.link("a", project=project, caused_by=[name])
    await wake.snapshots.link("a", project=project, caused_by=[name], cross_project=True)
    done = await wake.snapshots.link("a", project=project, caused_by=[name], remove=True)
    assert [change.change for change in done.links] == ["removed"]


async def test_a_changed_input_makes_scores_stale(wake: Wakegraph, abcd: str, graph: Graph) -> None:
    async def predict() -> None:
        async with graph.session("WRITE") as session:
            query = "MATCH (s:Snapshot) WHERE s.project = $p AND s.created_at IS NOT NULL SET s.last_predicted = $now"
            await (await session.run(query, p=abcd, now=NOW)).consume()

    async def stale() -> set[str]:
        return {name for name in "abcd" if (await one(wake, abcd, name)).last_predicted is None}

    await predict()
    await wake.snapshots.link("b", project=abcd, caused_by=["a"])
    assert await stale() == {"a", "b"}
    await predict()
    await wake.snapshots.link("b", project=abcd, caused_by=["a"])
    assert await stale() == set()
    await wake.snapshots.update("c", project=abcd, tags=["t"])
    assert await stale() == set()
    await wake.snapshots.update("c", project=abcd, action_type="decision")
    assert await stale() == {"c"}
    await predict()
    await wake.snapshots.save("e", project=abcd, id="e", depends_on=["d"], detect_dependencies=False)
    assert await stale() == {"d"}
    await predict()
    await wake.snapshots.delete("a", project=abcd, confirm=True)
    assert (await one(wake, abcd, "b")).last_predicted is None
