"""The stdio server as a process."""

from __future__ import annotations

import asyncio
import signal
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from tests.mcp.conftest import Agent
from tests.mcp.processes import Proxy, free_port, stdio
from wakegraph.mcp.stdio import without_lone_surrogates

pytestmark = [pytest.mark.db, pytest.mark.process]


async def test_whole_surface_over_a_process(
    command: list[str], environment: dict[str, str], mode: str, project: str
) -> None:
    transport = StdioTransport(command[0], [*command[1:], "serve"], env=environment, keep_alive=False)
    async with Client(transport, mode=mode) as client:
        agent = Agent(client, await client.list_tools())
        await agent("save_context", content="first", id="first", actionType="decision", rationale="why not")
        await agent("save_context", content="second", id="second", causedBy="first")
        calls: dict[str, dict[str, Any]] = {
            "delete_context": {"id": "second"},
            "query_graph": {"cypher": "RETURN 1 AS one"},
            "search_context": {"query": "first"},
            "recalculate_memory_tiers": {"project": project},
        }
        for name, tool in agent.tools.items():
            if name == "save_context":
                continue
            needed = {key: ["second"] if key == "ids" else "second" for key in tool.input_schema.get("required", [])}
            extra = {"summary": "s"} if name == "update_context" else {}
            extra |= {"dependsOn": ["first"]} if name == "link_contexts" else {}
            extra |= {"snapshotId": "second"} if name == "reconstruct_reasoning" else {}
            await agent(name, **{**needed, **extra, **calls.get(name, {})})
        assert (await agent("get_context", ids=["second"]))["snapshots"][0]["author"]


async def test_stdout_holds_messages_only(command: list[str], environment: dict[str, str]) -> None:
    """F41, F23"""
    noisy = {**environment, "WAKEGRAPH_LOG_LEVEL": "DEBUG", "PYTHONWARNINGS": "default", "LC_ALL": "C"}
    noisy["PYTHONIOENCODING"] = "cp1252"
    text = "Grüße \N{PARTY POPPER} 漢字 \u200f\u05d0 e\u0301 \r\n end"
    async with stdio(command, noisy) as server:
        await server.handshake()
        assert len((await server.ask("tools/list"))["result"]["tools"]) == 22
        saved = await server.call("save_context", content=text, id="odd")
        assert not saved["isError"], saved
        read = await server.call("get_context", ids=["odd"])
        assert read["structuredContent"]["snapshots"][0]["content"] == text
        for bad in ("a\x00b", "a\ud83d"):
            assert server.process.stdin is not None
            escaped = bad.encode("unicode_escape").decode().replace("\\x", "\\u00")
            body = '{"jsonrpc":"2.0","id":"x%d","method":"tools/call","params":{"name":"save_context",'
            body += '"arguments":{"content":"%s"}}}'
            server.process.stdin.write((body % (ord(bad[-1]), escaped) + "\n").encode())
        refused = {}
        while len(refused) < 2:
            message = await server.read()
            assert message is not None
            refused[message.get("id")] = message["result"]["content"][0]["text"]
        assert "NUL character" in refused["x98"]
        assert "surrogate pair" in refused["x55357"]
        server.process.stdin.write(b"this is no message\n")
        again = await server.call("get_context", ids=["odd"])
        assert not again["isError"]
        server.process.stdin.close()
        await server.drained()
        assert await asyncio.wait_for(server.process.wait(), 10) == 0


@pytest.mark.parametrize(
    ("given", "right"),
    [
        (rb'"\ud83d"', rb'"\u0000"'),
        (rb'"\ud83d\ude00 \uDE00"', rb'"\ud83d\ude00 \u0000"'),
        (rb'"\\ud83d \\\ud83d \n\u00e9"', rb'"\\ud83d \\\u0000 \n\u00e9"'),
        (rb'"\ud83d\ud83d\ude00"', rb'"\u0000\ud83d\ude00"'),
        (b'"plain"', b'"plain"'),
    ],
)
def test_half_of_a_surrogate_pair_becomes_what_is_refused(given: bytes, right: bytes) -> None:
    """F23"""
    assert without_lone_surrogates(given) == right


@pytest.mark.parametrize("end", ["eof", "term", "int", "eof during a call"])
async def test_every_end_is_clean(command: list[str], environment: dict[str, str], end: str) -> None:
    """F43"""
    async with stdio(command, environment) as server:
        await server.handshake()
        await server.call("load_context")
        assert server.process.stdin is not None
        if end == "eof during a call":
            slow = "UNWIND range(1, 100000000) AS i WITH i, rand() AS r RETURN sum(r)"
            server.send(
                {"id": 99, "method": "tools/call", "params": {"name": "query_graph", "arguments": {"cypher": slow}}}
            )
            await asyncio.sleep(1)
        if end.startswith("eof"):
            server.process.stdin.close()
        else:
            server.process.send_signal(signal.SIGTERM if end == "term" else signal.SIGINT)
        assert await asyncio.wait_for(server.process.wait(), 8) == 0
        await server.drained()


