"""Provenance: written in both notations, read back by the library, and compared with the graph."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prov.model import (
    PROV,
    ProvActivity,
    ProvAgent,
    ProvAssociation,
    ProvAttribution,
    ProvCommunication,
    ProvDerivation,
    ProvDocument,
    ProvEntity,
    ProvGeneration,
    ProvInfluence,
)

from wakegraph.app import Wakegraph
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.interchange.prov import Provenance, ProvFormat, decode_name, encode_name
from wakegraph.models import Caller, Scope

FORMS = list(ProvFormat)
NOON = datetime(2026, 1, 15, 12, 0, 0, 123456, tzinfo=UTC)
LATER = NOON + timedelta(minutes=1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30)
WG = "urn:wakegraph:wakegraph:"


def read(raw: bytes, form: ProvFormat) -> ProvDocument:
    return ProvDocument.deserialize(io.BytesIO(raw), format=form.value)


def row(project: str = "p", identifier: str = "i", **changes: Any) -> dict[str, Any]:
    node = {
        "id": identifier,
        "project": project,
        "title": "title",
        "tags": [],
        "action_type": "decision",
        "rationale": None,
        "author": None,
        "author_type": None,
        "session": None,
        "source": "cli",
        "causal_role": "isolated",
        "created_at": NOON,
    }
    lists: dict[str, Any] = {"caused_by": [], "depends_on": [], "supersedes": [], "about": [], "hidden": 0}
    return {
        "node": node | {key: value for key, value in changes.items() if key in node},
        **lists,
        **{key: value for key, value in changes.items() if key in lists},
    }


def attributes(record: Any, name: str) -> set[Any]:
    return {value for key, value in record.attributes if key.uri == WG + name}


def key_of(name: Any, prefix: str) -> tuple[str, ...]:
    assert name.uri.startswith(f"urn:wakegraph:{prefix}:")
    return decode_name(name.localpart)


def ends(document: ProvDocument, kind: type[Any]) -> list[tuple[Any, Any]]:
    return [tuple(value for _, value in record.formal_attributes[:2]) for record in document.get_records(kind)]


@pytest.mark.parametrize(
    "parts", [("-a", "b."), (".",), ("-",), ("a/b", "::%2F"), ("ünï", "😀 x"), ("'(,)=;[]\"", "\\")]
)
def test_any_name_is_valid_and_can_be_turned_back(parts: tuple[str, ...]) -> None:
    assert decode_name(encode_name(*parts)) == parts


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=60, deadline=None)
@given(project=TEXTS, identifier=TEXTS, author=TEXTS, text=TEXTS, other=TEXTS, tags=st.lists(TEXTS, unique=True))
def test_any_text_survives(
    form: ProvFormat, project: str, identifier: str, author: str, text: str, other: str, tags: list[str]
) -> None:
    made = Provenance(include_detected=True)
    link = {"project": project, "id": other, "rationale": text, "origin": "stated", "primary": True}
    made.add(
        row(
            project, identifier, title=text, tags=tags, rationale=text, author=author, author_type="human",
            caused_by=[link], depends_on=[link], supersedes=[link], about=[text],
        )
    )  # fmt: skip
    target = io.BytesIO()
    made.write(target, form)
    document = read(target.getvalue(), form)
    [entity] = document.get_records(ProvEntity)
    assert key_of(entity.identifier, "snapshot") == (project, identifier)
    assert (attributes(entity, "project"), attributes(entity, "id")) == ({project}, {identifier})
    assert attributes(entity, "rationale") == attributes(entity, "about") == {text}
    assert attributes(entity, "tag") == set(tags)
    [agent] = document.get_records(ProvAgent)
    assert key_of(agent.identifier, "author") == (author,)
    [[effect, cause]] = ends(document, ProvInfluence)
    assert (key_of(effect, "snapshot"), key_of(cause, "snapshot")) == ((project, identifier), (project, other))


@pytest.fixture
async def decisions(wake: Wakegraph, project: str) -> str:
    """Three snapshots of two authors, with a link of each kind, a detected one included."""
    save = wake.snapshots.save
    await save("Keep the log", project=project, id="keep", action_type="decision", rationale="auditors",
               author="ann", author_type="human", tags=["log", "audit"], created_at=NOON,
               detect_dependencies=False)  # fmt: skip
    await save("Rotate it", project=project, id="rotate.", caused_by=["keep"], depends_on=["keep"], author="bot",
               author_type="ai-agent", about=["ops/logrotate.conf"], created_at=NOON,
               detect_dependencies=False)  # fmt: skip
    await save("Keep it longer", project=project, id="longer", supersedes=["keep"], created_at=LATER)
    return project


@pytest.mark.db
@pytest.mark.parametrize("form", FORMS)
async def test_the_document_says_what_the_graph_says(wake: Wakegraph, decisions: str, form: ProvFormat) -> None:
    target = io.BytesIO()
    result = await wake.interchange.export_prov(target, form=form, project=decisions)
    assert (result.format, result.snapshots, result.authors, result.links) == (form, 3, 2, 3)
    assert (result.detected_left_out, result.links_left_out, result.projects) == (1, 0, [decisions])
    document = read(target.getvalue(), form)

    entities = {key_of(record.identifier, "snapshot")[1]: record for record in document.get_records(ProvEntity)}
    assert sorted(entities) == ["keep", "longer", "rotate."]
    assert entities["keep"].label == "Keep the log"
    assert attributes(entities["keep"], "tag") == {"log", "audit"}
    assert attributes(entities["keep"], "role") == {"root"}
    assert attributes(entities["rotate."], "about") == {"ops/logrotate.conf"}

    actions = {key_of(record.identifier, "action")[1]: record for record in document.get_records(ProvActivity)}
    assert {name: str(*record.get_asserted_types()) for name, record in actions.items()} == {
        "keep": "wakegraph:decision",
        "rotate.": "wakegraph:conversation",
        "longer": "wakegraph:conversation",
    }
    times = {name: {record.get_startTime(), record.get_endTime()} for name, record in actions.items()}
    assert times == {"keep": {NOON}, "rotate.": {NOON}, "longer": {LATER}}
    assert sorted(ends(document, ProvGeneration), key=str) == sorted(
        ((entities[name].identifier, actions[name].identifier) for name in entities), key=str
    )

    agents = {key_of(record.identifier, "author")[0]: record for record in document.get_records(ProvAgent)}
    assert agents["ann"].get_asserted_types() == {PROV["Person"]}
    assert agents["bot"].get_asserted_types() == {PROV["SoftwareAgent"]}
    whose = {("keep", "ann"), ("rotate.", "bot")}
    assert {(key_of(a, "action")[1], *key_of(b, "author")) for a, b in ends(document, ProvAssociation)} == whose
    assert {(key_of(a, "snapshot")[1], *key_of(b, "author")) for a, b in ends(document, ProvAttribution)} == whose

    derived = {
        (
            key_of(record.formal_attributes[0][1], "snapshot")[1],
            key_of(record.formal_attributes[1][1], "snapshot")[1],
        ): record
        for record in document.get_records(ProvDerivation)
    }
    assert set(derived) == {("rotate.", "keep"), ("longer", "keep")}
    assert derived["longer", "keep"].get_asserted_types() == {PROV["Revision"]}
    assert not derived["rotate.", "keep"].get_asserted_types()
    assert attributes(derived["rotate.", "keep"], "origin") == {"stated"}
    [[later, earlier]] = ends(document, ProvCommunication)
    assert (key_of(later, "action"), key_of(earlier, "action")) == ((decisions, "rotate."), (decisions, "keep"))
    [[needing, needed]] = ends(document, ProvInfluence)
    assert (key_of(needing, "snapshot")[1], key_of(needed, "snapshot")[1]) == ("rotate.", "keep")


@pytest.mark.db
async def test_both_notations_say_the_same_and_the_same_bytes_again(wake: Wakegraph, decisions: str) -> None:
    written = {}
    for form in FORMS:
        for _ in range(2):
            target = io.BytesIO()
            await wake.interchange.export_prov(target, form=form, project=decisions)
            assert written.setdefault(form, target.getvalue()) == target.getvalue()
    assert read(written[ProvFormat.JSON], ProvFormat.JSON) == read(written[ProvFormat.PROVN], ProvFormat.PROVN)


@pytest.mark.db
async def test_detected_dependencies_are_marked_when_asked_for(wake: Wakegraph, decisions: str) -> None:
    target = io.BytesIO()
    result = await wake.interchange.export_prov(target, project=decisions, include_detected=True)
    assert (result.links, result.detected_left_out) == (4, 0)
    origins = [
        attributes(record, "origin") for record in read(target.getvalue(), ProvFormat.JSON).get_records(ProvInfluence)
    ]
    assert sorted(map(sorted, origins)) == [["detected"], ["stated"]]


@pytest.mark.db
async def test_nothing_of_a_project_that_the_caller_may_not_see(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    await wake.snapshots.save("secret", project=other_project, id="secret", author="eve")
    await wake.snapshots.save(
        "open", project=project, id="open", caused_by=[f"{other_project}::secret"], cross_project=True
    )
    caller = Caller(projects=frozenset({project}), scopes=frozenset({Scope.READ}))
    for arguments in ({"project": project}, {"all_projects": True}):
        target = io.BytesIO()
        result = await wake.interchange.export_prov(target, caller=caller, **arguments)
        assert (result.snapshots, result.links, result.links_left_out) == (1, 0, 1)
        assert result.projects == [project]
        assert other_project.encode() not in target.getvalue()
        assert b"secret" not in target.getvalue()
    with pytest.raises(NotFoundError, match="there is no project"):
        await wake.interchange.export_prov(io.BytesIO(), project=other_project, caller=caller)
    # Who may see both gets the link, to an entity that this document does not describe.
    target = io.BytesIO()
    assert (await wake.interchange.export_prov(target, project=project)).links == 1
    [[_, cause]] = ends(read(target.getvalue(), ProvFormat.JSON), ProvDerivation)
    assert key_of(cause, "snapshot") == (other_project, "secret")
    with pytest.raises(InvalidInputError, match="both asked for"):
        await wake.interchange.export_prov(io.BytesIO(), project=project, all_projects=True)


@pytest.mark.db
async def test_pages_join_without_gap_or_repetition(
    wake: Wakegraph, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f'{{"id": "s{n}", "created_at": "2026-01-15T12:00:00Z"}}\n' for n in range(7))
    await wake.interchange.import_jsonl(io.StringIO(lines), project=project)
    monkeypatch.setattr("wakegraph.interchange.service._LAST_PAGE", 2)
    target = io.BytesIO()
    assert (await wake.interchange.export_prov(target, project=project)).snapshots == 7
    assert len(list(read(target.getvalue(), ProvFormat.JSON).get_records(ProvEntity))) == 7
