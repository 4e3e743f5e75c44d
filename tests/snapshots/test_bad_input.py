# ruff: noqa: E501  a table of calls reads best one a line
"""Input that cannot be accepted gives one clear line and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.errors import ConflictError, InvalidInputError, NotFoundError, WakegraphError
from wakegraph.models import ActionType
from wakegraph.snapshots import rules

from .conftest import Dump

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
LONG = "x" * 201

BAD_SAVES: list[tuple[dict[str, Any], str]] = [
    ({"content": ""}, "content is empty"),
    ({"content": " \n\t\u3000"}, "content is empty"),
    ({"content": None}, "content must be a text, not None"),
    ({"content": 5}, "content must be a text, not 5"),
    ({"content": "a\x00b"}, "NUL character at position 1"),
    ({"content": "a\ud83d"}, r"lone surrogate U\+D83D at position 1"),
    ({"content": "x" * 1_000_001}, "1,000,001 characters; the limit is 1,000,000"),
    ({"id": ""}, "id is empty"),
    ({"id": "  "}, "id is empty"),
    ({"id": LONG}, "201 characters; the limit is 200"),
    ({"id": "a\nb"}, "control character at position 1"),
    ({"id": "a\x85b"}, "control character"),
    ({"id": "a::b"}, "holds '::'"),
    ({"id": "a\x00"}, "NUL"),
    ({"id": 7}, "id must be a text"),
    ({"project": ""}, "project is empty"),
    ({"project": "\u2003"}, "project is empty"),
    ({"project": LONG}, "201 characters; the limit is 200"),
    ({"project": "a\tb"}, "control character"),
    ({"project": "a::b"}, "holds '::'"),
    ({"project": "a\udc00"}, "lone surrogate"),
    ({"summary": "\x00"}, "summary holds a NUL"),
    ({"summary": "s" * 10_001}, "summary has 10,001"),
    ({"rationale": "\ud800"}, "rationale holds a lone surrogate"),
    ({"rationale": "r" * 100_001}, "rationale has 100,001"),
    ({"tags": ["ok", ""]}, "tags holds an empty text"),
    ({"tags": ["a\x00"]}, "tags holds a NUL"),
    ({"tags": [LONG]}, "tags has 201"),
    ({"tags": [None]}, "tags must be a text"),
    ({"tags": [str(n) for n in range(1_001)]}, "tags has 1,001 entries"),
    ({"tags": 5}, "tags must be a list of texts"),
    ({"about": ["\ud800"]}, "about holds a lone surrogate"),
    ({"about": ["r" * 2_001]}, "about has 2,001"),
    ({"about": ["\U0001f600" * 2_000]}, "about has 8,000 bytes"),
    ({"action_type": "thought"}, "conversation, decision, file_edit, tool_use, research"),
    ({"action_type": "CAUSED_BY`]->() DETACH DELETE n //"}, "is not known"),
    ({"author_type": "robot"}, "human, ai-agent, ai-compositor"),
    ({"source": "email"}, "mcp, cli, api, import"),
    ({"author": "a\x07"}, "author .* control character"),
    ({"author": LONG}, "author has 201"),
    ({"session": "a\x00"}, "session holds a NUL"),
    ({"session": " "}, "session is empty"),
    ({"metadata": ["list"]}, "metadata must be a JSON object"),
    ({"metadata": {"a": float("nan")}}, "metadata cannot be written as JSON"),
    ({"metadata": {"a": object()}}, "metadata cannot be written as JSON"),
    ({"metadata": {"a": "\ud800"}}, "lone surrogate"),
    ({"metadata": {"a": "m" * 100_001}}, "metadata has"),
    ({"created_at": NOW + timedelta(seconds=301)}, "in the future"),
    ({"created_at": "2999-01-01T00:00:00Z"}, "in the future"),
    ({"created_at": "yesterday"}, "ISO 8601"),
    ({"created_at": ""}, "ISO 8601"),
    ({"created_at": 5}, "must be a time"),
    ({"created_at": "0001-01-01T00:00:00+14:00"}, "out of range"),
    ({"caused_by": ["no-such-id"]}, "no snapshot 'no-such-id'"),
    ({"caused_by": ["known", "no-such-id"]}, "no snapshot 'no-such-id'"),
    ({"depends_on": ["no-such-id"]}, "depends_on"),
    ({"supersedes": ["no-such-id"]}, "supersedes"),
    ({"caused_by": ["new"]}, "names the snapshot itself"),
    ({"depends_on": ["known", "new"]}, "names the snapshot itself"),
    ({"supersedes": ["new"]}, "names the snapshot itself"),
    ({"caused_by": [""]}, "caused_by holds an empty text"),
    ({"caused_by": ["a\x00"]}, "caused_by holds a NUL"),
    ({"caused_by": ["a::b::c"]}, "holds '::'"),
    ({"caused_by": 5}, "caused_by must be a list of texts"),
    ({"id": "known", "content": "other"}, "exists with other content"),
]


@pytest.mark.parametrize(("facts", "message"), BAD_SAVES, ids=lambda value: repr(value)[:40])
async def test_a_save(wake: Wakegraph, project: str, dump: Dump, facts: dict[str, Any], message: str) -> None:
    await wake.snapshots.save("text", project=project, id="known")
    before = await dump(project)
    call: dict[str, Any] = {"content": "text", "project": project, "id": "new", "now": NOW} | facts
    with pytest.raises((InvalidInputError, NotFoundError, ConflictError), match=message) as caught:
        await wake.snapshots.save(call.pop("content"), **call)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    assert await dump(project) == before


async def test_a_save_into_a_project_that_does_not_exist_leaves_none_behind(
    wake: Wakegraph, project: str, dump: Dump
) -> None:
    with pytest.raises(NotFoundError):
        await wake.snapshots.save("text", project=project, caused_by=["no-such-id"])
    assert await dump(project) == []
    assert project not in [info.project for info in await wake.snapshots.projects()]


async def test_a_save_without_any_project_says_how_to_give_one(wake: Wakegraph) -> None:
    with pytest.raises(InvalidInputError, match="WAKEGRAPH_PROJECT"):
        await wake.snapshots.save("text")


Call = Callable[[Wakegraph, str], Any]
BAD_CALLS: list[tuple[str, Call, str]] = [
    ("link nothing", lambda w, p: w.snapshots.link("a", project=p), "no link was named"),
    ("link itself", lambda w, p: w.snapshots.link("a", project=p, caused_by=["a"]), "names the snapshot itself"),
    ("link itself in full", lambda w, p: w.snapshots.link("a", project=p, depends_on=[f"{p}::a"]), "the snapshot itself"),
    ("supersede itself", lambda w, p: w.snapshots.link("a", project=p, supersedes=["a"]), "the snapshot itself"),
    ("link to a ghost", lambda w, p: w.snapshots.link("a", project=p, caused_by=["ghost"]), "'ghost'"),
    ("link from a ghost", lambda w, p: w.snapshots.link("ghost", project=p, caused_by=["a"]), "'ghost'"),
    ("link three, the second a ghost", lambda w, p: w.snapshots.link("c", project=p, depends_on=["a", "ghost", "b"]), "ghost"),
    ("link two kinds, one a ghost", lambda w, p: w.snapshots.link("c", project=p, caused_by=["a"], supersedes=["ghost"]), "ghost"),
    ("close a cycle", lambda w, p: w.snapshots.link("a", project=p, caused_by=["b"]), "::b -> .*::a"),
    ("close a cycle beside a good link", lambda w, p: w.snapshots.link("a", project=p, caused_by=["c", "b"]), "::b -> .*::a"),
    ("close a cycle of superseding", lambda w, p: w.snapshots.link("c", project=p, supersedes=["d"]), "::d -> .*::c"),
    ("primary of two", lambda w, p: w.snapshots.link("d", project=p, caused_by=["a", "b"], primary=True), "exactly one"),
    ("primary and remove", lambda w, p: w.snapshots.link("b", project=p, caused_by=["a"], primary=True, remove=True), "not remove"),
    ("remove what is not there", lambda w, p: w.snapshots.link("c", project=p, caused_by=["a"], remove=True), "no CAUSED_BY link"),
    ("remove two, one not there", lambda w, p: w.snapshots.link("b", project=p, caused_by=["a", "c"], remove=True), "no CAUSED_BY link to .*::c"),
    ("link with a bad rationale", lambda w, p: w.snapshots.link("c", project=p, caused_by=["a"], rationale="\x00"), "NUL"),
    ("update nothing", lambda w, p: w.snapshots.update("a", project=p), "nothing to change"),
    ("update a ghost", lambda w, p: w.snapshots.update("ghost", project=p, tags=["t"]), "'ghost'"),
    ("update to a blank summary", lambda w, p: w.snapshots.update("a", project=p, summary=" "), "summary is empty"),
    ("update to a bad type", lambda w, p: w.snapshots.update("a", project=p, action_type="x", tags=["t"]), "is not known"),
    ("update to a bad tag", lambda w, p: w.snapshots.update("a", project=p, summary="s", tags=["\ud800"]), "surrogate"),
    ("update to bad metadata", lambda w, p: w.snapshots.update("a", project=p, metadata=[1]), "JSON object"),
    ("delete a ghost", lambda w, p: w.snapshots.delete("ghost", project=p, confirm=True), "'ghost'"),
    ("delete a blank", lambda w, p: w.snapshots.delete(" ", project=p, confirm=True), "id is empty"),
    ("get a ghost", lambda w, p: w.snapshots.get(["a", "ghost"], project=p), "'ghost'"),
    ("get nothing", lambda w, p: w.snapshots.get([], project=p), "at least one id"),
    ("get too many", lambda w, p: w.snapshots.get(["a"] * 101, project=p), "from 1 to 100"),
    ("list none", lambda w, p: w.snapshots.list(project=p, limit=0), "from 1 to 100"),
    ("list too many", lambda w, p: w.snapshots.list(project=p, limit=10**9), "from 1 to 100"),
    ("list a fraction", lambda w, p: w.snapshots.list(project=p, limit=5.5), "from 1 to 100"),
    ("list a text", lambda w, p: w.snapshots.list(project=p, limit="5"), "from 1 to 100"),
    ("list true", lambda w, p: w.snapshots.list(project=p, limit=True), "from 1 to 100"),
    ("list in no order", lambda w, p: w.snapshots.list(project=p, order="best"), "recent, predicted, least_recently_used"),
    ("list no type", lambda w, p: w.snapshots.list(project=p, action_type="x"), "is not known"),
    ("list since when", lambda w, p: w.snapshots.list(project=p, since="soon"), "ISO 8601"),
    ("list with a NUL", lambda w, p: w.snapshots.list(project=p, tag="a\x00"), "NUL"),
    ("list with a surrogate", lambda w, p: w.snapshots.list(project=p, author="\ud800"), "surrogate"),
    ("list with a bad session", lambda w, p: w.snapshots.list(project=p, session=5), "session must be a text"),
    ("list with a bad reference", lambda w, p: w.snapshots.list(project=p, about="\ud800"), "surrogate"),
    ("search with a NUL", lambda w, p: w.snapshots.search("x", project=p, tag="a\x00"), "NUL"),
    ("search for a NUL", lambda w, p: w.snapshots.search("x\x00", project=p), "NUL"),
    ("search for a surrogate", lambda w, p: w.snapshots.search("\ud800", project=p), "surrogate"),
    ("search with a bad author", lambda w, p: w.snapshots.search("x", project=p, author="\ud800"), "surrogate"),
    ("list behind nonsense", lambda w, p: w.snapshots.list(project=p, cursor="🎉"), "not one of this list"),
    ("list behind the wrong list", lambda w, p: w.snapshots.list(project=p, cursor="eyJza2lwIjoxfQ"), "not one of this list"),
    ("list behind a wrong time", lambda w, p: w.snapshots.list(project=p, cursor="eyJjcmVhdGVkX2F0IjoxLCJpZCI6ImEifQ"), "not one"),
    ("list behind a list", lambda w, p: w.snapshots.list(project=p, cursor="W10"), "not one of this list"),
    ("list behind a number", lambda w, p: w.snapshots.list(project=p, cursor=5), "not one of this list"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), [bad[1:] for bad in BAD_CALLS], ids=[bad[0] for bad in BAD_CALLS])
async def test_a_call(wake: Wakegraph, project: str, dump: Dump, call: Call, message: str) -> None:
    await wake.snapshots.save("a", project=project, id="a")
    await wake.snapshots.save("b", project=project, id="b", caused_by=["a"])
    await wake.snapshots.save("c", project=project, id="c")
    await wake.snapshots.save("d", project=project, id="d", supersedes=["c"])
    before = await dump(project)
    with pytest.raises(WakegraphError, match=message) as caught:
        await call(wake, project)
    assert "\n" not in str(caught.value)
    assert await dump(project) == before


@pytest.mark.parametrize("name", ["update", "delete", "link", "get"])
async def test_an_id_of_another_project_is_not_found(
    wake: Wakegraph, project: str, other_project: str, dump: Dump, name: str
) -> None:
    await wake.snapshots.save("mine", project=project, id="mine")
    await wake.snapshots.save("theirs", project=other_project, id="theirs-and-long")
    before = await dump(project, other_project)
    calls = {
        "update": lambda: wake.snapshots.update("theirs-and-long", project=project, tags=["t"]),
        "delete": lambda: wake.snapshots.delete("theirs-and-long", project=project, confirm=True),
        "link": lambda: wake.snapshots.link("theirs-and-long", project=project, caused_by=["mine"]),
        "get": lambda: wake.snapshots.get("theirs-and", project=project),
    }
    with pytest.raises(NotFoundError, match="theirs-and") as caught:
        await calls[name]()
    assert other_project not in str(caught.value)
    assert await dump(project, other_project) == before


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=300), st.binary(max_size=5),
    st.lists(st.text(max_size=5), max_size=3), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip
CHECKS: list[Callable[[Any], Any]] = [
    rules.check_content,
    rules.check_id,
    rules.check_project,
    rules.check_metadata,
    rules.parse_name,
    lambda value: rules.check_text("x", value, 100),
    lambda value: rules.check_name("x", value),
    lambda value: rules.check_names("x", value),
    lambda value: rules.check_enum("x", value, ActionType),
    lambda value: rules.parse_time("x", value),
    lambda value: rules.check_created_at(value, NOW, 300),
]


@pytest.mark.parametrize("check", CHECKS)
@given(value=ANYTHING)
def test_a_check_accepts_or_refuses_in_one_line(check: Callable[[Any], Any], value: Any) -> None:
    try:
        check(value)
    except InvalidInputError as error:
        line = str(error)
    else:
        return
    assert "\n" not in line
    assert len(line) < 500


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=300))
def test_what_is_derived_of_a_text_is_bounded_and_one_line(text: str) -> None:
    assert len(rules.summarise(text)) <= 203
    title = rules.title_of(rules.summarise(text))
    assert len(title) <= 80
    assert len(title.splitlines()) <= 1
    assert rules.summarise(text).startswith(text[:200])
