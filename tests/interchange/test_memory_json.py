"""The file of the MCP memory server: nothing of it is lost, and nothing becomes a cause that does not say so."""

from __future__ import annotations

import gzip
import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.errors import AccessDeniedError, ImportFileError, InvalidInputError
from wakegraph.interchange.jsonl import Lines
from wakegraph.interchange.memory_json import RELATION_TYPES, MemoryFile, snapshot_id
from wakegraph.interchange.models import ForeignImportResult, Problem
from wakegraph.interchange.records import Reader
from wakegraph.memory.tiers import TierThresholds
from wakegraph.models import LOCAL_CALLER, Caller, Scope
from wakegraph.snapshots import rules

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


def entity(name: str, *observations: str, kind: str = "person", **more: Any) -> dict[str, Any]:
    return {"type": "entity", "name": name, "entityType": kind, "observations": list(observations), **more}


def relation(start: str, kind: str, end: str, **more: Any) -> dict[str, Any]:
    return {"type": "relation", "from": start, "to": end, "relationType": kind, **more}


def source(*lines: dict[str, Any]) -> io.BytesIO:
    return io.BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode())


def reader(project: str = "p") -> Reader:
    return Reader(project, LOCAL_CALLER, NOW, 300, TierThresholds())


def load(*lines: dict[str, Any]) -> tuple[MemoryFile, list[Any]]:
    memory = MemoryFile.load(Lines(source(*lines)))
    return memory, list(memory.records(reader()))


