"""Saving: what is stored, what is detected, what counts as a repetition."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from wakegraph.app import Wakegraph
from wakegraph.errors import AccessDeniedError, ConflictError, InvalidInputError
from wakegraph.models import Caller, CausalRole, LinkType, MemoryTier, Origin, SnapshotDetail, Source

from .conftest import Dump

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


async def one(wake: Wakegraph, project: str, name: str, **facts: object) -> SnapshotDetail:
    (found,) = await wake.snapshots.get(name, project=project, **facts)  # type: ignore[arg-type]
    return found


async def test_everything_given_comes_back(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("why", project=project, id="why", created_at=NOW - timedelta(hours=9))
    saved = await wake.snapshots.save(
        "Line one\nline two",
        project=project,
        id="all",
        summary="A summary",
        tags=["x", "y", "x"],
        action_type="decision",
        rationale="because",
        caused_by=["why"],
        depends_on=["why"],
        about=["b.py", "a.py", "b.py"],
        author="ann",
        author_type="human",
        session="s",
        source="cli",
        metadata={"k": [1, None, "é"], "n": {"m": 1.5}},
        created_at=NOW - timedelta(hours=2),
        now=NOW,
    )
    found = await one(wake, project, "all", now=NOW)
    assert found.model_dump(include=set(type(saved.snapshot).model_fields)) == saved.snapshot.model_dump()
    assert (found.content, found.summary, found.title) == ("Line one\nline two", "A summary", "A summary")
    assert (found.tags, found.action_type, found.rationale) == (["x", "y"], "decision", "because")
    assert (found.author, found.author_type, found.session, found.source) == ("ann", "human", "s", Source.CLI)
    assert found.metadata == {"k": [1, None, "é"], "n": {"m": 1.5}}
    assert (found.created_at, found.recorded_at) == (NOW - timedelta(hours=2), NOW)
    assert found.last_activity == found.created_at
    assert (found.last_accessed, found.access_count, found.recent_accesses) == (None, 0, [])
    assert (found.memory_tier, found.causal_role) == (MemoryTier.RECENT, CausalRole.LEAF)
    assert (found.last_predicted, found.prediction_score, found.prediction_reasons) == (None, None, [])
    assert found.about == ["a.py", "b.py"]
    assert [(link.id, link.origin, link.primary) for link in found.caused_by] == [("why", Origin.STATED, True)]
    assert [(link.id, link.origin) for link in found.depends_on] == [("why", Origin.STATED)]
    cause = await one(wake, project, "why")
    assert cause.causal_role is CausalRole.ROOT
    assert [link.id for link in cause.effects] == ["all"]


async def test_what_is_not_given_is_made_or_absent(wake: Wakegraph, project: str) -> None:
    first = await wake.snapshots.save("x" * 201, project=project, now=NOW)
    second = await wake.snapshots.save("y" * 200, project=project, now=NOW)
    assert first.snapshot.summary == "x" * 200 + "..."
    assert second.snapshot.summary == "y" * 200
    assert len(first.snapshot.title) <= 80
    assert first.snapshot.id < second.snapshot.id, "ids are ordered by time"
    assert first.snapshot.created_at == NOW
    assert (first.snapshot.source, first.snapshot.action_type) == (Source.API, "conversation")
    assert first.snapshot.causal_role is CausalRole.ISOLATED


async def test_the_first_save_says_that_the_project_is_new_and_what_looks_like_it(
    wake: Wakegraph, new_project: Callable[..., str]
) -> None:
    name = new_project()
    near = new_project(f"{name}s")
    assert (await wake.snapshots.save("a", project=name)).new_project
    assert not (await wake.snapshots.save("b", project=name)).new_project
    second = await wake.snapshots.save("a", project=near)
    assert second.new_project
    assert name in second.similar_projects


ODD = {
    "emoji": "party 🎉 family 👨‍👩‍👧 flag 🇩🇪",
    "cjk": "日本語 中文 한국어",
    "rtl": "שלום مرحبا \u202eabc\u202c",
    "nfc": "é",
    "nfd": "e\u0301",
    "zwj": "a\u200db\u200c",
    "crlf": "one\r\ntwo\rthree\n",
    "astral": "\U0001d54f \U0010ffff",
    "noncharacter": "\ufffe\uffff\ufdd0",
    "controls": "\x01\x1b[31m\x7f\x85\u2028",
    "spaces": "  leading and trailing \u3000 ",
    "cypher": "`) DETACH DELETE n // \\u0060 ' \" $x {a: 1}",
}


@pytest.mark.parametrize("name", ODD)
async def test_text_comes_back_exactly(wake: Wakegraph, project: str, name: str) -> None:
    text = ODD[name]
    await wake.snapshots.save(text, project=project, id=name, summary=text, rationale=text, tags=[text], about=[text])
    found = await one(wake, project, name)
    assert [found.content, found.summary, found.rationale, *found.tags, *found.about] == [text] * 5


async def test_a_project_or_id_may_look_like_anything_but_stays_a_value(wake: Wakegraph, project: str) -> None:
    for name in ("X`) DETACH DELETE n //", "a` SET e.x=1 //", "\\u0060", "' OR 1=1", "{}", "a:b", "ä/ö 🎉"):
        saved = await wake.snapshots.save("text", project=project, id=name, tags=[name], about=[name])
        assert saved.snapshot.id == name
        assert (await one(wake, project, name)).tags == [name]
    assert len((await wake.snapshots.list(project=project, limit=100)).snapshots) == 7


async def test_the_longest_names_fit_into_the_indexes(wake: Wakegraph, new_project: Callable[..., str]) -> None:
    start, wide = new_project(), "\U0001f600"
    project = new_project(start + wide * (200 - len(start)))
    about = wide * 1_750
    facts = {"session": wide * 200, "author": wide * 200, "tags": [wide * 200], "about": [about]}
    await wake.snapshots.save("x", project=project, id=wide * 200, **facts)  # type: ignore[arg-type]
    assert (await wake.causality.why_about(about, project=project)).total == 1


async def test_a_long_content_is_kept_whole(wake: Wakegraph, project: str) -> None:
    text = "é🎉x\n" * 250_000
    await wake.snapshots.save(text, project=project, id="long")
    assert (await one(wake, project, "long")).content == text


BERLIN = datetime(2026, 1, 15, 11, 30, tzinfo=ZoneInfo("Europe/Berlin"))
INSTANT = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "naive"),
    [
        ("2026-01-15T10:30:00Z", False),
        ("2026-01-15T10:30:00+00:00", False),
        ("2026-01-15T18:30:00+08:00", False),
        ("2026-01-15T10:30:00", True),
        (BERLIN, False),
        (INSTANT.replace(tzinfo=None), True),
        (INSTANT.astimezone(timezone(timedelta(hours=-7))), False),
    ],
)
async def test_equal_instants_are_stored_alike(wake: Wakegraph, project: str, given: object, naive: bool) -> None:
    saved = await wake.snapshots.save("x", project=project, id="x", created_at=given, now=NOW)  # type: ignore[arg-type]
    stored = (await one(wake, project, "x")).created_at
    assert (stored, stored.utcoffset()) == (INSTANT, timedelta(0))
    assert bool(saved.notes) is naive
    page = await wake.snapshots.list(project=project, since=INSTANT, until=INSTANT)
    assert [snapshot.id for snapshot in page.snapshots] == ["x"]


@pytest.mark.parametrize(
    ("hours", "before", "at"),
    [(1, MemoryTier.ACTIVE, MemoryTier.RECENT), (24, MemoryTier.RECENT, MemoryTier.ARCHIVED),
     (720, MemoryTier.ARCHIVED, MemoryTier.EXPIRED)],
)  # fmt: skip
async def test_a_boundary_is_the_same_in_python_and_in_the_database(
    wake: Wakegraph, project: str, hours: int, before: MemoryTier, at: MemoryTier
) -> None:
    created = NOW - timedelta(hours=hours)
    await wake.snapshots.save("lapwing", project=project, id="x", created_at=created, now=NOW)
    for moment, tier in ((NOW - timedelta(milliseconds=1), before), (NOW, at)):
        assert (await one(wake, project, "x", now=moment)).memory_tier is tier
        page = await wake.snapshots.search("lapwing", project=project, tier=tier, now=moment)
        assert [hit.snapshot.memory_tier for hit in page.hits] == [tier]


async def test_a_time_slightly_ahead_is_accepted(wake: Wakegraph, project: str) -> None:
    ahead = NOW + timedelta(seconds=300)
    assert (await wake.snapshots.save("x", project=project, created_at=ahead, now=NOW)).snapshot.created_at == ahead


async def test_the_same_id_and_content_again_changes_nothing(wake: Wakegraph, project: str, dump: Dump) -> None:
    await wake.snapshots.save("cause", project=project, id="c")
    first = await wake.snapshots.save("text", project=project, id="a", caused_by=["c"], about=["f"], now=NOW)
    before = await dump(project)
    again = await wake.snapshots.save("text", project=project, id="a", caused_by=["c"], now=NOW + timedelta(days=1))
    assert (first.already_saved, again.already_saved) == (False, True)
    assert again.snapshot.created_at == first.snapshot.created_at
    assert (again.links, again.about) == (first.links, ["f"])
    assert (await wake.snapshots.save("text", project=project, id="a")).already_saved
    assert await dump(project) == before


async def test_a_repeated_save_shows_what_its_call_names(wake: Wakegraph, project: str, other_project: str) -> None:
    elsewhere = [f"{other_project}::c"]
    await wake.snapshots.save("cause", project=other_project, id="c")
    await wake.snapshots.save("text", project=project, id="a", caused_by=elsewhere, cross_project=True)
    await wake.snapshots.save("new", project=other_project, supersedes=[f"{project}::a"], cross_project=True)
    again = await wake.snapshots.save("text", project=project, id="a")
    assert (again.already_saved, again.links, again.snapshot.superseded_by) == (True, [], [])
    again = await wake.snapshots.save("text", project=project, id="a", caused_by=elsewhere, cross_project=True)
    assert [edge.target for edge in again.links] == ["c"]


async def test_the_same_id_with_something_else_is_an_error_that_says_what_to_do(
    wake: Wakegraph, project: str, dump: Dump
) -> None:
    await wake.snapshots.save("cause", project=project, id="c")
    await wake.snapshots.save("text", project=project, id="a")
    before = await dump(project)
    with pytest.raises(ConflictError, match=r"other content.*supersedes"):
        await wake.snapshots.save("other", project=project, id="a")
    with pytest.raises(ConflictError, match=r"without the link CAUSED_BY .*::c.*link"):
        await wake.snapshots.save("text", project=project, id="a", caused_by=["c"])
    assert await dump(project) == before


async def test_an_unnamed_save_repeated_within_ten_minutes_is_a_retry(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("cause", project=project, id="c")
    facts = {"project": project, "author": "ann", "session": "s", "about": ["f"], "caused_by": ["c"]}
    first = await wake.snapshots.save("text", **facts, now=NOW)  # type: ignore[arg-type]
    again = await wake.snapshots.save("text", **facts, now=NOW + timedelta(minutes=10))  # type: ignore[arg-type]
    assert (again.snapshot.id, again.already_saved) == (first.snapshot.id, True)
    later = await wake.snapshots.save("text", **facts, now=NOW + timedelta(minutes=11))  # type: ignore[arg-type]
    assert not later.already_saved
    once_more = await wake.snapshots.save("text", **facts, now=NOW + timedelta(minutes=12))  # type: ignore[arg-type]
    assert (once_more.snapshot.id, once_more.already_saved) == (later.snapshot.id, True)


@pytest.mark.parametrize(
    "change", [{"author": "bob"}, {"session": "t"}, {"about": ["g"]}, {"caused_by": []}, {"depends_on": ["c"]}]
)
async def test_a_save_that_differs_is_no_retry(wake: Wakegraph, project: str, change: dict[str, object]) -> None:
    await wake.snapshots.save("cause", project=project, id="c")
    facts = {"project": project, "author": "ann", "session": "s", "about": ["f"], "caused_by": ["c"], "now": NOW}
    first = await wake.snapshots.save("text", **facts)  # type: ignore[arg-type]
    other = await wake.snapshots.save("text", **facts | change)  # type: ignore[arg-type]
    assert not other.already_saved
    assert other.snapshot.id != first.snapshot.id


async def test_a_blank_summary_counts_as_none(wake: Wakegraph, project: str) -> None:
    saved = await wake.snapshots.save("text", project=project, summary=" \n ", now=NOW)
    assert (saved.snapshot.summary, saved.snapshot.title) == ("text", "text")


async def test_a_retry_after_the_first_was_deleted_is_a_new_save(wake: Wakegraph, project: str) -> None:
    first = await wake.snapshots.save("text", project=project, now=NOW)
    await wake.snapshots.delete(first.snapshot.id, project=project, confirm=True, now=NOW)
    assert not (await wake.snapshots.save("text", project=project, now=NOW)).already_saved


async def saved_at(wake: Wakegraph, project: str, name: str, minutes: float, **facts: object) -> list[str]:
    created = NOW + timedelta(minutes=minutes)
    saved = await wake.snapshots.save(name, project=project, id=name, created_at=created, now=created, **facts)  # type: ignore[arg-type]
    assert all(edge.type is LinkType.DEPENDS_ON and edge.origin is Origin.DETECTED for edge in saved.detected)
    assert all(edge.gap_seconds is not None and edge.gap_seconds >= 0 for edge in saved.detected)
    return [edge.target for edge in saved.detected]


async def test_dependencies_are_detected_in_the_hour_before(wake: Wakegraph, project: str) -> None:
    for number in range(8):
        await saved_at(wake, project, f"s{number}", number * 10)
    assert await saved_at(wake, project, "next", 75) == ["s7", "s6", "s5", "s4", "s3"]
    assert await saved_at(wake, project, "edge", 75 + 60) == ["next"], "exactly one hour counts"
    assert await saved_at(wake, project, "alone", 75 + 60 + 60.001) == []
    found = await one(wake, project, "edge")
    assert [(link.id, link.gap_seconds) for link in found.depends_on] == [("next", 3600.0)]


async def test_a_gap_is_as_exact_as_the_times_are(wake: Wakegraph, project: str) -> None:
    created = NOW + timedelta(microseconds=1_234_567)
    await wake.snapshots.save("before", project=project, id="before", created_at=NOW, now=created)
    after = await wake.snapshots.save("after", project=project, created_at=created, now=created)
    assert [edge.gap_seconds for edge in after.detected] == [1.234567]


async def test_what_was_saved_in_the_same_instant_is_not_detected(wake: Wakegraph, project: str) -> None:
    await saved_at(wake, project, "a", 0)
    assert await saved_at(wake, project, "b", 0) == []


async def test_what_is_named_is_skipped_before_five_are_taken(wake: Wakegraph, project: str) -> None:
    for number in range(8):
        await saved_at(wake, project, f"s{number}", number)
    detected = await saved_at(wake, project, "next", 9, caused_by=["s7"], depends_on=["s5"], supersedes=["s3"])
    assert detected == ["s6", "s4", "s2", "s1", "s0"]


async def test_a_session_detects_only_itself(wake: Wakegraph, project: str, other_project: str) -> None:
    await saved_at(wake, project, "mine", 0, session="s")
    await saved_at(wake, project, "yours", 1, session="t")
    await saved_at(wake, project, "nobody", 2)
    await saved_at(wake, other_project, "elsewhere", 3, session="s")
    assert await saved_at(wake, project, "next", 4, session="s") == ["mine"]
    assert await saved_at(wake, project, "free", 5) == ["next", "nobody", "yours", "mine"]


async def test_detection_can_be_turned_off_and_set(wake_at: Callable[..., Wakegraph], project: str) -> None:
    wake = wake_at(NOW, detection_limit=2, detection_window_seconds=60)
    for number in range(4):
        await saved_at(wake, project, f"s{number}", number / 4)
    assert await saved_at(wake, project, "off", 1, detect_dependencies=False) == []
    assert await saved_at(wake, project, "two", 1.5) == ["off", "s3"]
    assert await saved_at(wake, project, "none", 9) == []


async def test_detection_leaves_roles_alone(wake: Wakegraph, project: str) -> None:
    await saved_at(wake, project, "a", 0)
    await saved_at(wake, project, "b", 1)
    assert {(await one(wake, project, name)).causal_role for name in "ab"} == {CausalRole.ISOLATED}


async def test_causes_may_be_later_and_the_first_is_primary(wake: Wakegraph, project: str) -> None:
    for name in ("c1", "c2", "c3"):
        await wake.snapshots.save(name, project=project, id=name, created_at=NOW, now=NOW)
    saved = await wake.snapshots.save(
        "x", project=project, id="x", caused_by=["c2", "c1", "c3", "c2"], created_at=NOW - timedelta(days=1), now=NOW
    )
    assert [(edge.target, edge.primary) for edge in saved.links] == [("c2", True), ("c1", False), ("c3", False)]
    found = await one(wake, project, "x")
    assert [link.id for link in found.caused_by if link.primary] == ["c2"]


async def test_roles_follow_the_saves(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("r", project=project, id="r")
    await wake.snapshots.save("m", project=project, id="m", caused_by=["r"])
    await wake.snapshots.save("l", project=project, id="l", caused_by=["m"])
    roles = {name: (await one(wake, project, name)).causal_role for name in "rml"}
    assert roles == {"r": CausalRole.ROOT, "m": CausalRole.LINK, "l": CausalRole.LEAF}
    await wake.snapshots.save("l2", project=project, id="l2", caused_by=["m"])
    assert (await one(wake, project, "m")).causal_role is CausalRole.BRANCH


async def test_what_was_superseded_says_so_everywhere(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("old", project=project, id="old")
    saved = await wake.snapshots.save("new", project=project, id="new", supersedes=["old"])
    assert [(edge.type, edge.target) for edge in saved.links] == [(LinkType.SUPERSEDES, "old")]
    assert [ref.id for ref in (await one(wake, project, "old")).superseded_by] == ["new"]
    listed = {s.id: s for s in (await wake.snapshots.list(project=project)).snapshots}
    assert [ref.id for ref in listed["old"].superseded_by] == ["new"]
    assert listed["new"].superseded_by == []
    updated = await wake.snapshots.update("old", project=project, tags=["t"])
    assert [ref.id for ref in updated.superseded_by] == ["new"]
    again = await wake.snapshots.save("old", project=project, id="old")
    assert [ref.id for ref in again.snapshot.superseded_by] == ["new"]
    await wake.snapshots.save(
        "next", project=project, id="next", caused_by=["old"], depends_on=["old"], detect_dependencies=False
    )
    found = await one(wake, project, "next")
    assert [[ref.id for ref in link.superseded_by] for link in (*found.caused_by, *found.depends_on)] == [["new"]] * 2
    (replaced,) = (await one(wake, project, "new")).supersedes
    assert ([ref.id for ref in replaced.superseded_by], replaced.origin) == (["new"], None)
    await wake.snapshots.save("newest", project=project, id="newest", supersedes=["next"], detect_dependencies=False)
    old = await one(wake, project, "old")
    assert [[ref.id for ref in link.superseded_by] for link in (*old.effects, *old.dependents)] == [["newest"]] * 2
    likely = (await wake.snapshots.save("old and next", project=project)).suggested_causes
    newer = {(s.id, *(ref.id for ref in s.superseded_by)) for s in likely}
    assert newer >= {("old", "new")} or newer >= {("next", "newest")}


async def test_links_into_another_project_need_leave(
    wake: Wakegraph, project: str, other_project: str, dump: Dump
) -> None:
    await wake.snapshots.save("there", project=other_project, id="there")
    before = await dump(project, other_project)
    for name in ("there", f"{other_project}::there"):
        with pytest.raises(InvalidInputError, match="crossProject"):
            await wake.snapshots.save("here", project=project, id="here", caused_by=[name])
    assert await dump(project, other_project) == before
    await wake.snapshots.save("here", project=project, id="here", caused_by=["there"], cross_project=True)
    shown = await one(wake, project, "here")
    assert (shown.caused_by, shown.leads_elsewhere) == ([], True)
    (whole,) = await wake.snapshots.get(f"{project}::here")
    assert [(link.project, link.id) for link in whole.caused_by] == [(other_project, "there")]
    assert (await one(wake, other_project, "there")).causal_role is CausalRole.ROOT


async def test_who_writes_is_the_fixed_name_else_the_argument_else_the_setting(
    wake: Wakegraph, wake_at: Callable[..., Wakegraph], project: str
) -> None:
    async def author(wake: Wakegraph, given: str | None, caller: Caller) -> str | None:
        saved = await wake.snapshots.save(f"{given} {caller}", project=project, author=given, caller=caller)
        return saved.snapshot.author

    fixed = Caller(author="token", fixed_author=True)
    assert await author(wake, "argument", fixed) == "token"
    assert await author(wake, "argument", Caller(author="client")) == "argument"
    assert await author(wake, None, Caller(author="client")) == "client"
    assert await author(wake, None, Caller()) is None
    assert await author(wake_at(NOW, author="setting"), None, Caller(author="client")) == "setting"


async def test_likely_causes_are_suggested_and_never_linked(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("The retry queue drops messages", project=project, id="bug", session="s")
    saved = await wake.snapshots.save("Bound the retry queue", project=project, id="fix", session="s", now=None)
    assert [cause.id for cause in saved.suggested_causes] == ["bug"]
    assert saved.suggested_causes[0].why
    assert (await one(wake, project, "fix")).caused_by == []
    linked = await wake.snapshots.save("More of the retry queue", project=project, caused_by=["bug"])
    assert linked.suggested_causes == []


async def test_read_only_refuses_every_write_and_still_reads(
    wake: Wakegraph, wake_at: Callable[..., Wakegraph], project: str, dump: Dump
) -> None:
    await wake.snapshots.save("x", project=project, id="x")
    before = await dump(project)
    closed = wake_at(NOW, read_only=True).snapshots
    for refused in (
        closed.save("y", project=project),
        closed.link("x", project=project, caused_by=["x"]),
        closed.update("x", project=project, tags=["t"]),
        closed.delete("x", project=project, confirm=True),
    ):
        with pytest.raises(AccessDeniedError, match="read-only"):
            await refused
    assert (await closed.delete("x", project=project)).deleted is False
    assert len(await closed.get("x", project=project)) == 1
    assert await dump(project) == before
