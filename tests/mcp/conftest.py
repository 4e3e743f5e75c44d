"""Fixtures of the MCP tests: servers in memory and in processes, and a checker of every answer."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fastmcp import Client

from wakegraph.app import Wakegraph
from wakegraph.mcp.options import ServerOptions
from wakegraph.mcp.server import WakegraphServer, create_server
from wakegraph.settings import Settings


class Agent:
    """A client that checks every structured answer against the schema published for its tool.

    Attributes:
        client: the client.
        schemas: output schemas by tool.
    """

    def __init__(self, client: Client[Any], tools: list[Any]) -> None:
        self.client = client
        self.schemas = {tool.name: tool.output_schema for tool in tools}
        self.tools = {tool.name: tool for tool in tools}

    async def raw(self, name: str, **arguments: Any) -> Any:
        """The result as it is, error or not."""
        result = await self.client.call_tool(name, arguments, raise_on_error=False)
        if not result.is_error:
            check(self.schemas[name], result.structured_content)
        return result

    async def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that must succeed."""
        result = await self.raw(name, **arguments)
        assert not result.is_error, result.content[0].text
        content: dict[str, Any] = result.structured_content
        return content

    async def text(self, name: str, **arguments: Any) -> str:
        """The text of a call that must succeed."""
        result = await self.raw(name, **arguments)
        assert not result.is_error, result.content[0].text
        return str(result.content[0].text)

    async def error(self, name: str, **arguments: Any) -> str:
        """The line of a call that must fail."""
        result = await self.raw(name, **arguments)
        assert result.is_error, result.structured_content
        line = str(result.content[0].text)
        assert "\n" not in line, line
        return line


def check(schema: dict[str, Any], value: Any) -> None:
    """Validate strictly: formats count, and no field may be there that the schema does not know."""
    validator = jsonschema.Draft202012Validator(
        closed(schema), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    validator.validate(value)


def closed(node: Any) -> Any:
    """The schema with every object that has properties closed to others."""
    if isinstance(node, dict):
        result = {key: closed(value) for key, value in node.items()}
        if "properties" in result and result.get("type") == "object":
            result["additionalProperties"] = False
        return result
    return [closed(item) for item in node] if isinstance(node, list) else node


@asynccontextmanager
async def connected(server: Any, mode: str = "auto", **options: Any) -> AsyncIterator[Agent]:
    async with Client(server, mode=mode, **options) as client:
        yield Agent(client, await client.list_tools())


@pytest.fixture(params=["auto", "legacy"])
def mode(request: pytest.FixtureRequest) -> str:
    """Both eras of the protocol."""
    return str(request.param)


@pytest.fixture
async def serve(settings: Settings) -> AsyncIterator[Callable[..., WakegraphServer]]:
    """Makes servers on the database of the run: `serve(project=..., read_only=..., options=...)`."""
    opened: list[Wakegraph] = []

    def make(options: ServerOptions | None = None, **overrides: Any) -> WakegraphServer:
        wake = Wakegraph(Settings.model_validate({**dict(settings), **overrides}))
        opened.append(wake)
        return create_server(wake, options)

    yield make
    for wake in opened:
        await wake.close()


@pytest.fixture
async def agent(serve: Callable[..., WakegraphServer], project: str, mode: str) -> AsyncIterator[Agent]:
    """A client in memory, in both eras, whose default project is the test's."""
    async with connected(serve(project=project), mode) as agent:
        yield agent


@pytest.fixture
async def modern(serve: Callable[..., WakegraphServer], project: str) -> AsyncIterator[Agent]:
    """A client in memory whose default project is the test's."""
    async with connected(serve(project=project)) as agent:
        yield agent


@pytest.fixture
def environment(settings: Settings, project: str, tmp_path: Path) -> dict[str, str]:
    """The environment of a server process on the database of the run."""
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WAKEGRAPH_", "NEO4J_"))}
    return {
        **kept,
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_USERNAME": settings.neo4j_username,
        "WAKEGRAPH_NEO4J_PASSWORD": password,
        "WAKEGRAPH_NEO4J_DATABASE": settings.neo4j_database or "neo4j",
        "WAKEGRAPH_PROJECT": project,
        "WAKEGRAPH_HOME": str(tmp_path / "home"),
    }


@pytest.fixture
def command() -> list[str]:
    """The program, as a command."""
    return [sys.executable, "-m", "wakegraph"]
