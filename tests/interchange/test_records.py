"""One line: what is read, what is refused, and with which words."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from wakegraph.errors import InvalidInputError
from wakegraph.interchange.records import Link, Reader, Record
from wakegraph.memory.tiers import TierThresholds
from wakegraph.models import LOCAL_CALLER, Caller, LinkType, Origin

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def read(line: bytes | dict[str, Any], project: str | None = "p", caller: Caller = LOCAL_CALLER) -> Record:
    raw = line if isinstance(line, bytes) else json.dumps(line).encode()
    return Reader(project, caller, NOW, 300, TierThresholds()).record(1, raw)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"\xff", "not UTF-8 (byte 1"),
        (b'{"id": "a"', "not JSON"),
        (b"[1]", "must be a JSON object"),
        (b"null", "must be a JSON object"),
        (b'{"id": "a", "x": NaN}', "NaN is not a JSON number"),
        (b'{"id": "a", "x": 1e999}', "metadata cannot be written as JSON"),
        (b'{"id": "a", "x": ' + b"9" * 5000 + b"}", "a number that cannot be read"),
        (b"[" * 200_000, "nested too deeply"),
        ({}, "neither id nor content nor summary"),
        ({"id": ""}, "empty"),
        ({"id": "a::b"}, "'::'"),
        ({"id": "a\nb"}, "control character"),
        ({"id": "a" * 201}, "201 characters; the limit is 200"),
        ({"id": 5}, "id must be a text"),
        ({"id": "a", "project": "  "}, "project is empty"),
        ({"id": "a", "content": "x\x00"}, "NUL"),
        (b'{"id": "a", "content": "x\\ud83d"}', "lone surrogate U+D83D"),
        (b'{"id": "a", "tags": ["x\\ud83d"]}', "lone surrogate"),
        (b'{"id": "a", "unknown": "x\\ud83d"}', "lone surrogate"),
        ({"id": "a", "content": "x" * 1_000_001}, "1,000,001 characters; the limit is 1,000,000"),
        ({"id": "a", "action_type": "dance"}, "use one of conversation, decision"),
        ({"id": "a", "source": "dream"}, "use one of mcp"),
        ({"id": "a", "author_type": "cat"}, "use one of human"),
        ({"id": "a", "created_at": "yesterday"}, "not a time"),
        ({"id": "a", "created_at": 5}, "must be a time"),
        ({"id": "a", "created_at": "2026-01-15T12:05:01Z"}, "in the future"),
        ({"id": "a", "last_accessed": "2027-01-01"}, "in the future"),
        ({"id": "a", "tags": "one"}, "tags must be a list"),
        ({"id": "a", "caused_by": "one"}, "caused_by must be a list"),
        ({"id": "a", "caused_by": [7]}, "caused_by must hold ids"),
        ({"id": "a", "caused_by": ["a"]}, "names the snapshot itself"),
        ({"id": "a", "supersedes": ["p::a"]}, "names the snapshot itself"),
        ({"id": "a", "depends_on": [{"id": "b", "why": "x"}]}, "has an object with why"),
        ({"id": "a", "depends_on": [{"id": "b", "origin": "guess"}]}, "use one of stated"),
        ({"id": "a", "caused_by": [{"id": "b", "origin": "detected"}]}, "cannot be detected"),
        ({"id": "a", "depends_on": [{"id": "b", "gap_seconds": 5}]}, "belongs to origin detected"),
        ({"id": "a", "depends_on": [{"id": "b", "origin": "detected", "gap_seconds": "5"}]}, "must be a number"),
        ({"id": "a", "metadata": [1]}, "metadata must be a JSON object"),
        ({"id": "a", "metadata": [1], "x": 1}, "metadata must be a JSON object"),
        ({"id": "a", "metadata": {"x": 1}, "x": 2}, "metadata has one of that name"),
        ({"id": "a", "access_count": -1}, "access_count"),
        ({"id": "a", "access_count": True}, "access_count"),
        ({"id": "a", "access_count": 1, "recent_accesses": ["2026-01-01", "2026-01-02"]}, "less than"),
        ({"id": "a", "recent_accesses": ["2026-01-01"], "recent_accessors": ["x", "y"]}, "belong together"),
        ({"id": "a", "recent_accesses": ["2026-01-01"] * 17}, "17 entries"),
        ({"id": "a", "about": [" "]}, "empty text"),
        ({"id": "a", "about": ["\U0001f600" * 2_000]}, "8,000 bytes"),
    ],
)
def test_a_bad_line_is_one_clear_sentence(line: bytes | dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        read(line)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_project_is_needed_and_may_be_given_for_the_whole_file() -> None:
    assert read({"id": "a"}, project="q").project == "q"
    assert read({"id": "a", "project": "r"}, project="q").project == "r"
    with pytest.raises(InvalidInputError, match="project is missing"):
        read({"id": "a"}, project=None)


def test_a_caller_limited_to_projects_can_name_no_other() -> None:
    caller = Caller(projects=frozenset({"p"}))
    for line in ({"id": "a", "project": "q"}, {"id": "a", "caused_by": ["q::b"]}):
        with pytest.raises(InvalidInputError, match="there is no project 'q'"):
            read(line, caller=caller)


@pytest.mark.parametrize(
    ("line", "content", "summary"),
    [
        ({"id": "a"}, "a", "a"),
        ({"id": "a", "summary": "s"}, "s", "s"),
        ({"content": "c" * 201}, "c" * 201, "c" * 200 + "..."),
        ({"content": "c", "summary": "s"}, "c", "s"),
    ],
)
def test_id_content_and_summary_stand_in_for_one_another(line: dict[str, Any], content: str, summary: str) -> None:
    found = read(line).properties
    assert (found["content"], found["summary"]) == (content, summary)


def test_a_line_without_an_id_always_gets_the_same() -> None:
    first = read(b'{"content": "x", "tags": ["a"]}')
    assert read(b'{"tags":["a"],"content":"x"}').id == first.id
    assert read({"content": "x"}).id != first.id
    assert read({"content": "x", "tags": ["a"]}, project="q").id != first.id


def test_unknown_keys_are_kept_in_metadata() -> None:
    text = read(b'{"id": "a", "metadata": {"z": 1.10}, "big": 123456789012345678901234567890, "b": [true, null]}')
    assert text.properties["metadata_json"] == '{"z":1.1,"big":123456789012345678901234567890,"b":[true,null]}'


def test_defaults_of_an_import() -> None:
    record = read({"id": "a", "rationale": "", "author": None, "tags": None})
    assert record.created == NOW
    assert record.properties == {
        "project": "p",
        "id": "a",
        "content": "a",
        "summary": "a",
        "title": "a",
        "tags": [],
        "action_type": "conversation",
        "source": "import",
        "access_count": 0,
        "recent_accesses": [],
        "recent_accessors": [],
        "memory_tier": "ACTIVE",
    }


@pytest.mark.parametrize(
    "text", ["2026-01-15T08:00:00Z", "2026-01-15T08:00:00+00:00", "2026-01-15T16:00:00+08:00", "2026-01-15T08:00:00"]
)
def test_one_instant_has_one_stored_form(text: str) -> None:
    created = read({"id": "a", "created_at": text}).created
    assert created == datetime(2026, 1, 15, 8, tzinfo=UTC)
    assert created.tzinfo is UTC


def test_access_facts_complete_one_another() -> None:
    found = read({"id": "a", "recent_accesses": ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]}).properties
    assert found["access_count"] == 2
    assert found["last_accessed"] == datetime(2026, 1, 2, tzinfo=UTC)
    assert found["recent_accessors"] == ["", ""]
    assert read({"id": "a", "last_accessed": "2026-01-02"}).properties["access_count"] == 1


def test_links_are_ids_or_objects_and_each_counts_once() -> None:
    record = read(
        {
            "id": "a",
            "caused_by": ["b", {"id": "b"}, {"id": "q::c", "rationale": "r", "origin": "stated"}],
            "depends_on": [{"id": "d", "origin": "detected", "gap_seconds": 2, "recorded_at": "2026-01-01T00:00:00Z"}],
            "supersedes": ["b"],
        }
    )
    assert record.links == [
        Link(LinkType.CAUSED_BY, "p", "b"),
        Link(LinkType.CAUSED_BY, "q", "c", Origin.STATED, "r"),
        Link(LinkType.DEPENDS_ON, "p", "d", Origin.DETECTED, None, datetime(2026, 1, 1, tzinfo=UTC), 2.0),
        Link(LinkType.SUPERSEDES, "p", "b"),
    ]
