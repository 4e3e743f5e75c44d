"""A Wake Intelligence database: its facts arrive, what is derived or odd is kept, the file is only read."""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.errors import AccessDeniedError, ImportFileError, InvalidInputError
from wakegraph.interchange.models import ForeignImportResult, Problem
from wakegraph.interchange.records import Reader
from wakegraph.interchange.sqlite import opened_database
from wakegraph.memory.tiers import TierThresholds
from wakegraph.models import LOCAL_CALLER, Caller, LinkType, Origin, Scope

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)

# The columns, types and defaults of Wake Intelligence 3, in the order in which its migrations add them.
SCHEMA = """
CREATE TABLE context_snapshots (
  id TEXT PRIMARY KEY, project TEXT NOT NULL, summary TEXT NOT NULL, source TEXT DEFAULT 'unknown', metadata TEXT,
  tags TEXT DEFAULT '', timestamp DATETIME DEFAULT CURRENT_TIMESTAMP, action_type TEXT, rationale TEXT,
  dependencies TEXT, caused_by TEXT, memory_tier TEXT NOT NULL DEFAULT 'active', last_accessed TEXT,
  access_count INTEGER NOT NULL DEFAULT 0, prediction_score REAL DEFAULT NULL, last_predicted TEXT DEFAULT NULL,
  predicted_next_access TEXT DEFAULT NULL, propagation_reason TEXT DEFAULT NULL
);
"""
FULL = {
    "id": "b2c7",
    "project": "shop",
    "summary": "Retry with jitter",
    "source": "mcp",
    "metadata": '{"file": "retry.py"}',
    "tags": "retry, network,retry",
    "timestamp": "2025-10-16T12:30:00.000Z",
    "action_type": "decision",
    "rationale": "a busy server must recover",
    "dependencies": '["a1"]',
    "caused_by": "a1",
    "memory_tier": "archived",
    "last_accessed": "2025-10-17T08:00:00.000Z",
    "access_count": 3,
    "prediction_score": 0.42,
    "last_predicted": "2025-10-18T00:00:00.000Z",
    "predicted_next_access": "2025-10-19T00:00:00.000Z",
    "propagation_reason": '["causal_chain_member"]',
}
FIRST = {"id": "a1", "project": "shop", "summary": "The outage", "timestamp": "2025-10-16 12:00:00"}

Make = Callable[..., Path]


