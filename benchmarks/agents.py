"""What an agent waits for over stdio: start-up beside a bare echo server, single calls in a project of some size."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import uuid4

import numpy as np
import psutil
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from benchmarks.latency import percentiles
from wakegraph import Wakegraph

STARTS = 5
CALLS = 100
_ECHO = """
from fastmcp import FastMCP
server = FastMCP("echo")
@server.tool
def echo(text: str) -> str:
    return text
server.run(show_banner=False)
"""


def _environment(wake: Wakegraph) -> dict[str, str]:
    """The database in use, so that the server needs no engine of its own."""
    target = wake.graph.target
    assert target is not None
    return {
        "WAKEGRAPH_NEO4J_URI": target.uri,
        "WAKEGRAPH_NEO4J_USERNAME": target.username,
        "WAKEGRAPH_NEO4J_PASSWORD": target.password,
        **({"WAKEGRAPH_NEO4J_DATABASE": target.database} if target.database else {}),
    }


async def start_up(wake: Wakegraph) -> list[dict[str, Any]]:
    """Medians of handshake, first list of tools, first call and resident memory, in turn with a bare echo server."""
    await wake.graph.ready()
    servers = {
        "echo": (["-c", _ECHO], "echo", {"text": "x"}),
        "wakegraph": (["-m", "wakegraph", "serve"], "list_projects", {}),
    }
    times: dict[str, list[list[float]]] = {name: [] for name in servers}
    for _ in range(STARTS):
        for name, (arguments, tool, given) in servers.items():
            times[name].append(await _started(arguments, tool, given, _environment(wake)))
    columns = ("handshake_s", "tools_list_s", "first_call_s", "resident_mb")
    return [
        {
            "server": name,
            **dict(zip(columns, (round(float(value), 3) for value in np.median(rows, axis=0)), strict=True)),
        }
        for name, rows in times.items()
    ]


async def _started(arguments: list[str], tool: str, given: dict[str, Any], env: dict[str, str]) -> list[float]:
    began = time.perf_counter()
    transport = StdioTransport(sys.executable, arguments, env=env, keep_alive=False)
    async with Client(transport) as client:
        marks = [time.perf_counter()]
        await client.list_tools()
        marks.append(time.perf_counter())
        await client.call_tool(tool, given)
        marks.append(time.perf_counter())
        memory = _server_memory(arguments)
    return [*np.diff([began, *marks]), memory]


def _server_memory(arguments: list[str]) -> float:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if process.cmdline()[1:] == arguments:
                return process.memory_info().rss / 1e6
    return float("nan")


async def stdio_latency(wake: Wakegraph, project: str, size: int) -> list[dict[str, Any]]:
    """Median and 95th percentile of single calls over stdio, in a project of `size` snapshots."""
    rng = np.random.default_rng(5)
    some = [f"s{number:08d}" for number in rng.integers(0, size, CALLS)]
    transport = StdioTransport(
        sys.executable, ["-m", "wakegraph", "serve", "--project", project], env=_environment(wake), keep_alive=False
    )
    async with Client(transport) as client:
        calls: dict[str, Callable[[str], Awaitable[Any]]] = {
            "save_context": lambda name: client.call_tool(
                "save_context", {"content": f"measured {uuid4().hex}", "causedBy": [name]}
            ),
            "get_context": lambda name: client.call_tool("get_context", {"ids": [name]}),
            "search_context": lambda name: client.call_tool("search_context", {"query": name}),
            "build_causal_chain": lambda name: client.call_tool("build_causal_chain", {"id": name, "limit": 10}),
        }
        return [{"snapshots": size, "tool": tool, **await percentiles(call, some)} for tool, call in calls.items()]
