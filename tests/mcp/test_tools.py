"""Every tool, driven in memory in both eras; each answer is checked against its published schema."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.mcp.conftest import Agent, connected

pytestmark = pytest.mark.db


async def test_a_day_of_work(agent: Agent, project: str) -> None:
    first = await agent(
        "save_context",
        content="Use Neo4j because chains are paths.",
        actionType="decision",
        rationale="paths are one query",
        about=["src/graph.py"],
        session="monday",
        author="ada",
        tags=["storage"],
        metadata={"n": 1},
    )
    assert first["snapshot"]["project"] == project
    assert first["newProject"] is True
    root = first["snapshot"]["id"]
    second = await agent(
        "save_context", content="Write the driver.", id="driver", causedBy=[root], actionType="file_edit"
    )
    assert [link["type"] for link in second["links"]] == ["CAUSED_BY"]
    third = await agent(
        "save_context", content="Use one lock.", id="lock", dependsOn="driver", createdAt="2026-01-01T00:00:00Z"
    )
    assert third["suggestedCauses"] == [] or third["suggestedCauses"][0]["id"]
    linked = await agent("link_contexts", id="lock", causedBy=["driver"], rationale="found while writing it")
    assert {role["name"]: role["causalRole"] for role in linked["roles"]}[f"{project}::lock"] == "leaf"

    listed = await agent("load_context", limit=2)
    assert len(listed["snapshots"]) == 2
    assert listed["hasMore"] is True
    rest = await agent("load_context", limit=2, cursor=listed["nextCursor"])
    assert len(rest["snapshots"]) == 1
    found = await agent("search_context", query="chains")
    assert [hit["id"] for hit in found["hits"]] == [root]
    assert "chains are paths" in found["hits"][0]["match"]
    full = await agent("get_context", ids=[root, "driver"])
    assert full["snapshots"][0]["content"] == "Use Neo4j because chains are paths."
    assert full["snapshots"][0]["metadata"] == {"n": 1}
    assert full["snapshots"][1]["causedBy"][0]["id"] == root
    chain = await agent("build_causal_chain", snapshotId="lock")
    assert [step["id"] for step in chain["steps"]] == [root, "driver", "lock"]
    impact = await agent("explore_causality", snapshotId=root, direction="effects", format="mermaid")
    assert {node["id"] for node in impact["nodes"]} == {root, "driver", "lock"}
    assert impact["mermaid"].startswith("flowchart TD")
    why = await agent("reconstruct_reasoning", snapshotId="lock")
    assert why["causes"][0]["id"] == "driver"
    assert why["root"] == f"{project}::{root}"
    about = await agent("reconstruct_reasoning", about="src/graph.py")
    assert about["id"] == root
    assert (await agent("get_causality_stats"))["snapshots"] == 3
    assert (await agent("validate_causality"))["totals"]["timeInversions"] == 1
    assert (await agent("get_memory_stats"))["total"] == 3
    assert (await agent("list_projects"))["total"] >= 1
    assert (await agent("update_predictions"))["updated"] >= 0
    value = await agent("get_high_value_contexts", minScore=0)
    assert len(value["snapshots"]) == 3
    assert {part["name"] for part in value["snapshots"][0]["components"]} == {"temporal", "causal", "frequency"}
    stats = await agent("get_propagation_stats")
    assert stats["totalContexts"] == 3
    predicted = await agent("predict_next", given=[root])
    assert root not in {item["id"] for item in predicted["predictions"]}
    await agent("recalculate_memory_tiers", project=project)
    assert (await agent("prune_expired_contexts"))["dryRun"] is True
    await agent("update_context", id="driver", summary="the driver", tags=["db"])
    newer = await agent("save_context", content="Use two locks.", supersedes=["lock"], causedBy=["driver"])
    shown = await agent("load_context", limit=10)
    old = next(item for item in shown["snapshots"] if item["id"] == "lock")
    assert old["supersededBy"] == [f"{project}::{newer['snapshot']['id']}"]
    page = await agent("resume_work", author="ada")
    assert page["project"] == project
    assert page["text"]
    rows = await agent(
        "query_graph", cypher="MATCH (s:Snapshot {project: $p}) RETURN count(s) AS n", parameters={"p": project}
    )
    assert rows["rows"] == [{"n": 4}]
    dry = await agent("delete_context", id=root)
    assert dry["deleted"] is False
    assert dry["orphans"] == [f"{project}::driver"]
    gone = await agent("delete_context", id=root, confirm=True)
    assert gone["deleted"] is True
    assert "was deleted" in await agent.error("get_context", ids=[root])


async def test_every_spelling_of_a_name_is_accepted(modern: Agent, project: str) -> None:
    await modern("save_context", content="one", id="one", action_type="decision", detect_dependencies=False)
    for name in ("snapshotId", "snapshot_id", "id"):
        assert (await modern("build_causal_chain", **{name: "one"}))["id"] == "one"
        assert (await modern("update_context", **{name: "one"}, summary="s"))["snapshot"]["id"] == "one"
        assert (await modern("get_context", **{name: "one"}))["snapshots"][0]["id"] == "one"
    assert (await modern("get_context", ids='["one"]'))["snapshots"][0]["id"] == "one"
    assert (await modern("get_context", ids="one", project=None))["snapshots"][0]["id"] == "one"
    assert "given twice" in await modern.error("get_context", ids=["one"], id="one")
    tagged = await modern("save_context", content="two", id="two", tags='["a", "b"]', metadata='{"k": [1]}')
    assert tagged["snapshot"]["id"] == "two"
    assert (await modern("get_context", ids=["two"]))["snapshots"][0]["tags"] == ["a", "b"]
    tagged = await modern("save_context", content="three", id="three", tags="[draft] note")
    assert (await modern("get_context", ids=["three"]))["snapshots"][0]["tags"] == ["[draft] note"]


WRONG: list[tuple[str, dict[str, Any], str]] = [
    *(
        ("load_context", {"limit": limit}, "use a whole number from 1 to 100")
        for limit in (0, -1, 10**9, "5", 5.5, True, [])
    ),
    *(("search_context", {"query": "x", "limit": limit}, "from 1 to 100") for limit in (0, -1, 10**9, "5", 5.5)),
    *(("predict_next", {"limit": limit}, "from 1 to 100") for limit in (0, 101)),
    ("query_graph", {"cypher": "RETURN 1", "limit": 0}, "from 1 to 1000"),
    ("get_high_value_contexts", {"minScore": 1.5}, "a number from 0"),
    ("load_context", {"order": "newest"}, "use one of recent, predicted, least_recently_used"),
    ("load_context", {"colour": "red"}, "there is no argument 'colour'; load_context accepts project, limit, order"),
    ("save_context", {}, "content is required"),
    ("save_context", {"content": 5}, "content 5 is not accepted: use a text"),
    ("save_context", {"content": "x", "tags": [1]}, "use a list of texts"),
    ("save_context", {"content": "x", "metadata": "no"}, "use a JSON object"),
    ("delete_context", {"id": "x", "confirm": "yes"}, "use true or false"),
    ("reconstruct_reasoning", {}, "give either snapshotId or about"),
    ("search_context", {"query": "   "}, "query is empty"),
    ("save_context", {"content": "x", "createdAt": "yesterday"}, "is not a time"),
    ("load_context", {"cursor": "bogus"}, "cursor"),
    ("get_context", {"ids": ["nowhere-at-all"]}, "there is no"),
    ("get_context", {"ids": ["x"] * 101}, "use a list of 1 to 100 texts"),
    ("get_context", {"ids": []}, "use a list of 1 to 100 texts"),
    ("query_graph", {"cypher": "x" * 20_001}, "use a text of 20000 characters at most"),
    ("load_contxt", {}, "did you mean load_context"),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), WRONG)
async def test_an_error_says_what_is_accepted(
    modern: Agent, name: str, arguments: dict[str, Any], expected: str
) -> None:
    assert expected in await modern.error(name, **arguments)


async def test_whole_numbers_may_come_as_floats(modern: Agent) -> None:
    await modern("save_context", content="x")
    assert len((await modern("load_context", limit=1.0))["snapshots"]) == 1


async def test_limit_is_exact(modern: Agent) -> None:
    """F13"""
    for number in range(9):
        await modern("save_context", content=f"number {number}", detectDependencies=False)
    for limit in (1, 7, 100):
        page = await modern("load_context", limit=limit)
        assert len(page["snapshots"]) == min(limit, 9)
        assert page["hasMore"] is (limit < 9)
        assert len((await modern("search_context", query="number", limit=limit))["hits"]) == min(limit, 9)


async def test_concurrent_calls_all_arrive(agent: Agent) -> None:
    """F01"""
    base = await agent("save_context", content="base", id="base")
    calls = [agent("save_context", content=f"n{n}", id=f"n{n}", causedBy=["base"]) for n in range(20)]
    answers = await asyncio.gather(*calls)
    assert {answer["snapshot"]["id"] for answer in answers} == {f"n{n}" for n in range(20)}
    mixed = [agent("link_contexts", id=f"n{n}", dependsOn=[f"n{n + 1}"]) for n in range(19)]
    mixed += [agent("update_context", id=f"n{n}", tags=[f"t{n}"]) for n in range(20)]
    await asyncio.gather(*mixed)
    full = (await agent("get_context", ids=[f"n{n}" for n in range(20)]))["snapshots"]
    assert all(item["tags"] == [f"t{n}"] for n, item in enumerate(full))
    assert (await agent("get_context", ids=["base"]))["snapshots"][0]["effectCount"] == 20
    assert base["snapshot"]["id"] == "base"


async def test_deleted_is_gone_everywhere(modern: Agent) -> None:
    """F35"""
    await modern("save_context", content="unicorn recipe", id="secret-one")
    await modern("save_context", content="after it", id="after", causedBy=["secret-one"])
    done = await modern("delete_context", id="secret-one", confirm=True)
    assert (done["deleted"], done["links"]) == (True, 1)
    assert (await modern("search_context", query="unicorn"))["hits"] == []
    assert [item["id"] for item in (await modern("load_context"))["snapshots"]] == ["after"]
    assert (await modern("build_causal_chain", snapshotId="after"))["length"] == 1
    assert (await modern("get_causality_stats"))["snapshots"] == 1
    line = await modern.error("get_context", ids=["secret-one"])
    assert "deleted" in line


async def test_access_is_counted_where_it_was_read(modern: Agent, project: str) -> None:
    await modern("save_context", content="text about owls", id="owl")

    async def count() -> int:
        query = "MATCH (s:Snapshot {project: $p, id: 'owl'}) RETURN s.access_count AS n"
        rows = await modern("query_graph", cypher=query, parameters={"p": project})
        return int(rows["rows"][0]["n"])

    for name, arguments in {
        "search_context": {"query": "owls"},
        "build_causal_chain": {"snapshotId": "owl"},
        "explore_causality": {"snapshotId": "owl"},
        "predict_next": {},
        "get_high_value_contexts": {"minScore": 0},
        "get_propagation_stats": {},
        "resume_work": {},
    }.items():
        await modern(name, **arguments)
        assert await count() == 0, name
    await modern("load_context", order="predicted")
    assert await count() == 0
    await modern("load_context")
    assert await count() == 1
    await modern("get_context", ids=["owl"], detail="preview")
    assert await count() == 1
    await modern("get_context", ids=["owl"])
    assert await count() == 2
    await modern("reconstruct_reasoning", snapshotId="owl")
    assert await count() == 3
    await modern("search_context", query="owls", detail="full")
    assert await count() == 4
    await modern.client.read_resource(f"wakegraph://projects/{project}/snapshots/owl")
    assert await count() == 4


async def test_read_only_lists_and_accepts_no_write(serve: Callable[..., Any], project: str, modern: Agent) -> None:
    """F18"""
    from wakegraph.mcp.options import ServerOptions

    await modern("save_context", content="text about owls", id="owl")
    server = serve(ServerOptions(read_only=True), project=project, read_only=True)
    async with connected(server) as reader:
        writing = {name for name, tool in modern.tools.items() if not tool.annotations.read_only_hint}
        assert writing
        assert not writing & reader.tools.keys()
        for name in writing:
            assert "read-only" in await reader.error(name, id="owl", content="x")
        await reader("load_context")
        await reader("get_context", ids=["owl"])
        await reader("search_context", query="owls", detail="full")
        await reader("get_high_value_contexts", minScore=0)
    rows = await modern("query_graph", cypher="MATCH (s:Snapshot {project: $p}) RETURN s", parameters={"p": project})
    assert rows["rows"][0]["s"]["properties"]["access_count"] == 0


async def test_core_toolset(serve: Callable[..., Any], project: str) -> None:
    from wakegraph.mcp.options import ServerOptions

    async with connected(serve(ServerOptions(toolset="core"), project=project)) as agent:
        assert list(agent.tools) == [
            "resume_work",
            "save_context",
            "link_contexts",
            "load_context",
            "search_context",
            "get_context",
            "reconstruct_reasoning",
            "predict_next",
        ]
        assert "tool set" in await agent.error("delete_context", id="x")


async def test_resources_prompts_and_completion(agent: Agent, project: str) -> None:
    import json
    from urllib.parse import quote

    await agent("save_context", content="odd", id="a/../b %?#é")
    uri = f"wakegraph://projects/{project}/snapshots/{quote('a/../b %?#é', safe='')}"
    read = json.loads((await agent.client.read_resource(uri))[0].text)
    assert read["snapshots"][0]["content"] == "odd"
    chain = json.loads((await agent.client.read_resource(f"{uri}/chain"))[0].text)
    assert chain["length"] == 1
    assert "projects" in json.loads((await agent.client.read_resource("wakegraph://projects"))[0].text)
    assert "CAUSED_BY" in (await agent.client.read_resource("wakegraph://schema"))[0].text
    with pytest.raises(Exception, match="there is no snapshot"):
        await agent.client.read_resource(f"wakegraph://projects/{project}/snapshots/nothing")
    assert {prompt.name for prompt in await agent.client.list_prompts()} == {"explain_decision", "record_decision"}
    prompt = await agent.client.get_prompt("explain_decision", {"snapshotId": "x1"})
    assert "x1" in prompt.messages[0].content.text
    reference = {"type": "ref/prompt", "name": "record_decision"}
    from mcp_types import PromptReference

    values = await agent.client.complete(PromptReference(**reference), {"name": "project", "value": project[:10]})
    assert project in values.values


async def test_what_ranks_by_score_scores_first_what_is_stale(modern: Agent, project: str) -> None:
    """An agent that has the core tools only, and no schedule, sees predictions too."""
    for name in ("one", "two", "three"):
        await modern("save_context", content=f"note {name}", id=name, detectDependencies=False)
    page = await modern("load_context", order="predicted", limit=2)
    assert (len(page["snapshots"]), page["hasMore"]) == (2, True)
    await modern("save_context", content="note four", id="four", detectDependencies=False)
    assert len((await modern("resume_work"))["predictions"]) == 4


async def test_scores_that_stay_stale_are_counted(serve: Callable[..., Any], project: str, modern: Agent) -> None:
    await modern("save_context", content="note", id="one")
    async with connected(serve(project=project, refresh_before_answer=0)) as agent:
        for name, arguments in {"load_context": {"order": "predicted"}, "resume_work": {}}.items():
            result = await agent.raw(name, **arguments)
            assert result.structured_content["stale"] == 1
            assert "out of date" in result.content[0].text
    fresh = await modern.raw("load_context", order="predicted")
    assert "stale" not in fresh.structured_content
    assert "out of date" not in fresh.content[0].text


async def test_every_text_says_what_was_superseded(modern: Agent, project: str) -> None:
    await modern("save_context", content="the old owl decision", id="old-one", actionType="decision", about=["owl.py"])
    await modern("save_context", content="owl effect", id="effect-one", causedBy=["old-one"], about=["owl.py"])
    await modern("save_context", content="the new owl decision", id="new-one", supersedes=["old-one"])
    for name, arguments in {
        "load_context": {},
        "search_context": {"query": "owl"},
        "get_context": {"ids": ["old-one"]},
        "reconstruct_reasoning": {"snapshotId": "effect-one"},
        "build_causal_chain": {"snapshotId": "effect-one"},
        "explore_causality": {"snapshotId": "effect-one"},
        "predict_next": {},
        "get_high_value_contexts": {"minScore": 0},
        "save_context": {"content": "one more about the owl decision", "about": ["owl.py"]},
    }.items():
        text = await modern.text(name, **arguments)
        assert "old-one" in text, (name, text)
        assert re.search(rf"superseded by ({project}::)?new-one", text, re.IGNORECASE), (name, text)


async def test_a_host_that_reads_only_texts_gets_what_was_asked(modern: Agent, project: str) -> None:
    await modern("save_context", content="owl", id="owl-one")
    await modern("save_context", content="owl two", id="owl-two", causedBy=["owl-one"], detectDependencies=False)
    await modern("save_context", content="alone", id="alone-one", detectDependencies=False)
    assert "flowchart TD" in await modern.text("explore_causality", snapshotId="owl-two", format="mermaid")
    assert "alone-one" in await modern.text("validate_causality")
    rows = await modern.text(
        "query_graph",
        cypher="MATCH (s:Snapshot {project: $p}) RETURN s.id AS id, 'x\ny' AS t ORDER BY id",
        parameters={"p": project},
    )
    assert '| {"id": "alone-one", "t": "x\\ny"}' in rows
    for name, arguments in {
        "load_context": {"detail": "full"},
        "search_context": {"query": "owl", "detail": "full"},
        "get_high_value_contexts": {"minScore": 0, "detail": "full"},
    }.items():
        assert "| owl two" in await modern.text(name, **arguments), name