def metadata(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(record.properties["metadata_json"])["memory"]
    return found


def test_an_entity_is_a_snapshot() -> None:
    _, [record] = load(entity("John_Smith", "Speaks fluent Spanish", "Graduated in 2019"))
    assert (record.id, record.project) == ("John_Smith", "p")
    assert record.properties["content"] == "Speaks fluent Spanish\nGraduated in 2019"
    assert record.properties["title"] == "John_Smith (person): Speaks fluent Spanish"
    assert record.properties["tags"] == ["person"]
    assert (record.properties["source"], record.properties["action_type"]) == ("import", "conversation")
    assert metadata(record) == {"name": "John_Smith", "entityType": "person"}
    assert record.created == NOW


def test_an_entity_without_observations_is_its_name() -> None:
    _, [record] = load(entity("x"))
    assert (record.properties["content"], record.properties["summary"]) == ("x", "x (person)")


def test_an_entity_of_a_known_action_type_has_it() -> None:
    assert load(entity("x", kind="Decision"))[1][0].properties["action_type"] == "decision"


@pytest.mark.parametrize(
    "observations", [[], [""], [" "], ["", ""], ["one\ntwo", "three"], ["\n"], ["ends\n"], ["a", "b"]], ids=repr
)
def test_observations_can_be_told_apart_afterwards(observations: list[str]) -> None:
    _, [record] = load(entity("x", *observations))
    kept = metadata(record).get("observations")
    content = record.properties["content"]
    assert (kept if kept is not None else ([] if content == "x" else content.split("\n"))) == observations


@pytest.mark.parametrize("name", ["a::b", "line\nbreak", "x" * 201, "tab\t"])
def test_a_name_that_cannot_be_an_id_gives_one(name: str) -> None:
    memory, [record] = load(entity(name, "fact"))
    assert record.id == snapshot_id(name) == rules.check_id(record.id) != name
    assert metadata(record)["name"] == name
    assert record.id in memory.notes[0]
    assert snapshot_id(name) != snapshot_id(f"{name}!")


@pytest.mark.parametrize("kind", sorted(RELATION_TYPES))
def test_a_relation_that_says_so_is_a_link(kind: str) -> None:
    meaning = RELATION_TYPES[kind]
    memory, records = load(entity("a", "1"), entity("b", "2"), relation("a", kind, "b"))
    by_id = {record.id: record for record in records}
    start, end = ("a", "b") if meaning.forward else ("b", "a")
    [link] = by_id[start].links
    assert (link.type, link.id, link.origin) == (meaning.type, end, "imported")
    assert by_id[end].links == []
    assert by_id["a"].about == by_id["b"].about == memory.notes == []
    assert metadata(by_id["a"])["relations"] == [{"to": "b", "relationType": kind}]


@pytest.mark.parametrize("kind", ["led to", "Led-To", "ledTo", "was caused by", "isCausedBy", " requires "])
def test_spelling_does_not_matter(kind: str) -> None:
    _, records = load(entity("a", "1"), entity("b", "2"), relation("a", kind, "b"))
    assert sum(len(record.links) for record in records) == 1


def test_any_other_relation_is_kept_but_is_no_link() -> None:
    memory, [john, acme] = load(
        entity("John", "x"), entity("Acme", "y", kind="company"), relation("John", "works_at", "Acme", since=2020)
    )
    assert (john.links, acme.links, john.about, acme.about) == ([], [], ["Acme"], [])
    assert metadata(john)["relations"] == [{"to": "Acme", "relationType": "works_at", "since": 2020}]
    assert memory.notes == [
        "relation type 'works_at' says nothing of causes: its 1 relations are kept as what an entity is about"
    ]


def test_keys_of_other_versions_are_kept() -> None:
    _, [record] = load(entity("x", "y", createdAt="2025-01-01"))
    assert metadata(record)["createdAt"] == "2025-01-01"


def test_a_relation_to_itself_is_kept_only() -> None:
    memory, [record] = load(entity("x", "y"), relation("x", "causes", "x"))
    assert record.links == []
    assert "itself" in memory.notes[0]
    assert metadata(record)["relations"]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (relation("ghost", "likes", "x"), "a relation names the entity 'ghost', which is not there"),
        (relation("x", "causes", "ghost"), "a relation names the entity 'ghost', which is not there"),
        ({"type": "relation", "from": "x", "to": "x"}, "relationType must be a text"),
        (entity("", "y"), "name must be a text"),
        (entity("z", kind=" "), "entityType must be a text"),
        ({"type": "entity", "name": "z", "entityType": "t", "observations": "one"}, "observations must be a list"),
        ({"type": "entity", "name": "z", "entityType": "t", "observations": [1]}, "observations must be a list"),
        ({"type": "other"}, "type must be 'entity' or 'relation', not 'other'"),
        (entity("z", "x\0y"), "NUL"),
    ],
)
def test_what_cannot_be_used_is_a_problem_of_its_line(line: dict[str, Any], text: str) -> None:
    _, found = load(entity("x", "y"), line)
    [problem] = [item for item in found if isinstance(item, Problem)]
    assert problem.line == 2
    assert text in problem.text


@pytest.mark.parametrize("raw", [b'{"id": "a", "content": "b"}\n', b"PNG\x89\xff", b"[1, 2]\n", b'{\n"entities": []}'])
def test_a_file_that_is_something_else_is_said_in_one_line(raw: bytes) -> None:
    with pytest.raises(InvalidInputError, match="no line of the MCP memory server") as caught:
        MemoryFile.load(Lines(io.BytesIO(raw)))
    assert "\n" not in str(caught.value)


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(NAMES, st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"])), max_size=3), max_size=5),
    st.data(),
)
def test_everything_can_be_put_together_again(entities: dict[str, list[str]], data: st.DataObject) -> None:
    ends = st.sampled_from(sorted(entities)) if entities else st.nothing()
    kinds = st.sampled_from(["causes", "caused by", "likes", "replaces"])
    relations = data.draw(st.lists(st.tuples(ends, kinds, ends), max_size=6, unique=True) if entities else st.just([]))
    _, records = load(
        *(entity(name, *observations) for name, observations in entities.items()),
        *(relation(*parts) for parts in relations),
    )
    found, again = {}, []
    for record in records:
        if isinstance(record, Problem):
            assert "NUL" in record.text
            return
        kept = metadata(record)
        content = record.properties["content"]
        found[kept["name"]] = kept.get(
            "observations", [] if content == kept["name"] and not entities[kept["name"]] else content.split("\n")
        )
        again += [(kept["name"], item["relationType"], item["to"]) for item in kept.get("relations", [])]
    assert found == entities
    assert sorted(again) == sorted(relations)


