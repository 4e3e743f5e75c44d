"""Likely causes of a snapshot that names none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from causality.graphs import START, Drawing

from wakegraph.app import Wakegraph
from wakegraph.causality.models import SuggestedCause
from wakegraph.causality.suggest import suggest_causes
from wakegraph.graph.driver import Graph, Transaction

OLD = {"created_at": START - timedelta(days=9), "last_activity": START - timedelta(days=9)}


async def suggested(graph: Graph | Transaction, project: str, **more: Any) -> list[SuggestedCause]:
    values: dict[str, Any] = {
        "exclude_id": None,
        "text": "",
        "session": None,
        "about": [],
        "created_at": START + timedelta(minutes=30),
        **more,
    }
    return await suggest_causes(graph, project=project, **values)


async def test_each_sign_finds_its_snapshot_and_is_named(graph: Graph, project: str) -> None:
    await Drawing(
        project,
        ["text", "session", "artifact", "recent"],
        about=[("artifact", "src/a.py")],
        properties={
            "text": {**OLD, "content": "the scheduler double-booked a meeting room"},
            "session": {**OLD, "session": "monday"},
            "artifact": OLD,
        },
    ).write(graph)
    found = await suggested(
        graph, project, text="Fixed: scheduler booked rooms twice", session="monday", about=["src/a.py", "src/b.py"]
    )
    assert [(s.id, s.why) for s in found] == [
        ("text", ["similar text"]),
        ("session", ["same session"]),
        ("artifact", ["about src/a.py too"]),
    ]
    assert [s.score for s in found] == [0.4, 0.2, 0.15]
    assert found[0].title == "title of text"
    assert found[0].project == project
    more = await suggested(graph, project, text="scheduler", session="monday", about=["src/a.py"], limit=9)
    assert [s.id for s in more] == ["text", "artifact", "session", "recent"]


async def test_signs_add_up_and_what_was_superseded_comes_last(graph: Graph, project: str) -> None:
    await Drawing(
        project,
        ["old", "new", "plain"],
        supersedes=[("new", "old")],
        properties={
            "old": {"content": "use a queue for mails", "session": "s"},
            "new": {"content": "use a queue for mails", "session": "s"},
        },
    ).write(graph)
    found = await suggested(graph, project, text="mails queue overflow", session="s")
    assert [(s.id, s.score) for s in found] == [("new", 0.7), ("plain", 0.1), ("old", 0.7)]
    assert [[ref.id for ref in s.superseded_by] for s in found] == [[], [], ["new"]]
    assert found[0].why == ["similar text", "same session", "in the hour before"]


async def test_nothing_later_nothing_elsewhere_and_not_itself(graph: Graph, project: str, other_project: str) -> None:
    words = {"content": "zebra crossing"}
    for name in (project, other_project):
        await Drawing(name, ["a", "b"], properties={"a": words, "b": words}).write(graph)
    found = await suggested(graph, project, text="zebra crossing", created_at=START, exclude_id=None)
    assert [(s.project, s.id) for s in found] == [(project, "a")]
    assert await suggested(graph, project, text="zebra", created_at=START, exclude_id="a") == []


async def test_an_empty_project_and_an_empty_text_suggest_nothing(graph: Graph, project: str) -> None:
    assert await suggested(graph, project, text="anything at all") == []
    await Drawing(project, ["a"], properties={"a": OLD}).write(graph)
    assert await suggested(graph, project, text="!!! ??? ...") == []


async def test_an_artifact_of_everything_is_no_sign(graph: Graph, project: str) -> None:
    names = [f"n{i:04}" for i in range(1001)]
    await Drawing(project, names, about=[(name, "README.md") for name in names], start=START - timedelta(days=2)).write(
        graph
    )
    assert await suggested(graph, project, about=["README.md"]) == []


async def test_suggestions_inside_a_transaction_are_the_same_each_time(graph: Graph, project: str) -> None:
    await Drawing(project, ["a", "b", "c", "d"]).write(graph)
    first = await suggested(graph, project, text="title")
    assert first == await graph.read_in(suggested, project, text="title")
    assert len(first) == 3


async def test_a_save_without_causes_is_told_likely_ones(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("Chose Postgres for the ledger", id="choice", project=project)
    result = await wake.snapshots.save("Wrote the Postgres migration of the ledger", project=project)
    assert [s.id for s in result.suggested_causes] == ["choice"]
    assert result.links == []
