"""The HTTP server as a process: tokens, Host and Origin, limits, and what stands beside the protocol."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from tests.mcp.conftest import Agent
from tests.mcp.processes import INITIALIZE, Proxy, free_port, http

pytestmark = [pytest.mark.db, pytest.mark.process]

BODY = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


async def eventually_ready(address: str) -> httpx2.Response:
    async with httpx2.AsyncClient() as client:
        for _ in range(200):
            answer = await client.get(f"{address}/ready", timeout=30)
            if answer.status_code == 200:
                return answer
            await asyncio.sleep(0.2)
    return answer


async def test_whole_day_over_http(command: list[str], environment: dict[str, str], mode: str) -> None:
    async with http(command, environment) as address, Client(f"{address}/mcp", mode=mode) as client:
        agent = Agent(client, await client.list_tools())
        saved = await agent("save_context", content="over http", id="one")
        assert saved["snapshot"]["author"]
        chain = await agent("build_causal_chain", snapshotId="one")
        assert chain["length"] == 1
        hits = await agent("search_context", query="http")
        assert [hit["id"] for hit in hits["hits"]] == ["one"]


async def test_five_agents_in_one_project(command: list[str], environment: dict[str, str], project: str) -> None:
    names = ["ada", "bob", "cyd", "dan", "eve"]

    async def day(address: str, name: str) -> None:
        async with Client(f"{address}/mcp") as client:
            agent = Agent(client, await client.list_tools())
            page = await agent("resume_work", author=name)
            assert page["project"] == project
            last = "start"
            for hour in range(4):
                saved = await agent(
                    "save_context",
                    content=f"{name} hour {hour}",
                    causedBy=[last],
                    author=name,
                    session=f"{name}-day",
                    actionType="decision" if hour == 3 else "file_edit",
                )
                last = saved["snapshot"]["id"]
            chain = await agent("build_causal_chain", snapshotId=last)
            assert chain["length"] == 5

    async with http(command, environment) as address:
        async with Client(f"{address}/mcp") as client:
            agent = Agent(client, await client.list_tools())
            await agent("save_context", content="begin", id="start", author="ada")
        await asyncio.gather(*(day(address, name) for name in names))
        # An agent that lost its context: one call tells it where it was, what is open, and what others did.
        async with Client(f"{address}/mcp") as client:
            agent = Agent(client, await client.list_tools())
            page = await agent("resume_work", author="bob")
            assert len(page["chain"]) == 5
            assert len(page["openDecisions"]) == 5
            assert len(page["text"]) <= 8_000
            assert "bob hour 3" in page["text"]
            assert (await agent("get_causality_stats"))["snapshots"] == 21


async def test_host_and_origin_are_checked(command: list[str], environment: dict[str, str]) -> None:
    """F48"""
    async with http(command, environment) as address, httpx2.AsyncClient(headers=HEADERS, timeout=30) as client:

        async def code(**headers: str) -> int:
            return (await client.post(f"{address}/mcp", json=BODY, headers=headers)).status_code

        port = address.rpartition(":")[2]
        assert await code() == 200
        assert await code(Host=f"[::1]:{port}") == 200
        assert await code(Host=f"localhost:{port}", Origin=f"http://localhost:{port}") == 200
        assert await code(Host="attacker.com") in {403, 421}
        assert await code(Origin="http://evil.example") == 403
        assert await code(Origin="null") == 403


def test_other_addresses_need_tokens(command: list[str], environment: dict[str, str]) -> None:
    """F48"""
    environment["WAKEGRAPH_HTTP_TOKEN"] = ""  # what compose passes on when none is set
    for host in ("0.0.0.0", "192.168.1.5", "example.org"):
        done = subprocess.run(
            [*command, "serve", "--http", "--host", host], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "needs tokens" in done.stderr


@pytest.fixture
async def tokens(command: list[str], environment: dict[str, str], tmp_path: Path) -> AsyncIterator[dict[str, str]]:
    file, made = tmp_path / "tokens", {}
    lines = ["# tokens of the test"]
    for name, words in {"reader": ["--scope", "read"], "writer": ["--scope", "read", "--scope", "write"]}.items():
        done = subprocess.run(
            [*command, "token", name, *words, "--json"], env=environment, capture_output=True, check=True
        )
        answer = json.loads(done.stdout)
        made[name], line = answer["token"], answer["line"]
        lines.append(line)
    file.write_text("\n".join(lines), encoding="utf-8")
    environment["WAKEGRAPH_HTTP_TOKENS"] = str(file)
    yield made
    assert not set(made.values()) & set(file.read_text(encoding="utf-8").split('"'))


async def test_bearer_tokens(
    command: list[str], environment: dict[str, str], tokens: dict[str, str], project: str
) -> None:
    async with http(command, environment, "--host", "127.0.0.1") as address:
        async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as client:
            assert (await client.post(f"{address}/mcp", json=BODY)).status_code == 401
            wrong = {"Authorization": "Bearer wg_wrong"}
            assert (await client.post(f"{address}/mcp", json=BODY, headers=wrong)).status_code == 401
            assert (await client.get(f"{address}/health")).json() == {"status": "ok"}
            assert (await client.get(f"{address}/metrics")).status_code == 401
            right = {"Authorization": f"Bearer {tokens['reader']}"}
            assert "python_info" in (await client.get(f"{address}/metrics", headers=right)).text
        transport = StreamableHttpTransport(f"{address}/mcp", auth=tokens["writer"])
        async with Client(transport) as connected:
            agent = Agent(connected, await connected.list_tools())
            saved = await agent("save_context", content="x", author="mallory")
            assert saved["snapshot"]["author"] == "writer"
            assert "delete_context" not in agent.tools
        transport = StreamableHttpTransport(f"{address}/mcp", auth=tokens["reader"])
        async with Client(transport) as connected:
            agent = Agent(connected, await connected.list_tools())
            assert "save_context" not in agent.tools
            assert "needs the scope write" in await agent.error("save_context", content="x")
            assert (await agent("load_context"))["project"] == project


async def test_json_web_tokens(
    command: list[str], environment: dict[str, str], project: str, other_project: str
) -> None:
    from fastmcp.server.auth.providers.jwt import RSAKeyPair
    from joserfc.jwk import RSAKey

    pair = RSAKeyPair.generate()
    key = RSAKey.import_key(pair.public_key).as_dict(private=False)
    keys = json.dumps({"keys": [{**key, "kid": "k1", "use": "sig", "alg": "RS256"}]}).encode()

    async def serve_keys(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n" % len(keys) + keys)
        await writer.drain()
        writer.close()

    port = free_port()
    server = await asyncio.start_server(serve_keys, "127.0.0.1", port)
    environment |= {
        "WAKEGRAPH_JWT_JWKS_URI": f"http://127.0.0.1:{port}/keys",
        "WAKEGRAPH_JWT_ISSUER": "https://issuer.example",
        "WAKEGRAPH_JWT_AUDIENCE": "wakegraph",
    }

    def made(**changes: Any) -> str:
        values: dict[str, Any] = {
            "subject": "carol",
            "issuer": "https://issuer.example",
            "audience": "wakegraph",
            "scopes": ["read", "write"],
            "additional_claims": {"projects": [project]},
            "kid": "k1",
        }
        return str(pair.create_token(**{**values, **changes}))

    async with server, http(command, environment) as address:
        async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as client:
            for bad in (
                made(issuer="https://other.example"),
                made(audience="somebody"),
                made(expires_in_seconds=-60),
                made()[:-6] + "AAAAAA",
            ):
                answer = await client.post(f"{address}/mcp", json=BODY, headers={"Authorization": f"Bearer {bad}"})
                assert answer.status_code == 401
        async with Client(StreamableHttpTransport(f"{address}/mcp", auth=made())) as connected:
            agent = Agent(connected, await connected.list_tools())
            saved = await agent("save_context", content="x")
            assert saved["snapshot"]["author"] == "carol"
            assert other_project not in await agent.error("load_context", project=other_project[:-3])
            assert [item["project"] for item in (await agent("list_projects"))["projects"]] == [project]


async def test_limits(command: list[str], environment: dict[str, str]) -> None:
    environment |= {"WAKEGRAPH_HTTP_MAX_BODY_MB": "1", "WAKEGRAPH_HTTP_RATE": "1", "WAKEGRAPH_HTTP_BURST": "5"}
    async with http(command, environment) as address:
        async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as client:
            large = {**BODY, "params": {**INITIALIZE, "padding": "x" * 1_100_000}}
            assert (await client.post(f"{address}/mcp", json=large)).status_code == 413

            async def parts() -> AsyncIterator[bytes]:
                for _ in range(20):
                    yield b"x" * 100_000

            assert (await client.post(f"{address}/mcp", content=parts())).status_code == 413
        async with Client(f"{address}/mcp", mode="legacy") as client_:
            answers = [client_.list_tools() for _ in range(20)]
            # All are waited for: a client that goes while calls are under way is logged by the library.
            refused = [
                item for item in await asyncio.gather(*answers, return_exceptions=True) if not isinstance(item, list)
            ]
            assert refused
            assert all("rate limit" in str(item).lower() for item in refused)


async def test_ready_tells_when_the_database_goes(
    command: list[str], environment: dict[str, str], project: str
) -> None:
    """F06"""
    from urllib.parse import urlsplit

    target = urlsplit(environment["WAKEGRAPH_NEO4J_URI"])
    proxy = Proxy((target.hostname or "", target.port or 7687), free_port())
    await proxy.up()
    environment |= {"WAKEGRAPH_NEO4J_URI": f"bolt://127.0.0.1:{proxy.port}", "WAKEGRAPH_RETRY_TIME": "1"}
    async with http(command, environment) as address, httpx2.AsyncClient(timeout=30) as client:
        assert (await eventually_ready(address)).json() == {"status": "ready"}
        async with Client(f"{address}/mcp") as connected:
            await proxy.down()
            failed = await connected.call_tool("save_context", {"content": "x"}, raise_on_error=False)
            assert failed.is_error
            answer = await client.get(f"{address}/ready")
            assert answer.status_code == 503
            assert str(proxy.port) not in answer.text
            assert (await client.get(f"{address}/health")).status_code == 200
            await proxy.up()
            assert (await eventually_ready(address)).status_code == 200
            text = (await client.get(f"{address}/metrics")).text
            assert 'wakegraph_tool_calls_total{outcome="error",tool="save_context"} 1.0' in text
            assert "wakegraph_database_up 1.0" in text
    await proxy.down()