MEMORY = [
    entity("Outage", "of Monday", kind="event"),
    entity("Retry", "with jitter", kind="decision"),
    entity("Old retry", "without", kind="decision"),
    entity("Ann", "on call"),
    relation("Outage", "led to", "Retry"),
    relation("Retry", "replaces", "Old retry"),
    relation("Ann", "decided", "Retry"),
]


async def run(wake: Wakegraph, project: str, *lines: dict[str, Any], **options: Any) -> ForeignImportResult:
    return await wake.interchange.import_memory_json(source(*lines), project=project, now=NOW, **options)


@pytest.mark.db
async def test_a_memory_goes_in_once(wake: Wakegraph, project: str) -> None:
    result = await run(wake, project, *MEMORY)
    assert (result.read, result.created, result.links_created, result.artifacts) == (7, 4, 2, 1)
    assert (result.skipped, result.projects, result.new_projects) == ([], [project], [project])
    chain = await wake.causality.chain("Retry", project=project)
    assert [step.id for step in chain.steps] == ["Outage", "Retry"]
    [old] = await wake.snapshots.get(["Old retry"], project=project)
    assert [reference.id for reference in old.superseded_by] == ["Retry"]
    page = await wake.snapshots.list(project=project, about="Retry")
    assert [snapshot.id for snapshot in page.snapshots] == ["Ann"]
    again = await run(wake, project, *MEMORY)
    assert (again.created, again.unchanged, again.links_created, again.notes) == (0, 4, 0, result.notes)


@pytest.mark.db
async def test_a_memory_that_has_grown_adds_what_is_new(wake: Wakegraph, project: str) -> None:
    await run(wake, project, *MEMORY)
    more = [*MEMORY, entity("Bob", "new"), relation("Retry", "caused", "Bob")]
    result = await run(wake, project, *more)
    assert (result.created, result.unchanged, result.links_created) == (1, 4, 1)
    changed = [entity("Outage", "of Monday", "and Tuesday", kind="event"), *more[1:]]
    with pytest.raises(ImportFileError, match=r"line 1: id 'Outage' is stored .* with other content"):
        await run(wake, project, *changed)


@pytest.mark.db
async def test_a_faulty_file_is_refused_whole_unless_asked_otherwise(wake: Wakegraph, project: str) -> None:
    faulty = [*MEMORY, relation("Retry", "led to", "Outage"), relation("Ghost", "likes", "Ann"), entity("Ann", "other")]
    with pytest.raises(ImportFileError) as caught:
        await run(wake, project, *faulty)
    assert [line.partition(":")[0] for line in caught.value.problems] == ["line 2", "line 9", "line 10"]
    assert "closes a cycle" in caught.value.problems[0]
    assert project not in [item.project for item in await wake.snapshots.projects()]
    result = await run(wake, project, *faulty, skip_bad=True)
    assert (result.created, result.links_created, len(result.skipped)) == (4, 2, 3)


@pytest.mark.db
async def test_an_empty_memory_and_a_compressed_one(wake: Wakegraph, project: str) -> None:
    assert (await run(wake, project)).read == 0
    zipped = io.BytesIO(gzip.compress(source(*MEMORY).getvalue()))
    assert (await wake.interchange.import_memory_json(zipped, project=project)).created == 4


@pytest.mark.db
async def test_only_who_may_write_imports(wake: Wakegraph, project: str, other_project: str) -> None:
    reading = Caller(scopes=frozenset({Scope.READ}))
    with pytest.raises(AccessDeniedError, match="scope 'write'"):
        await run(wake, project, *MEMORY, caller=reading)
    elsewhere = Caller(projects=frozenset({other_project}), scopes=frozenset({Scope.READ, Scope.WRITE}))
    with pytest.raises(Exception, match="project"):
        await run(wake, project, *MEMORY, caller=elsewhere)
