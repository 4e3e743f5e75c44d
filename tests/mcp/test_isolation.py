"""A token limited to project A sees nothing of B: walked over every tool, resource, prompt and completion there is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp_types import PromptReference, ResourceTemplateReference

from tests.mcp.conftest import Agent
from wakegraph.app import Wakegraph
from wakegraph.mcp.auth import TokenList, new_token
from wakegraph.mcp.options import ServerOptions
from wakegraph.mcp.server import WakegraphServer, create_server
from wakegraph.settings import Settings

pytestmark = pytest.mark.db

WORD = "zanzibar"


@asynccontextmanager
async def over_http(server: WakegraphServer, token: str, mode: str = "auto") -> AsyncIterator[Agent]:
    """A client that speaks HTTP to a server in this process."""
    import httpx2

    app = server.http_app(path="/mcp", host_origin_protection=True)

    def client(**options: Any) -> httpx2.AsyncClient:
        options = {
            key: value for key, value in options.items() if key in {"headers", "timeout", "auth", "follow_redirects"}
        }
        return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1", **options)

    transport = StreamableHttpTransport("http://127.0.0.1/mcp", auth=token, httpx_client_factory=client)
    async with app.router.lifespan_context(app), Client(transport, mode=mode) as connected:
        yield Agent(connected, await connected.list_tools())


@pytest.fixture
async def two(settings: Settings, project: str, other_project: str) -> AsyncIterator[Callable[..., Any]]:
    """A server whose default project is B, with B filled; makes tokens."""
    secret, full = new_token("root", ["read", "write", "admin"])
    limited, grant = new_token("alice", ["read", "write", "admin"], [project])
    wake = Wakegraph(Settings.model_validate({**dict(settings), "project": other_project}))
    server = create_server(wake, ServerOptions(auth=TokenList([full, grant])))
    yield server, secret, limited
    await wake.close()


def arguments_for(tool: Any, project: str, other: str) -> list[dict[str, Any]]:
    """Calls of a tool that try to reach the other project in every way its parameters allow."""
    names = tool.input_schema["properties"]
    required = tool.input_schema.get("required", [])
    base: dict[str, Any] = {}
    for name in required:
        base[name] = {"ids": ["b-leaf"], "query": WORD, "content": WORD, "cypher": "MATCH (s:Snapshot) RETURN s"}.get(
            name, "b-leaf"
        )
    calls = [base]
    for target in (project, other, other[:-2]):
        if "project" in names:
            calls.append({**base, "project": target})
    for name in (
        "id",
        "snapshotId",
        "ids",
        "given",
        "causedBy",
        "dependsOn",
        "supersedes",
        "about",
        "session",
        "author",
    ):
        # What a save is given becomes data of its own project.
        mine = tool.name == "save_context" and name in {"id", "about", "session", "author"}
        if name in names and not mine:
            for value in (
                "b-leaf",
                "b-root",
                f"{other}::b-leaf",
                "b-only-here",
                "src/b.py",
                "bob",
                "b-session",
                "a-top",
            ):
                given = [value] if names[name]["type"] == "array" else value
                calls.append({**base, name: given})
                calls.append({**base, name: given, "project": project})
                calls.append({**base, name: given, "project": other})
                if "crossProject" in names:
                    calls.append({**base, name: given, "crossProject": True})
    if "dryRun" in names:
        calls = [{**call, "dryRun": True} for call in calls]
    return calls


async def test_nothing_of_another_project_is_seen(two: Any, project: str, other_project: str) -> None:
    """F15, F16"""
    server, secret, limited = two
    async with over_http(server, secret) as root:
        await root(
            "save_context", project=other_project, id="b-root", content=f"{WORD} root", author="bob", about=["src/b.py"]
        )
        await root(
            "save_context",
            project=other_project,
            id="b-leaf",
            content=f"{WORD} leaf",
            causedBy=["b-root"],
            session="b-session",
        )
        await root("save_context", project=other_project, id="b-only-here", content=f"{WORD} gone")
        await root("delete_context", project=other_project, id="b-only-here", confirm=True)
        await root("save_context", project=project, id="a-root", content=f"{WORD} of a", about=["src/a.py"])
        await root(
            "save_context",
            project=project,
            id="a-top",
            content="top of a",
            causedBy=["a-root", f"{other_project}::b-leaf"],
            dependsOn=[f"{other_project}::b-root"],
            crossProject=True,
        )
        await root(
            "link_contexts", project=other_project, id="b-leaf", dependsOn=[f"{project}::a-root"], crossProject=True
        )
        before = await counts(root, other_project)
    leaks: list[str] = []
    async with over_http(server, limited) as alice:
        assert "query_graph" not in alice.tools
        assert "query_graph" in await alice.error("query_graph", cypher="RETURN 1")
        for name, tool in alice.tools.items():
            for arguments in arguments_for(tool, project, other_project):
                result = await alice.raw(name, **arguments)
                answer = json.dumps([result.structured_content, [part.text for part in result.content]])
                asked = json.dumps(arguments)
                for secret_text in (
                    "bob",
                    "b-leaf",
                    "b-root",
                    "b-only-here",
                    "src/b.py",
                    "b-session",
                    f"{WORD} root",
                    other_project,
                ):
                    # What the caller sent may come back, in an error or as its own new data.
                    if secret_text in answer and secret_text not in asked:
                        leaks.append(f"{name} {asked}: {secret_text} in {answer[:300]}")
        leaks += await leaks_elsewhere(alice, project, other_project)
    assert not leaks, "\n".join(leaks[:10])
    async with over_http(server, secret) as root:
        assert await counts(root, other_project) == before


async def leaks_elsewhere(alice: Agent, project: str, other: str) -> list[str]:
    found = []
    addresses = ["wakegraph://projects", "wakegraph://schema"]
    for home in (project, other):
        for name in ("a-top", "b-leaf", "b-root", "b-only-here"):
            addresses += [f"wakegraph://projects/{home}/snapshots/{name}{end}" for end in ("", "/chain")]
    for address in addresses:
        try:
            answer = "".join(part.text for part in await alice.client.read_resource(address))
        except Exception as error:  # noqa: BLE001  whatever it is, it must not tell
            answer = str(error)
        for secret in ("bob", "b-leaf", "b-root", "b-only-here", "zanzibar root", other):
            if secret in answer and secret not in address:
                found.append(f"{address}: {secret} in {answer[:300]}")
    for reference in (
        PromptReference(type="ref/prompt", name="record_decision"),
        ResourceTemplateReference(type="ref/resource", uri="wakegraph://projects/{project}/snapshots/{id}"),
    ):
        values = await alice.client.complete(reference, {"name": "project", "value": "test"})
        assert values.values == [project]
    for prompt in await alice.client.list_prompts():
        arguments = {argument.name: "b-leaf" for argument in prompt.arguments or []}
        text = str((await alice.client.get_prompt(prompt.name, arguments)).messages)
        found += [f"{prompt.name}: {other}"] if other in text else []
    return found


async def counts(root: Agent, project: str) -> Any:
    query = (
        "MATCH (s:Snapshot {project: $p}) RETURN s.id AS id, s.access_count AS a, s.content AS c, s.summary AS m, "
        "s.tags AS t, "
        "COUNT { (s)--() } AS d ORDER BY id"
    )
    return (await root("query_graph", cypher=query, parameters={"p": project}))["rows"]


async def test_scopes_are_kept(settings: Settings, project: str) -> None:
    tokens = {name: new_token(name, [name]) for name in ("read", "write", "admin")}
    wake = Wakegraph(Settings.model_validate({**dict(settings), "project": project}))
    server = create_server(wake, ServerOptions(auth=TokenList(grant for _, grant in tokens.values())))
    listed = {}
    for name, (token, _) in tokens.items():
        async with over_http(server, token) as agent:
            listed[name] = set(agent.tools)
            for tool in {"save_context", "load_context", "delete_context", "query_graph"} - listed[name]:
                assert "needs the scope" in await agent.error(tool, content="x", id="x", cypher="RETURN 1")
    assert "load_context" in listed["read"]
    assert listed["write"] == {
        "save_context",
        "link_contexts",
        "update_context",
        "recalculate_memory_tiers",
        "update_predictions",
    }
    assert listed["admin"] == {"delete_context", "prune_expired_contexts", "query_graph"}
    async with over_http(server, tokens["write"][0]) as agent:
        assert "needs the scope admin" in await agent.error("recalculate_memory_tiers")
        saved = await agent("save_context", content="x", author="somebody else")
        assert saved["snapshot"]["author"] == "write"
    await wake.close()