def fill(database: sqlite3.Connection, *rows: dict[str, Any]) -> None:
    for row in rows:
        names, marks = ", ".join(row), ", ".join("?" * len(row))
        database.execute(f"INSERT INTO context_snapshots ({names}) VALUES ({marks})", list(row.values()))
    database.commit()


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a database file with the rows given."""

    def make(*rows: dict[str, Any], schema: str = SCHEMA) -> Path:
        path = tmp_path / "wäke #1?.db"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(schema)
            fill(database, *rows)
        return path

    return make


@contextmanager
def reading(path: Path) -> Iterator[tuple[list[Any], list[str]]]:
    reader = Reader(None, LOCAL_CALLER, NOW, 300, TierThresholds())
    with opened_database(path) as database:
        yield list(database.records(reader)), database.notes


def read(path: Path) -> tuple[list[Any], list[str]]:
    with reading(path) as found:
        return found


def metadata(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record.properties["metadata_json"])
    return found


def test_facts_are_facts_and_what_is_derived_is_kept(make: Make) -> None:
    [_, record], notes = read(make(FIRST, FULL))
    properties = record.properties
    assert (record.project, record.id, record.line) == ("shop", "b2c7", 2)
    assert properties["content"] == properties["summary"] == "Retry with jitter"
    assert properties["tags"] == ["retry", "network"]
    assert record.created == datetime(2025, 10, 16, 12, 30, tzinfo=UTC)
    assert (properties["action_type"], properties["source"]) == ("decision", "mcp")
    assert properties["rationale"] == "a busy server must recover"
    assert properties["access_count"] == 3
    assert properties["last_accessed"] == datetime(2025, 10, 17, 8, tzinfo=UTC)
    assert metadata(record) == {
        "file": "retry.py",
        "wake_intelligence": {
            "memory_tier": "archived",
            "prediction_score": 0.42,
            "last_predicted": "2025-10-18T00:00:00.000Z",
            "predicted_next_access": "2025-10-19T00:00:00.000Z",
            "propagation_reason": ["causal_chain_member"],
        },
    }
    assert [(link.type, link.id, link.origin) for link in record.links] == [
        (LinkType.CAUSED_BY, "a1", Origin.IMPORTED),
        (LinkType.DEPENDS_ON, "a1", Origin.IMPORTED),
    ]
    assert notes == []


def test_a_row_of_defaults_is_a_snapshot(make: Make) -> None:
    [record], notes = read(
        make({"id": "x", "project": "p", "summary": "y" * 20_000, "timestamp": "2025-10-16 12:00:00"})
    )
    assert record.properties["content"] == "y" * 20_000
    assert record.properties["summary"] == "y" * 200 + "..."
    assert (record.properties["source"], record.properties["action_type"]) == ("import", "conversation")
    assert record.properties["tags"] == record.links == notes == []
    assert metadata(record) == {"wake_intelligence": {"source": "unknown", "memory_tier": "active"}}


def test_dependencies_that_were_detected_are_shown_as_such(make: Make) -> None:
    automatic = {"action_type": "conversation", "rationale": "Saved context for project: shop", "caused_by": None}
    _, records = None, read(make(FIRST, FULL | automatic, FULL | automatic | {"id": "c", "caused_by": "a1"}))[0]
    [link] = records[1].links
    assert (link.type, link.origin, link.gap_seconds) == (LinkType.DEPENDS_ON, Origin.DETECTED, 1800)
    assert {link.origin for link in records[2].links} == {Origin.IMPORTED}


def test_links_find_the_project_of_their_end(make: Make) -> None:
    [_, record], _ = read(make(FIRST | {"project": "other"}, FULL))
    assert {(link.project, link.id) for link in record.links} == {("other", "a1")}


@pytest.mark.parametrize(
    ("changes", "note", "kept"),
    [
        ({"metadata": "not json"}, "metadata 'not json' is no JSON object", {"metadata": "not json"}),
        ({"metadata": "[1]"}, "metadata '[1]' is no JSON object", {"metadata": [1]}),
        ({"metadata": '{"a": NaN}'}, "is no JSON object", {"metadata": '{"a": NaN}'}),
        ({"action_type": "dance"}, "action_type 'dance' is not known here", {"action_type": "dance"}),
        ({"access_count": -1}, "access_count -1 is no whole number", {"access_count": -1}),
        ({"access_count": "many"}, "access_count 'many' is no whole number", {"access_count": "many"}),
        ({"tags": "x" * 300}, "tags", {"tags": "x" * 300}),
        ({"tags": "[1]"}, "tags '[1]' holds something", {"tags": [1]}),
        ({"dependencies": "a1"}, "dependencies 'a1' is no JSON list", {"dependencies": "a1"}),
        ({"dependencies": '["a1", 7]'}, "holds something that can be no id", {"dependencies": ["a1", 7]}),
        ({"caused_by": "a::b"}, "holds something that can be no id", {"caused_by": "a::b"}),
        ({"caused_by": "b2c7"}, "caused_by 'b2c7' names the snapshot itself", {"caused_by": "b2c7"}),
        ({"timestamp": 1760617800}, "timestamp 1760617800 is a number", {}),
        ({"timestamp": 1760617800000}, "timestamp 1760617800000 is a number", {}),
        ({"timestamp": None}, "it has no timestamp: dated to the import", {}),
        ({"prediction_score": b"\x01\xff"}, "", {"prediction_score": "01ff"}),
    ],
)
def test_odd_values_are_said_and_kept(make: Make, changes: dict[str, Any], note: str, kept: dict[str, Any]) -> None:
    [_, record], notes = read(make(FIRST, FULL | changes))
    assert [note in text and text.startswith("row 2, id 'b2c7': ") for text in notes] == ([True] if note else [])
    assert metadata(record)["wake_intelligence"].items() >= kept.items()
    if isinstance(changes.get("timestamp"), int):
        assert record.created == datetime(2025, 10, 16, 12, 30, tzinfo=UTC)


def test_metadata_that_has_our_key_is_kept_under_it(make: Make) -> None:
    [_, record], _ = read(make(FIRST, FULL | {"metadata": '{"wake_intelligence": 1}'}))
    assert metadata(record)["wake_intelligence"]["metadata"] == {"wake_intelligence": 1}


KEYS_AND_TIMES = {"id", "project", "timestamp", "last_accessed"}
VALUES = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.integers(-(2**40), 2**40),
    st.sampled_from(["[]", '["a1"]', '["gone", 3]', "{}", '{"k": [1]}', "a1", "b2c7", "decision", "mcp", "2025-10-16"]),
    st.binary(max_size=4),
)


@settings(max_examples=150, deadline=None)
@given(row=st.fixed_dictionaries({}, optional={name: VALUES for name in FULL if name not in KEYS_AND_TIMES}))
def test_nothing_of_a_row_is_lost(row: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wake.db"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(SCHEMA.replace(" NOT NULL", ""))
            fill(database, FIRST, FIRST | {"id": "b2c7", "summary": "text"} | row)
            database.row_factory = sqlite3.Row
            stored = dict(database.execute("SELECT * FROM context_snapshots WHERE id = 'b2c7'").fetchone())
        [_, record], _ = read(path)
    if isinstance(record, Problem):
        assert (
            not isinstance(stored["summary"], str)
            or not stored["summary"].strip()
            or isinstance(stored["rationale"], bytes)
        ), record
        return  # refused, with its line
    everything = json.dumps([record.properties, record.links, record.created], default=str, ensure_ascii=False)
    for name, value in stored.items():
        if value is None or (isinstance(value, str) and not value.strip(" ,")) or value in ("[]", "{}"):
            continue
        shown = [value.hex()] if isinstance(value, bytes) else re.findall(r"\w+", str(value))
        for part in shown:
            assert part in everything, (name, value)


def test_tags_may_be_a_json_list(make: Make) -> None:
    assert read(make(FIRST, FULL | {"tags": '["a,b", " c "]'}))[0][1].properties["tags"] == ["a,b", "c"]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"id": "a::b"}, "holds '::'"),
        ({"summary": " "}, "content is empty"),
        ({"timestamp": "yesterday"}, "is not a time"),
        ({"timestamp": "2030-01-01T00:00:00Z"}, "is in the future"),
        ({"timestamp": 10**18}, "out of range"),
        ({"summary": b"blob"}, "content must be a text"),
        ({"project": ""}, "project is missing"),
    ],
)
def test_a_row_that_cannot_be_used_is_a_problem(make: Make, changes: dict[str, Any], text: str) -> None:
    [_, problem], _ = read(make(FIRST, FULL | changes))
    assert isinstance(problem, Problem)
    assert problem.line == 2
    assert text in problem.text
    assert f"id {FULL['id'] if 'id' not in changes else changes['id']!r}" in problem.text or "id 'b2c7'" in problem.text


def test_a_text_that_is_no_utf8_is_a_problem_of_its_row(make: Make) -> None:
    path = make(FIRST, FULL)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE context_snapshots SET summary = CAST(x'ff41' AS TEXT) WHERE id = 'b2c7'")
        database.commit()
    [_, problem], _ = read(path)
    assert "surrogate" in problem.text


def test_other_tables_and_columns_are_said_or_kept(make: Make) -> None:
    more = "ALTER TABLE context_snapshots ADD COLUMN mood TEXT; CREATE TABLE agent_tasks (id TEXT);"
    [_, record], notes = read(make(FIRST, FULL | {"mood": "calm"}, schema=SCHEMA + more))
    assert metadata(record)["wake_intelligence"]["mood"] == "calm"
    assert notes == ["table 'agent_tasks' is not part of a snapshot: left out"]


def test_a_database_of_the_first_version_is_read(make: Make) -> None:
    schema = "CREATE TABLE context_snapshots (id TEXT PRIMARY KEY, project TEXT, summary TEXT, timestamp DATETIME)"
    [record], notes = read(make(FIRST, schema=schema))
    assert (record.id, notes) == ("a1", [])
    assert "metadata_json" not in record.properties


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "is not an SQLite database: give the database file"),
        (b"PRAGMA defer_foreign_keys=TRUE;\n", "looks like an SQL dump: load it with `sqlite3 wake.db < x.db` first"),
        (b"SQLite format 3\x00" + b"\xff" * 2000, "cannot be read as an SQLite database"),
    ],
)
def test_another_file_is_said_in_one_line(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(InvalidInputError) as caught:
        read(path)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_or_table_or_column_is_said(tmp_path: Path, make: Make) -> None:
    with pytest.raises(InvalidInputError, match="No such file"):
        read(tmp_path / "nowhere.db")
    with pytest.raises(InvalidInputError, match=r"no table context_snapshots \(tables: t\)"):
        read(make(schema="CREATE TABLE t (x)"))
    (tmp_path / "wäke #1?.db").unlink()
    with pytest.raises(InvalidInputError, match="has no column summary"):
        read(make(schema="CREATE TABLE context_snapshots (id, project)"))


def test_the_file_is_only_read_while_another_writes(make: Make) -> None:
    path = make(FIRST)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        fill(writer, FULL)
        before = sha256(path.read_bytes()).digest()
        reader = Reader(None, LOCAL_CALLER, NOW, 300, TierThresholds())
        with opened_database(path) as database:
            first = [record.id for record in database.records(reader)]
            fill(writer, FULL | {"id": "later"})
            assert [record.id for record in database.records(reader)] == first == ["a1", "b2c7"]
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                database.connection.execute("DELETE FROM context_snapshots")
        assert sha256(path.read_bytes()).digest() == before


async def run(wake: Wakegraph, path: Path, **options: Any) -> ForeignImportResult:
    return await wake.interchange.import_sqlite(path, now=NOW, **options)


@pytest.mark.db
async def test_a_database_goes_in_once(wake: Wakegraph, project: str, other_project: str, make: Make) -> None:
    path = make(
        FIRST | {"project": project},
        FULL | {"project": project},
        {"id": "c", "project": other_project, "summary": "elsewhere", "timestamp": None, "caused_by": "b2c7"},
    )
    result = await run(wake, path)
    assert (result.read, result.created, result.links_created, result.skipped) == (3, 3, 3, [])
    assert result.projects == result.new_projects == sorted([project, other_project])
    chain = await wake.causality.chain(f"{other_project}::c")
    assert [step.id for step in chain.steps] == ["a1", "b2c7", "c"]
    [detail] = await wake.snapshots.get(["b2c7"], project=project)
    assert (detail.access_count, detail.memory_tier) == (3, "EXPIRED")
    again = await run(wake, path)
    assert (again.created, again.unchanged, again.links_created, again.new_projects) == (0, 3, 0, [])


@pytest.mark.db
async def test_links_that_lead_nowhere_or_round_are_said_and_kept(wake: Wakegraph, project: str, make: Make) -> None:
    path = make(
        FIRST | {"project": project, "caused_by": "b2c7"},
        FULL | {"project": project, "dependencies": '["pruned", "a1"]'},
    )
    with pytest.raises(ImportFileError) as caught:
        await run(wake, path)
    assert "depends_on names 'pruned'" in caught.value.problems[0] + caught.value.problems[1]
    result = await run(wake, path, skip_bad=True)
    assert (result.created, result.links_created, len(result.skipped)) == (2, 2, 2)
    [detail] = await wake.snapshots.get(["b2c7"], project=project)
    assert detail.metadata is not None
    assert detail.metadata["wake_intelligence"]["dependencies"] == ["pruned", "a1"]


@pytest.mark.db
async def test_only_who_may_write_and_see_imports(
    wake: Wakegraph, project: str, other_project: str, make: Make
) -> None:
    path = make(FIRST | {"project": project})
    with pytest.raises(AccessDeniedError, match="scope 'write'"):
        await run(wake, path, caller=Caller(scopes=frozenset({Scope.READ})))
    limited = Caller(projects=frozenset({other_project}), scopes=frozenset({Scope.READ, Scope.WRITE}))
    with pytest.raises(ImportFileError, match="there is no project"):
        await run(wake, path, caller=limited)
