"""No default answer floods an agent, whatever is stored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.mcp.conftest import Agent, connected
from wakegraph.graph.driver import Graph
from wakegraph.mcp.options import ServerOptions

pytestmark = pytest.mark.db

TOKENS = 10_000
COUNT = 3_000

FILL = """
UNWIND range(0, $count - 1) AS i
CREATE (s:Snapshot {project: $project, id: toString(i) + '-' + randomUUID(), content: $text + ' needle ' + i + $text,
  summary: left($text, 200), title: left($text, 77) + '...', tags: $tags, action_type: 'decision', rationale: $text,
  author: $author, session: 's', source: 'mcp', created_at: datetime({epochSeconds: 1700000000 + i}),
  recorded_at: datetime({epochSeconds: 1700000000 + i}), last_activity: datetime({epochSeconds: 1700000000 + i}),
  access_count: 0, recent_accesses: [], recent_accessors: [], memory_tier: 'EXPIRED', causal_role: 'link',
  last_predicted: datetime('1970-01-01T00:00:00Z'), number: i})
"""
CHAIN = """
MATCH (s:Snapshot {project: $project}) WITH s ORDER BY s.number WITH collect(s) AS nodes
UNWIND range(1, $count - 1) AS i
WITH nodes[i] AS effect, nodes[CASE WHEN i < 1000 THEN i - 1 ELSE 0 END] AS cause, nodes[0] AS root, i
CREATE (effect)-[:CAUSED_BY {primary: true, origin: 'stated', rationale: $text, recorded_at: datetime()}]->(cause)
FOREACH (x IN CASE WHEN i > 5 AND i < 500 THEN [1] ELSE [] END |
  CREATE (effect)-[:DEPENDS_ON {origin: 'stated', rationale: $text, recorded_at: datetime()}]->(root))
MERGE (a:Artifact {project: $project, ref: 'src/a.py'}) CREATE (effect)-[:ABOUT]->(a)
"""


@pytest.fixture
async def big(serve: Callable[..., Any], project: str, graph: Graph) -> AsyncIterator[tuple[Agent, str]]:
    """A project of long texts: a chain of 1,000 with a star around its root."""
    text = 'Wörter "mit" \\ Zeichen, ' * 40
    parameters = {"project": project, "text": text, "count": COUNT, "tags": ["tag " * 40] * 50, "author": "a" * 200}
    async with graph.session("WRITE") as session:
        await (
            await session.run("MERGE (p:WakegraphProject {name: $project}) SET p.created_at = datetime()", parameters)
        ).consume()
        await (await session.run(FILL, parameters)).consume()
        await (await session.run(CHAIN, parameters)).consume()
        found = await session.run(
            "MATCH (s:Snapshot {project: $project, number: 999}) RETURN s.id AS id", project=project
        )
        name = (await found.single(strict=True))["id"]
    async with connected(serve(ServerOptions(), project=project)) as agent:
        yield agent, name


async def test_every_default_answer_keeps_to_the_budget(big: tuple[Agent, str], project: str) -> None:
    """F38, F39"""
    agent, name = big
    roots = await agent("build_causal_chain", snapshotId=name)
    root = roots["steps"][0]["id"]
    calls: dict[str, list[dict[str, Any]]] = {
        "save_context": [{"content": "needle " * 200, "about": ["src/a.py"], "session": "s"}],
        "link_contexts": [{"id": name, "dependsOn": [root]}],
        "search_context": [{"query": "needle"}, {"query": "Wörter", "detail": "preview"}],
        "get_context": [{"ids": [name]}, {"ids": [root]}, {"ids": [step["id"] for step in roots["steps"][:10]]}],
        "reconstruct_reasoning": [{"snapshotId": name}, {"snapshotId": root}, {"about": "src/a.py"}],
        "predict_next": [{}, {"given": [root]}],
        "update_context": [{"id": name, "summary": "s" * 9_000, "rationale": "r" * 90_000}],
        "delete_context": [{"id": root}],
        "build_causal_chain": [{"snapshotId": name}],
        "explore_causality": [
            {"snapshotId": root, "direction": direction, "format": form}
            for direction in ("causes", "effects", "both")
            for form in ("json", "mermaid")
        ],
        "recalculate_memory_tiers": [{"project": project}],
        "query_graph": [{"cypher": "MATCH (s:Snapshot {project: $p}) RETURN s", "parameters": {"p": project}}],
    }
    sizes = {}
    for tool in agent.tools:
        for arguments in calls.get(tool, [{}]):
            result = await agent.raw(tool, **arguments)
            assert not result.is_error, result.content[0].text
            answer = {"content": result.content[0].text, "structuredContent": result.structured_content}
            size = len(json.dumps(answer, ensure_ascii=False).encode()) / 4
            sizes[tool] = max(sizes.get(tool, 0), round(size))
    print(sizes)
    assert all(size < TOKENS for size in sizes.values()), sizes
    for address in (
        "wakegraph://projects",
        f"wakegraph://projects/{project}/snapshots/{root}",
        f"wakegraph://projects/{project}/snapshots/{name}/chain",
    ):
        text = (await agent.client.read_resource(address))[0].text
        assert len(text.encode()) / 4 < TOKENS


async def test_long_text_is_read_in_parts(modern: Agent) -> None:
    text = "".join(f"{number} \N{PARTY POPPER}\n" for number in range(20_000))
    await modern("save_context", content=text, id="long")
    read, offset = "", 0
    while True:
        part = (await modern("get_context", ids=["long"], contentOffset=offset))["snapshots"][0]
        read += part["content"]
        if "nextOffset" not in part:
            break
        offset = part["nextOffset"]
    assert read == text
    assert "behind the end" in await modern.error("get_context", ids=["long"], contentOffset=900_000)


async def test_match_near_the_end_is_shown(modern: Agent) -> None:
    """F39"""
    for number in range(10):
        await modern("save_context", content="filler words " * 1_500 + f"the pelican answer {number}", id=f"p{number}")
    page = await modern("search_context", query="pelican")
    assert len(page["hits"]) == 10
    assert all("pelican answer" in hit["match"] for hit in page["hits"])
    full = await modern("search_context", query="pelican", limit=1, detail="full")
    assert full["hits"][0]["content"].endswith(tuple("0123456789"))
    assert full["hits"][0]["truncated"] is False


async def test_tool_lists_are_short(serve: Callable[..., Any], project: str) -> None:
    for toolset, limit in (("all", 8_000), ("core", 4_000)):
        async with connected(serve(ServerOptions(toolset=toolset), project=project)) as agent:  # type: ignore[arg-type]
            listed = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in agent.tools.values()]
            assert len(json.dumps(listed)) / 4 < limit


async def test_instructions_are_short(serve: Callable[..., Any]) -> None:
    assert len(serve().instructions.split()) <= 250
