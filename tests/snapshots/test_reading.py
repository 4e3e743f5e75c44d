"""Names, lists, pages, changes and deletions."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from wakegraph.app import Wakegraph
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph
from wakegraph.models import LOCAL_CALLER, Caller, Order
from wakegraph.settings import Settings
from wakegraph.snapshots.models import SnapshotPage
from wakegraph.snapshots.naming import default_project

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


async def save(wake: Wakegraph, project: str, name: str, **facts: object) -> None:
    facts = {"created_at": NOW, "now": NOW, "detect_dependencies": False} | facts
    await wake.snapshots.save(name, project=project, id=name, **facts)  # type: ignore[arg-type]


def ids(page: SnapshotPage) -> list[str]:
    return [snapshot.id for snapshot in page.snapshots]


# Names


async def test_a_bare_id_is_looked_for_at_home_first_then_everywhere(
    wake: Wakegraph, wake_at: Callable[..., Wakegraph], project: str, other_project: str
) -> None:
    shared, lonely = f"shared-{project}", f"lonely-{project}"
    await save(wake, project, shared)
    await save(wake, other_project, shared)
    await save(wake, other_project, lonely)
    home = wake_at(NOW, project=project).snapshots
    assert (await home.get(shared))[0].project == project
    assert (await home.get(lonely))[0].project == other_project
    assert (await home.get(f"{other_project}::{shared}"))[0].project == other_project
    with pytest.raises(InvalidInputError, match=f"may mean {min(project, other_project)}::{shared}, "):
        await wake.snapshots.get(shared)
    with pytest.raises(NotFoundError):
        await wake.snapshots.get(lonely, project=project)
    with pytest.raises(NotFoundError):
        await home.get(lonely, caller=Caller(projects=frozenset({project})))
    assert (await wake.snapshots.get(shared, caller=Caller(projects=frozenset({project}))))[0].project == project


async def test_a_unique_beginning_of_eight_characters_is_enough(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "abcdefgh-1")
    await save(wake, project, "abcdefgh-2")
    await save(wake, project, "zyxwvuts-9")
    assert (await wake.snapshots.get("zyxwvuts", project=project))[0].id == "zyxwvuts-9"
    assert (await wake.snapshots.get(f"{project}::zyxwvuts"))[0].id == "zyxwvuts-9"
    with pytest.raises(InvalidInputError, match=r"abcdefgh-1, .*abcdefgh-2"):
        await wake.snapshots.get("abcdefgh", project=project)
    with pytest.raises(NotFoundError, match="'zyxwvut'"):
        await wake.snapshots.get("zyxwvut", project=project)
    linked = await wake.snapshots.link("abcdefgh-1", project=project, caused_by=["zyxwvuts"])
    assert [change.edge.target for change in linked.links] == ["zyxwvuts-9"]
    await save(wake, project, "zyxwvuts")
    assert (await wake.snapshots.get("zyxwvuts", project=project))[0].id == "zyxwvuts", "a whole id wins"


async def test_a_whole_id_elsewhere_comes_before_a_beginning_at_home(
    wake_at: Callable[..., Wakegraph], project: str, other_project: str
) -> None:
    wake = wake_at(NOW, project=project)
    whole = f"plan-{project}"
    await save(wake, project, f"{whole}-longer")
    assert [one.ref for one in await wake.snapshots.get(whole)] == [f"{project}::{whole}-longer"]
    await save(wake, other_project, whole)
    assert [one.ref for one in await wake.snapshots.get(whole)] == [f"{other_project}::{whole}"]
    assert [one.id for one in await wake.snapshots.get(whole, project=project)] == [f"{whole}-longer"]


async def test_several_names_give_their_snapshots_in_order_once(wake: Wakegraph, project: str) -> None:
    for name in ("a", "b", "c"):
        await save(wake, project, name)
    found = await wake.snapshots.get(["c", "a", f"{project}::c", "b"], project=project)
    assert [detail.id for detail in found] == ["c", "a", "b"]


async def test_an_unknown_project_says_what_looks_like_it(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "a")
    for call in (wake.snapshots.get("a", project=f"{project}x"), wake.snapshots.list(project=f"{project}x")):
        with pytest.raises(NotFoundError, match=f"similar names: .*{project}"):
            await call
    limited = Caller(projects=frozenset({"other"}))
    for refused in (
        wake.snapshots.list(project=project, caller=limited),
        wake.snapshots.get("a", project=project, caller=limited),
        wake.snapshots.get(f"{project}::a", caller=limited),
    ):
        with pytest.raises(NotFoundError) as caught:
            await refused
        assert "similar" not in str(caught.value)


def test_the_default_project_is_the_setting_else_the_repository(tmp_path: Path) -> None:
    assert default_project(Settings(project="set"), tmp_path) == "set"
    assert default_project(Settings(), None) is None
    assert default_project(Settings(), tmp_path) is None
    with pytest.raises(InvalidInputError, match="WAKEGRAPH_PROJECT"):
        default_project(Settings(project="a::b"), None)
    repository = tmp_path / "my app"
    (repository / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    assert default_project(Settings(), repository / "deep") == "my app"


async def test_projects_are_listed_with_what_they_hold(wake: Wakegraph, project: str, other_project: str) -> None:
    await save(wake, project, "a")
    await save(wake, project, "b", created_at=NOW + timedelta(minutes=1))
    await save(wake, other_project, "c")
    caller = Caller(projects=frozenset({project, "nowhere"}))
    (info,) = await wake.snapshots.projects(caller=caller)
    assert (info.project, info.snapshots, info.last_activity) == (project, 2, NOW + timedelta(minutes=1))
    assert {project, other_project} <= {info.project for info in await wake.snapshots.projects()}


# Lists


async def walk(
    wake: Wakegraph, project: str, limit: int, between: Callable[[], object] | None = None, **facts: object
) -> list[str]:
    found: list[str] = []
    cursor = None
    for step in range(200):
        page = await wake.snapshots.list(
            project=project, limit=limit, cursor=cursor, now=NOW + timedelta(days=1), **facts
        )  # type: ignore[arg-type]
        assert page.has_more is (page.next_cursor is not None)
        found += ids(page)
        cursor = page.next_cursor
        if cursor is None:
            return found
        await save(
            wake, project, f"w{step:03}", created_at=NOW + timedelta(days=2 * (step % 2)), now=NOW + timedelta(days=3)
        )
    raise AssertionError("the list does not end")


@pytest.fixture
async def many(wake: Wakegraph, project: str, graph: Graph) -> str:
    """Twenty snapshots; several of one instant, of one score, some superseded, one by another project."""
    for number in range(20):
        created = NOW - timedelta(hours=number // 3)
        superseded = {7: ["s02"], 13: ["s11"]}.get(number, [])
        await save(wake, project, f"s{number:02}", created_at=created, supersedes=superseded)
    async with graph.session("WRITE") as session:
        query = """
        MATCH (s:Snapshot) WHERE s.project = $p AND s.created_at IS NOT NULL
        SET s.prediction_score = (toInteger(substring(s.id, 1)) % 5) / 10.0
        """
        await (await session.run(query, p=project)).consume()
    return project


EXPECTED = {
    Order.RECENT: lambda n: (n // 3, -n),
    Order.LEAST_RECENTLY_USED: lambda n: (-(n // 3), n),
    Order.PREDICTED: lambda n: (n in {2, 11}, -(n % 5), -n),
}


@pytest.mark.parametrize("limit", [1, 3, 7, 20, 100])
@pytest.mark.parametrize("order", Order)
async def test_pages_are_the_whole_list_while_others_write(
    wake: Wakegraph, many: str, order: Order, limit: int
) -> None:
    found = await walk(wake, many, limit, order=order)
    assert len(found) == len(set(found)), "nothing comes twice"
    old = [name for name in found if name.startswith("s")]
    assert old == [f"s{number:02}" for number in sorted(range(20), key=EXPECTED[order])]


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_pages_end_when_a_snapshot_of_another_project_supersedes(
    wake: Wakegraph, many: str, other_project: str, limit: int
) -> None:
    await wake.snapshots.save(
        "over there", project=other_project, id="x", supersedes=[f"{many}::s04", f"{many}::s09"], cross_project=True
    )
    found = await walk(wake, many, limit, order=Order.PREDICTED)
    assert len(found) == len(set(found)), "nothing comes twice"
    assert set(found[-4:]) == {"s02", "s04", "s09", "s11"}
    page = await wake.snapshots.list(project=many, order=Order.PREDICTED, limit=100)
    assert other_project not in page.model_dump_json()


async def test_a_list_that_counts_access_ends(wake: Wakegraph, many: str, graph: Graph) -> None:
    found: list[str] = []
    cursor = None
    for step in range(30):
        now = NOW + timedelta(days=1, minutes=step)
        page = await wake.snapshots.list(project=many, order="least_recently_used", limit=3, cursor=cursor, now=now)
        found += ids(page)
        cursor = page.next_cursor
        async with graph.session("WRITE") as session:
            query = """
            UNWIND $ids AS id MATCH (s:Snapshot {project: $p, id: id})
            SET s.last_activity = $now, s.last_accessed = $now
            """
            await (await session.run(query, p=many, ids=ids(page), now=now)).consume()
        if cursor is None:
            break
    assert sorted(found) == [f"s{number:02}" for number in range(20)]


@pytest.mark.parametrize(
    "filters",
    [
        {"tag": "rare"},
        {"action_type": "decision"},
        {"author": "ann"},
        {"session": "s-1"},
        {"about": "a.py"},
        {"until": NOW - timedelta(days=9)},
        {"session": "s-1", "author": "ann", "tag": "rare", "action_type": "decision"},
        {"about": "a.py", "session": "s-1", "since": NOW - timedelta(days=10), "until": NOW - timedelta(days=10)},
    ],
)
async def test_filters_hold_before_the_limit(wake: Wakegraph, project: str, filters: dict[str, object]) -> None:
    for number in range(25):
        await save(wake, project, f"s{number}", session="s-2", about=["b.py"], author="bob")
    await save(
        wake, project, "wanted", tags=["rare", "other"], action_type="decision", author="ann", session="s-1",
        about=["a.py"], created_at=NOW - timedelta(days=10),
    )  # fmt: skip
    orders = [Order.RECENT] if "about" in filters else [Order.RECENT, Order.LEAST_RECENTLY_USED]
    for order in orders:
        page = await wake.snapshots.list(project=project, limit=5, order=order, now=NOW, **filters)  # type: ignore[arg-type]
        assert (ids(page), page.has_more) == (["wanted"], False)


async def test_about_goes_with_the_recent_order_only(wake: Wakegraph, project: str) -> None:
    with pytest.raises(InvalidInputError, match="about goes with order recent"):
        await wake.snapshots.list(project=project, order="predicted", about="a.py")


@pytest.mark.parametrize(("limit", "more"), [(1, True), (6, True), (7, False), (100, False)])
async def test_a_list_has_exactly_what_was_asked_for(wake: Wakegraph, project: str, limit: int, more: bool) -> None:
    for number in range(7):
        await save(
            wake, project, f"s{number}", created_at=NOW + timedelta(minutes=number), now=NOW + timedelta(hours=1)
        )
    page = await wake.snapshots.list(project=project, limit=limit)
    assert (ids(page), page.has_more) == ([f"s{number}" for number in range(6, -1, -1)][:limit], more)


async def test_a_new_project_has_an_empty_default_list(wake_at: Callable[..., Wakegraph], project: str) -> None:
    page = await wake_at(NOW, project=project).snapshots.list()
    assert (page.project, page.snapshots, page.has_more) == (project, [], False)


# Changes


async def test_an_update_changes_what_was_given_and_nothing_else(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "x", tags=["a"], rationale="r", metadata={"k": 1}, summary="old")
    (before,) = await wake.snapshots.get("x", project=project)
    changed = await wake.snapshots.update("x", project=project, summary="New\nsummary", tags=["b", "b"])
    assert (changed.summary, changed.title, changed.tags) == ("New\nsummary", "New", ["b"])
    untouched = set(type(changed).model_fields) - {"summary", "title", "tags", "memory_tier"}
    assert changed.model_dump(include=untouched) == before.model_dump(include=untouched)
    cleared = await wake.snapshots.update("x", project=project, tags=[], rationale="", metadata={})
    assert (cleared.tags, cleared.rationale, cleared.metadata) == ([], None, {})


async def test_a_delete_says_first_what_it_would_do(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "root", about=["mine.py", "shared.py"])
    await save(wake, project, "other", about=["shared.py"])
    await save(wake, project, "orphan", caused_by=["root"])
    await save(wake, project, "keeps", caused_by=["root", "other"], depends_on=["root"])
    for confirm in (False, True):
        done = await wake.snapshots.delete("root", project=project, confirm=confirm, author="ann", now=NOW)
        assert done.deleted is confirm
        assert (done.links, done.artifacts, done.new_primaries) == (3, 1, 1)
        assert [ref.id for ref in done.orphans] == ["orphan"]
    assert [link.id for link in (await wake.snapshots.get("keeps", project=project))[0].caused_by if link.primary] == [
        "other"
    ]
    assert (await wake.snapshots.get("orphan", project=project))[0].causal_role == "isolated"


async def test_a_delete_counts_only_what_it_may_show(wake: Wakegraph, project: str, other_project: str) -> None:
    await save(wake, project, "root")
    await save(wake, project, "orphan", caused_by=["root"])
    await save(wake, other_project, "other")
    await save(wake, other_project, "secret", caused_by=[f"{project}::root", "other"], cross_project=True)
    limited = Caller(projects=frozenset({project}))
    everything = await wake.snapshots.delete(f"{project}::root")
    assert (everything.links, everything.links_elsewhere, everything.new_primaries) == (2, False, 1)
    for caller in (limited, LOCAL_CALLER):
        found = await wake.snapshots.delete("root", project=project, caller=caller)
        assert (found.links, found.links_elsewhere, found.new_primaries) == (1, True, 0)
    assert (await wake.snapshots.delete("root", project=project, confirm=True, caller=limited)).links == 1
    (secret,) = await wake.snapshots.get("secret", project=other_project)
    assert [(link.id, link.primary) for link in secret.caused_by] == [("other", True)]


async def test_what_is_deleted_is_gone_everywhere_and_remembered(wake: Wakegraph, project: str, graph: Graph) -> None:
    await save(wake, project, "long-name-gone", about=["only.py"])
    await wake.snapshots.delete("long-name-gone", project=project, confirm=True, author="ann", now=NOW)
    for name in ("long-name-gone", f"{project}::long-name-gone"):
        with pytest.raises(NotFoundError, match=r"was deleted at 2026-01-15T12:00:00\+00:00 by ann"):
            await wake.snapshots.get(name, project=project)
    for call in (
        wake.snapshots.update("long-name-gone", project=project, tags=["t"]),
        wake.snapshots.delete("long-name-gone", project=project, confirm=True),
        wake.snapshots.save("y", project=project, caused_by=["long-name-gone"]),
    ):
        with pytest.raises(NotFoundError, match="was deleted"):
            await call
    assert ids(await wake.snapshots.list(project=project)) == []
    assert ids(await wake.snapshots.list(project=project, about="only.py")) == []
    assert (await wake.snapshots.search("gone", project=project)).hits == []
    async with graph.session("READ") as session:
        result = await session.run("MATCH (a:Artifact {project: $p, ref: 'only.py'}) RETURN count(*) AS n", p=project)
        assert (await result.single(strict=True))["n"] == 0
    await save(wake, project, "long-name-gone")
    assert len(await wake.snapshots.get("long-name-gone", project=project)) == 1