async def test_no_input_at_all(command: list[str], environment: dict[str, str]) -> None:
    """F43"""
    process = await asyncio.create_subprocess_exec(
        *command, "serve", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, env=environment
    )
    out, _ = await asyncio.wait_for(process.communicate(), 40)
    assert (process.returncode, out) == (0, b"")


async def test_two_servers_lose_nothing(command: list[str], environment: dict[str, str], modern: Agent) -> None:
    """F02"""
    await modern("save_context", content="shared", id="shared")
    async with stdio(command, environment) as one, stdio(command, environment) as two:
        for server in (one, two):
            await server.handshake()
        numbers: list[tuple[Any, int]] = []
        for name, server in (("one", one), ("two", two)):
            for n in range(20):
                number = 1000 + n
                arguments = {"content": f"{name} {n}", "id": f"{name}-{n}", "detectDependencies": False}
                server.send(
                    {"id": number, "method": "tools/call", "params": {"name": "save_context", "arguments": arguments}}
                )
                numbers.append((server, number))
            for n in range(50):
                number = 2000 + n
                arguments = {"ids": ["shared"]}
                server.send(
                    {"id": number, "method": "tools/call", "params": {"name": "get_context", "arguments": arguments}}
                )
                numbers.append((server, number))
        for server in (one, two):
            wanted = {number for which, number in numbers if which is server}
            while wanted:
                message = await server.read()
                assert message is not None
                if message.get("id") in wanted:
                    assert not message["result"]["isError"], message
                    wanted.discard(message["id"])
    assert (await modern("get_memory_stats"))["total"] == 41
    assert (await modern("get_context", ids=["shared"]))["snapshots"][0]["accessCount"] == 100


async def test_acknowledged_write_survives_kill(command: list[str], environment: dict[str, str], modern: Agent) -> None:
    """F06"""
    async with stdio(command, environment) as server:
        await server.handshake()
        answer = await server.call("save_context", content="kept", id="kept")
        assert not answer["isError"]
        server.process.kill()
    assert (await modern("get_context", ids=["kept"]))["snapshots"][0]["content"] == "kept"


async def test_database_down_comes_up_and_goes_again(command: list[str], environment: dict[str, str]) -> None:
    """F50, F06"""
    target = urlsplit(environment["WAKEGRAPH_NEO4J_URI"])
    proxy = Proxy((target.hostname or "", target.port or 7687), free_port())
    address = f"bolt://127.0.0.1:{proxy.port}"
    async with stdio(command, {**environment, "WAKEGRAPH_NEO4J_URI": address, "WAKEGRAPH_RETRY_TIME": "2"}) as server:
        await server.handshake()
        assert len((await server.ask("tools/list"))["result"]["tools"]) == 22
        server.send(
            {
                "id": "first",
                "method": "tools/call",
                "params": {"name": "load_context", "arguments": {}, "_meta": {"progressToken": "p"}},
            }
        )
        await asyncio.sleep(3)
        await proxy.up()
        while (message := await server.read()) is not None and message.get("id") != "first":
            assert message["method"] == "notifications/progress"
        assert message is not None
        assert not message["result"]["isError"], message
        assert any(line.get("method") == "notifications/progress" for line in server.lines)
        await proxy.down()
        failed = await server.call("save_context", content="lost", id="lost")
        assert failed["isError"]
        assert address in failed["content"][0]["text"]
        assert environment["WAKEGRAPH_NEO4J_PASSWORD"] not in str(server.lines)
        await proxy.up()
        read = await server.call("load_context")
        assert not read["isError"], read
        await proxy.down()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"WAKEGRAPH_NEO4J_PASSWORD": "wrong-password"}, "refused the user name or password"),
        ({"WAKEGRAPH_NEO4J_DATABASE": "nowhere"}, "has no database 'nowhere'"),
    ],
)
async def test_wrong_connection_is_said_at_once(
    command: list[str], environment: dict[str, str], change: dict[str, str], expected: str
) -> None:
    """F50"""
    async with stdio(command, {**environment, **change}) as server:
        await server.handshake()
        for _ in range(2):
            answer = await server.call("load_context")
            assert expected in answer["content"][0]["text"]


@pytest.mark.parametrize("value", ["true", "1", "yes", "TRUE"])
async def test_read_only_from_the_environment(command: list[str], environment: dict[str, str], value: str) -> None:
    """F18"""
    async with stdio(command, {**environment, "WAKEGRAPH_READ_ONLY": value}) as server:
        await server.handshake()
        tools = {tool["name"] for tool in (await server.ask("tools/list"))["result"]["tools"]}
        assert not tools & {"save_context", "link_contexts", "update_context", "delete_context", "update_predictions"}


async def test_unreadable_setting_is_an_error(command: list[str], environment: dict[str, str]) -> None:
    """F18"""
    process = await asyncio.create_subprocess_exec(
        *(*command, "serve"),
        env={**environment, "WAKEGRAPH_READ_ONLY": "maybe"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, error = await process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert b"WAKEGRAPH_READ_ONLY" in error
