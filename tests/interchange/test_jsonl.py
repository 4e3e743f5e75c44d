"""JSON lines on the real database: all of it or nothing, twice the same, out and in again."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.errors import AccessDeniedError, ConflictError, ImportFileError, InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph, Transaction
from wakegraph.interchange.models import ImportResult
from wakegraph.models import Caller, Scope
from wakegraph.snapshots.naming import Key

pytestmark = pytest.mark.db

SAMPLE = Path(__file__).parents[1] / "data" / "agent-session.jsonl"
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)

WIPE = """
MATCH (n:Snapshot|Artifact {project: $project}) DETACH DELETE n
"""
ROWS = """
MATCH (s:Snapshot {project: $project})
RETURN s.id AS id, properties(s) AS node, [(s)-[r:CAUSED_BY]->(t) WHERE r.primary | t.id] AS primary,
  COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects,
  COUNT { (s)-->() } AS out
ORDER BY id
"""


def jsonl(*rows: dict[str, Any]) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


def sample(project: str) -> bytes:
    rows = [json.loads(line) | {"project": project} for line in SAMPLE.read_text("utf-8").splitlines()]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
async def stored(graph: Graph) -> Callable[[str], Any]:
    async def read(project: str) -> dict[str, dict[str, Any]]:
        async with graph.session("READ") as session:
            result = await session.run(ROWS, project=project)
            return {record["id"]: record.data() async for record in result}

    return read


@pytest.fixture
async def wipe(graph: Graph) -> Callable[[str], Any]:
    async def run(project: str) -> None:
        async with graph.session("WRITE") as session:
            await (await session.run(WIPE, project=project)).consume()

    return run


async def exported(wake: Wakegraph, project: str) -> bytes:
    target = io.BytesIO()
    await wake.interchange.export_jsonl(target, project=project)
    return target.getvalue()


def check_roles(rows: dict[str, dict[str, Any]]) -> None:
    for row in rows.values():
        if row["causes"]:
            role = ("leaf", "link", "branch")[min(row["effects"], 2)]
            assert len(row["primary"]) == 1
        else:
            role = "root" if row["effects"] else "isolated"
        assert row["node"]["causal_role"] == role, row


async def test_a_sample_goes_in_completely(wake: Wakegraph, project: str, stored: Any) -> None:
    seen: list[tuple[int, int | None]] = []
    result = await wake.interchange.import_jsonl(
        io.BytesIO(sample(project)), on_progress=lambda done, total: seen.append((done, total))
    )
    assert (result.read, result.created, result.unchanged, result.links_created) == (400, 400, 0, 361 + 699)
    assert (result.projects, result.new_projects, result.skipped) == ([project], [project], [])
    assert seen[0] == (400, None)
    assert seen[-1] == (400 + 361 + 699, 400 + 361 + 699)
    rows = await stored(project)
    check_roles(rows)
    assert sum(row["node"]["causal_role"] in {"root", "isolated"} for row in rows.values()) == 39
    node = rows["b9a89a0f2c"]["node"]
    assert node["content"] == node["summary"] == node["title"] == "edit 3 files: test_cli.py, cli.py, cli-reference.rst"
    assert node["created_at"] == node["last_activity"]
    assert node["last_predicted"].to_native() == datetime(1970, 1, 1, tzinfo=UTC)
    assert node["memory_tier"] == "EXPIRED"


async def test_a_second_import_changes_nothing(wake: Wakegraph, project: str, stored: Any) -> None:
    await wake.interchange.import_jsonl(io.BytesIO(sample(project)))
    before = await stored(project)
    again = await wake.interchange.import_jsonl(io.BytesIO(sample(project)))
    assert (again.created, again.unchanged, again.links_created, again.new_projects) == (0, 400, 0, [])
    assert await stored(project) == before


@pytest.mark.parametrize("form", ["gzip file with another name", "plain file", "pipe", "text"])
async def test_any_form_of_source_is_read(wake: Wakegraph, project: str, tmp_path: Path, form: str) -> None:
    data = sample(project)
    if form == "pipe":
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb") as source, os.fdopen(writing, "wb") as sink:
            writer = asyncio.create_task(asyncio.to_thread(lambda: (sink.write(gzip.compress(data)), sink.close())))
            result = await wake.interchange.import_jsonl(source)
            await writer
    elif form == "text":
        result = await wake.interchange.import_jsonl(io.StringIO(data.decode()))
    else:
        path = tmp_path / "data.jsonl"
        path.write_bytes(
            gzip.compress(data) if form.startswith("gzip") else b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n\r\n")
        )
        result = await wake.interchange.import_jsonl(path)
    assert result.created == 400


async def test_links_may_point_forward(wake: Wakegraph, project: str, stored: Any) -> None:
    rows = [{"id": f"s{n}", "caused_by": [f"s{n + 1}"] if n < 3000 else []} for n in range(3001)]
    result = await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    assert (result.created, result.links_created) == (3001, 3000)
    found = await stored(project)
    check_roles(found)
    assert found["s3000"]["node"]["causal_role"] == "root"
    assert found["s0"]["node"]["causal_role"] == "leaf"


BAD = [
    ('{"id": "a", "content": "other"}', "line 2: id 'a' stands in line 1 with other content"),
    ('{"id": "b", "caused_by": ["nowhere"]}', "line 2: caused_by names 'nowhere', which is neither in the source"),
    ('{"id": "b", "caused_by": ["nowhere::x"]}', "line 2: caused_by names nowhere::x, which is neither"),
    ('{"id": "b", "caused_by": ["c"]}\n{"id": "c", "caused_by": ["b"]}', "line 3: caused_by closes a cycle"),
    ('{"id": "b", "supersedes": ["c"]}\n{"id": "c", "supersedes": ["b"]}', "line 3: supersedes closes a cycle"),
    ('{"id": "b", "summary": "cut o', "line 2: it is not JSON"),
    ('{"id": "b", "action_type": "dance"}', "line 2: action_type 'dance' is not known"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
async def test_something_wrong_means_nothing_written(
    wake: Wakegraph, project: str, stored: Any, text: str, words: str
) -> None:
    source = f'{{"id": "a"}}\n{text}'.encode()
    with pytest.raises(ImportFileError) as caught:
        await wake.interchange.import_jsonl(io.BytesIO(source), project=project)
    assert str(caught.value).startswith(words)
    assert "nothing was written" in str(caught.value)
    assert len(caught.value.problems) == 1
    assert await stored(project) == {}
    assert not await wake.graph.read("projects/one", name=project)


@pytest.mark.parametrize(("text", "words"), BAD)
async def test_skip_bad_leaves_out_what_is_wrong_and_lists_it(
    wake: Wakegraph, project: str, stored: Any, text: str, words: str
) -> None:
    source = f'{{"id": "a"}}\n{text}\n{{"id": "z", "caused_by": ["a"]}}'.encode()
    result = await wake.interchange.import_jsonl(io.BytesIO(source), project=project, skip_bad=True)
    assert str(result.skipped[0]).startswith(words)
    assert len(result.skipped) == 1
    rows = await stored(project)
    assert rows["z"]["primary"] == ["a"]
    check_roles(rows)


async def test_links_to_a_line_that_is_left_out_are_left_out_too(wake: Wakegraph, project: str, stored: Any) -> None:
    rows = [{"id": "a"}, {"id": "b", "action_type": "?"}, {"id": "c", "caused_by": ["b", "a"]}]
    with pytest.raises(ImportFileError, match=r"line 2: .*; line 3: .*: nothing was written"):
        await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    result = await wake.interchange.import_jsonl(jsonl(*rows), project=project, skip_bad=True)
    assert [problem.line for problem in result.skipped] == [2, 3]
    assert (await stored(project))["c"]["primary"] == ["a"]


async def test_a_clash_with_what_is_stored(wake: Wakegraph, project: str, stored: Any) -> None:
    await wake.snapshots.save("first", project=project, id="a")
    rows = [{"id": "a", "content": "second"}, {"id": "b", "caused_by": ["a"]}]
    with pytest.raises(ImportFileError, match=f"line 1: id 'a' is stored in project '{project}' with other content"):
        await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    assert list(await stored(project)) == ["a"]
    result = await wake.interchange.import_jsonl(jsonl(*rows), project=project, skip_bad=True)
    assert [problem.text for problem in result.skipped][1] == "caused_by names 'a', which is left out itself (line 1)"
    found = await stored(project)
    assert found["a"]["node"]["content"] == "first"
    assert found["b"]["causes"] == 0


async def test_a_damaged_gzip_file_is_a_bad_line(wake: Wakegraph, project: str, stored: Any) -> None:
    whole = gzip.compress(sample(project), mtime=0)
    with pytest.raises(ImportFileError, match=r"line \d+: the file cannot be read on"):
        await wake.interchange.import_jsonl(io.BytesIO(whole[: len(whole) // 2]))
    assert await stored(project) == {}


async def test_files_that_cannot_be_opened(wake: Wakegraph, project: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read: No such file"):
        await wake.interchange.import_jsonl(tmp_path / "none.jsonl", project=project)
    with pytest.raises(InvalidInputError, match="cannot be read: Is a directory"):
        await wake.interchange.import_jsonl(tmp_path, project=project)
    with pytest.raises(InvalidInputError, match="cannot be written"):
        await wake.interchange.export_jsonl(tmp_path / "none" / "x.jsonl", all_projects=True)


async def test_an_empty_file_is_no_error(wake: Wakegraph, project: str) -> None:
    result = await wake.interchange.import_jsonl(io.BytesIO(b"\n \n"), project=project)
    assert (result.read, result.created, result.projects) == (0, 0, [])


RICH: list[dict[str, Any]] = [
    {"id": "old", "content": "first\nidea", "created_at": "2025-01-01T00:00:00Z", "tags": ["a", "b"]},
    {
        "id": "new",
        "content": "NFC é NFD e\u0301 \u2028 emoji 👩‍👩‍👧 RTL שלום CJK 漢字 CRLF\r\nTAB\t end",
        "summary": "S",
        "action_type": "decision",
        "rationale": "because",
        "author": "ann",
        "author_type": "ai-agent",
        "session": "s1",
        "source": "mcp",
        "metadata": {"z": 1.5, "a": [1, {"b": None}], "big": 2**80, "e": 1e22, "nul": "\x00"},
        "created_at": "2025-01-02T00:00:00.123456+02:00",
        "last_accessed": "2025-02-02T00:00:00Z",
        "access_count": 40,
        "recent_accesses": ["2025-02-01T00:00:00Z", "2025-02-02T00:00:00Z"],
        "recent_accessors": ["", "bob"],
        "caused_by": [
            {"id": "zeta", "rationale": "r", "origin": "stated", "recorded_at": "2025-03-01T00:00:00Z"},
            "old",
        ],
        "depends_on": [{"id": "old", "origin": "detected", "gap_seconds": 12.25}, {"id": "zeta", "origin": "inferred"}],
        "supersedes": [{"id": "old", "rationale": "wrong"}],
        "about": ["src/b.py", "src/a.py", "a\nb"],
    },
    {"id": "zeta", "created_at": "2025-01-02T00:00:00Z", "depends_on": ["new"]},
]


async def test_export_wipe_import_export_gives_the_same_bytes(
    wake: Wakegraph, project: str, stored: Any, wipe: Any, tmp_path: Path
) -> None:
    await wake.interchange.import_jsonl(jsonl(*RICH), project=project, now=NOW)
    first = await exported(wake, project)
    before = await stored(project)
    path = tmp_path / "out.jsonl.gz"
    result = await wake.interchange.export_jsonl(path, project=project)
    assert (result.snapshots, result.links, result.links_left_out) == (3, 6, 0)
    assert gzip.decompress(path.read_bytes()) == first
    assert [file.name for file in tmp_path.iterdir()] == ["out.jsonl.gz"]
    await wipe(project)
    # Backwards, to see that the order of insertion does not matter.
    turned = b"".join(reversed(first.splitlines(keepends=True)))
    await wake.interchange.import_jsonl(io.BytesIO(turned), now=NOW)
    assert await exported(wake, project) == first
    assert await stored(project) == before
    again = await wake.interchange.import_jsonl(io.BytesIO(first))
    assert (again.created, again.unchanged, again.links_created) == (0, 3, 0)
    lines = [json.loads(line) for line in first.splitlines()]
    assert [line["id"] for line in lines] == ["old", "new", "zeta"]
    for key in ("content", "metadata", "tags", "recent_accessors", "access_count"):
        assert lines[1].get(key) == RICH[1].get(key)
    assert lines[1]["caused_by"][0]["id"] == "zeta"
    assert lines[1]["about"] == ["a\nb", "src/a.py", "src/b.py"]
    assert list(lines[1]["metadata"]) == list(RICH[1]["metadata"])


async def test_what_agents_saved_survives_the_round_trip(
    wake: Wakegraph, project: str, other_project: str, wipe: Any
) -> None:
    await wake.snapshots.save("elsewhere", project=other_project, id="x")
    await wake.snapshots.save("one", project=project, id="1")
    await wake.snapshots.save("two", project=project, id="2", caused_by=["1"])  # detects a dependency, too
    await wake.snapshots.save(
        "three", project=project, id="3", caused_by=["2", f"{other_project}::x"], cross_project=True, about=["f"]
    )
    assert await wake.memory.record_access([Key(project, "1")], accessor="ann") == 1
    first = await exported(wake, project)
    assert f"{other_project}::x".encode() in first
    assert b'"detected", "gap_seconds"' in first
    await wipe(project)
    await wake.interchange.import_jsonl(io.BytesIO(first))
    assert await exported(wake, project) == first
    limited = io.BytesIO()
    caller = Caller(projects=frozenset({project}))
    result = await wake.interchange.export_jsonl(limited, project=project, caller=caller)
    assert result.links_left_out == 1
    assert other_project.encode() not in limited.getvalue()


async def test_export_scopes(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("one", project=project)
    only = Caller(projects=frozenset({project}))
    target = io.BytesIO()
    assert (await wake.interchange.export_jsonl(target, all_projects=True, caller=only)).projects == [project]
    with pytest.raises(NotFoundError, match="there is no project 'nowhere-at-all'"):
        await wake.interchange.export_jsonl(target, project="nowhere-at-all")
    with pytest.raises(NotFoundError, match="there is no project 'other'"):
        await wake.interchange.export_jsonl(target, project="other", caller=only)
    with pytest.raises(InvalidInputError, match="both asked for"):
        await wake.interchange.export_jsonl(target, project=project, all_projects=True)


async def test_who_may_not_write_may_not_import(wake: Wakegraph, wake_at: Any, project: str) -> None:
    with pytest.raises(AccessDeniedError, match="scope 'write'"):
        await wake.interchange.import_jsonl(jsonl({"id": "a"}), caller=Caller(scopes=frozenset({Scope.READ})))
    with pytest.raises(AccessDeniedError, match="read-only"):
        await wake_at(NOW, read_only=True).interchange.import_jsonl(jsonl({"id": "a"}), project=project)


async def test_many_snapshots_of_one_instant_are_exported_once_each(wake: Wakegraph, project: str) -> None:
    rows = [{"id": f"s{n}", "created_at": "2025-01-01"} for n in range(1500)]
    await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    ids = [json.loads(line)["id"] for line in (await exported(wake, project)).splitlines()]
    assert ids == sorted(row["id"] for row in rows)


async def test_stored_snapshots_get_the_links_they_lack(wake: Wakegraph, project: str, stored: Any) -> None:
    for name in ("a", "b", "c"):
        await wake.snapshots.save(name, project=project, id=name, detect_dependencies=False)
    await wake.snapshots.link("c", project=project, caused_by=["b"])
    rows = [{"id": "c", "caused_by": ["a"], "about": ["f"]}, {"id": "b", "caused_by": ["a"], "depends_on": ["c"]}]
    result = await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    assert (result.created, result.unchanged, result.links_created, result.artifacts) == (0, 2, 3, 1)
    found = await stored(project)
    check_roles(found)
    assert found["c"]["primary"] == ["b"]
    assert found["b"]["primary"] == ["a"]
    again = await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    assert (again.links_created, again.artifacts) == (0, 0)


@pytest.mark.parametrize("length", [3, 60])
@pytest.mark.parametrize("key", ["caused_by", "supersedes"])
async def test_a_cycle_through_the_database_is_found(
    wake: Wakegraph, project: str, stored: Any, length: int, key: str
) -> None:
    chain = [{"id": f"s{n}", key: [f"s{n - 1}"] if n else []} for n in range(length)]
    await wake.interchange.import_jsonl(jsonl(*chain), project=project)
    before = await stored(project)
    closing = {"id": "s0", key: ["new"]}, {"id": "new", key: [f"s{length - 1}"]}
    with pytest.raises(ImportFileError, match=f"line [12]: {key} closes a cycle"):
        await wake.interchange.import_jsonl(jsonl(*closing), project=project)
    with pytest.raises(ImportFileError, match=f"line 1: {key} closes a cycle"):
        await wake.interchange.import_jsonl(jsonl({"id": "s0", key: [f"s{length - 1}"]}), project=project)
    assert await stored(project) == before


async def test_a_cycle_through_a_project_out_of_sight_does_not_show_it(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    lines = [
        {"id": "a", "content": "a", "project": project},
        {"id": "secret", "content": "b", "project": other_project, "caused_by": [f"{project}::a"]},
        {"id": "c", "content": "c", "project": project, "caused_by": [f"{other_project}::secret"]},
    ]
    await wake.interchange.import_jsonl(jsonl(*lines))
    again = jsonl({"id": "a", "content": "a", "caused_by": ["c"]})
    with pytest.raises(ImportFileError) as refused:
        await wake.interchange.import_jsonl(again, project=project, caller=Caller(projects=frozenset({project})))
    assert f"{project}::a -> {project}::c -> (another project) -> {project}::a" in str(refused.value)


async def test_an_interrupted_import_is_finished_by_the_next(
    wake: Wakegraph, project: str, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": f"s{n}", "caused_by": [f"s{n // 2}"] if n else []} for n in range(9000)]
    run = Transaction.run
    calls = 0

    async def stop(self: Transaction, name: str, /, **parameters: Any) -> Any:
        nonlocal calls
        calls += name == "interchange/link_caused_by"
        if calls == 2:
            raise asyncio.CancelledError
        return await run(self, name, **parameters)

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "run", stop)
        with pytest.raises(asyncio.CancelledError):
            await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    partly = await stored(project)
    assert len(partly) == 9000
    assert 0 < sum(row["causes"] for row in partly.values()) < 8999
    result = await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    assert (result.created, result.unchanged) == (0, 9000)
    found = await stored(project)
    assert sum(row["causes"] for row in found.values()) == 8999
    check_roles(found)


async def test_two_imports_of_the_same_file_at_once(wake: Wakegraph, wake_at: Any, project: str, stored: Any) -> None:
    other = wake_at(lambda: datetime.now(UTC))
    results: list[ImportResult] = await asyncio.gather(
        *(each.interchange.import_jsonl(io.BytesIO(sample(project))) for each in (wake, other, wake))
    )
    assert sum(result.created for result in results) == 400
    rows = await stored(project)
    assert sum(row["out"] for row in rows.values()) == 361 + 699
    check_roles(rows)


async def test_a_link_made_meanwhile_that_would_close_a_cycle(
    wake: Wakegraph, project: str, stored: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        await wake.snapshots.save(name, project=project, id=name, detect_dependencies=False)
    run = Transaction.run

    async def meddle(self: Transaction, name: str, /, **parameters: Any) -> Any:
        if name == "snapshots/take_link_lock":
            patch.undo()
            await wake.snapshots.link("a", project=project, caused_by=["b"])
        return await run(self, name, **parameters)

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "run", meddle)
        with pytest.raises(ConflictError, match="caused_by would close a cycle"):
            await wake.interchange.import_jsonl(jsonl({"id": "b", "caused_by": ["a"]}), project=project)
    check_roles(await stored(project))


async def test_sizes_up_to_the_limit_go_in_whole(wake: Wakegraph, project: str, stored: Any) -> None:
    rows = [{"id": f"s{n}", "content": "x" * n} for n in (2_000, 2_001, 40_000, 1_000_000)]
    await wake.interchange.import_jsonl(jsonl(*rows), project=project)
    assert [len(row["node"]["content"]) for row in (await stored(project)).values()] == [
        1_000_000,
        2_000,
        2_001,
        40_000,
    ]


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
LINES = st.lists(
    st.fixed_dictionaries(
        {"content": TEXT.filter(str.strip)},
        optional={
            "summary": TEXT,
            "tags": st.lists(TEXT.filter(str.strip), max_size=3),
            "rationale": TEXT,
            "metadata": st.dictionaries(TEXT, JSON, max_size=3),
            "created_at": st.datetimes(max_value=datetime(2026, 1, 1)).map(datetime.isoformat),  # noqa: DTZ001
            "about": st.lists(TEXT.filter(str.strip), max_size=3),
            "access_count": st.integers(0, 2**40),
        },
    ),
    min_size=1,
    max_size=4,
)


@given(LINES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_text_comes_back_as_it_went_in(
    wake: Wakegraph, project: str, wipe: Any, lines: list[dict[str, Any]]
) -> None:
    await wipe(project)
    rows = [line | {"id": f"s{number}"} for number, line in enumerate(lines)]
    await wake.interchange.import_jsonl(jsonl(*rows), project=project, now=NOW)
    first = await exported(wake, project)
    await wipe(project)
    await wake.interchange.import_jsonl(io.BytesIO(first), now=NOW)
    assert await exported(wake, project) == first
    found = {line["id"]: line for line in map(json.loads, first.splitlines())}
    for row in rows:
        line = found[row["id"]]
        assert line["content"] == row["content"]
        assert line.get("metadata") == row.get("metadata")
        assert line.get("tags", []) == list(dict.fromkeys(row.get("tags", [])))
        assert line.get("about", []) == sorted(set(row.get("about", [])))
