"""The server itself. What it offers is built on the first request for it, so that nothing delays the handshake."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastmcp import FastMCP
from fastmcp.exceptions import NotFoundError, ToolError
from fastmcp.server.middleware import Middleware, MiddlewareContext
from fastmcp.server.providers import Provider

from wakegraph import __version__
from wakegraph.mcp.database import Database
from wakegraph.mcp.instructions import INSTRUCTIONS
from wakegraph.mcp.options import ServerOptions

if TYPE_CHECKING:
    from fastmcp.prompts import Prompt
    from fastmcp.resources import Resource, ResourceTemplate
    from fastmcp.tools import Tool
    from fastmcp.utilities.components import FastMCPComponent
    from fastmcp.utilities.versions import VersionSpec

    from wakegraph.app import Wakegraph
    from wakegraph.engine import Progress
    from wakegraph.mcp.catalogue import Catalogue

__all__ = ["WakegraphServer", "create_server"]

_QUEUE = 10.0


class WakegraphServer(FastMCP[Any]):
    """An MCP server with the database behind it."""

    database: Database


def create_server(
    wake: Wakegraph | Callable[[Callable[[Progress], None]], Wakegraph], options: ServerOptions | None = None
) -> WakegraphServer:
    """Make an MCP server on a memory.

    Args:
        wake: the memory, which stays the caller's to close; or a function that makes one, for a server that owns it.
        options: what the server offers.

    Returns:
        The server; run it, or hand it to a client in the same process.
    """
    chosen = options or ServerOptions()
    owned = callable(wake)
    database = Database(wake if callable(wake) else lambda _: wake, wait=chosen.wait)

    @asynccontextmanager
    async def lifespan(_: FastMCP[Any]) -> AsyncIterator[dict[str, Any]]:
        if chosen.eager:
            database.begin()
        try:
            yield {}
        finally:
            if owned:
                await database.close()

    provider = _Catalogued(database, chosen)
    server = WakegraphServer(
        "wakegraph",
        instructions=INSTRUCTIONS,
        version=__version__,
        lifespan=lifespan,
        auth=chosen.auth,
        providers=[provider],
        middleware=[_Gate(database, provider, chosen)],
        mask_error_details=True,
        dereference_schemas=False,
        resource_security=None,  # ids are keys of the graph, not paths
    )
    if chosen.rate is not None:
        server.add_middleware(_rate_limit(chosen.rate, chosen.burst))
    server.add_completion_handler(provider.complete)
    server.database = database
    return server


class _Catalogued(Provider):
    """Everything the server offers, imported and built when it is first asked for."""

    def __init__(self, database: Database, options: ServerOptions) -> None:
        super().__init__()
        self._database = database
        self._options = options
        self._built: Catalogue | None = None
        self._building = asyncio.Lock()

    async def catalogue(self) -> Catalogue:
        if self._built is None:
            async with self._building:
                if self._built is None:
                    self._built = await asyncio.to_thread(self._build)
        return self._built

    def _build(self) -> Catalogue:
        from wakegraph.mcp.catalogue import Catalogue

        return Catalogue(self._database, self._options)

    async def complete(self, reference: Any, argument: Any, context: Any) -> list[str]:
        return await (await self.catalogue()).complete(reference, argument, context)

    async def get_tasks(self) -> Sequence[FastMCPComponent]:
        """None: the library asks at the start, and must not have everything built for that."""
        return []

    async def _list_tools(self) -> Sequence[Tool]:
        return list((await self.catalogue()).tools.values())

    async def _get_tool(self, name: str, version: VersionSpec | None = None) -> Tool | None:
        del version
        return (await self.catalogue()).tools.get(name)

    async def _list_resources(self) -> Sequence[Resource]:
        return (await self.catalogue()).resources

    async def _list_resource_templates(self) -> Sequence[ResourceTemplate]:
        return (await self.catalogue()).templates

    async def _list_prompts(self) -> Sequence[Prompt]:
        return (await self.catalogue()).prompts


class _Gate(Middleware):
    """Around every message: bring the database up, bound what runs at once, count, explain what is missing."""

    def __init__(self, database: Database, provider: _Catalogued, options: ServerOptions) -> None:
        self._database = database
        self._provider = provider
        self._options = options
        self._places = None if options.concurrency is None else asyncio.Semaphore(options.concurrency)

    async def on_message(
        self, context: MiddlewareContext[Any], call_next: Callable[[MiddlewareContext[Any]], Awaitable[Any]]
    ) -> Any:
        try:
            return await call_next(context)
        finally:
            # The handshake is answered first: what follows imports a lot.
            asyncio.get_running_loop().call_later(0.05, self._database.begin)

    async def on_call_tool(
        self, context: MiddlewareContext[Any], call_next: Callable[[MiddlewareContext[Any]], Awaitable[Any]]
    ) -> Any:
        from wakegraph.mcp import metrics

        name, started, outcome = context.message.name, time.monotonic(), "error"
        await self._take_place(name)
        try:
            result = await call_next(context)
            outcome = "ok"
        except NotFoundError:
            catalogue = await self._provider.catalogue()
            raise ToolError(catalogue.why_missing(name)) from None
        else:
            return result
        finally:
            if self._places is not None:
                self._places.release()
            metrics.count(name, outcome, time.monotonic() - started)

    async def _take_place(self, name: str) -> None:
        """Wait for the turn of a call, where a number of them run at once."""
        from wakegraph.mcp import metrics

        if self._places is None:
            return
        try:
            async with asyncio.timeout(_QUEUE):
                await self._places.acquire()
        except TimeoutError:
            metrics.count(name, "refused", 0.0)
            raise ToolError(
                f"{self._options.concurrency} calls are in progress already and no place became free: "
                "try again in a second"
            ) from None


def _rate_limit(rate: float, burst: int) -> Middleware:
    from fastmcp.server.dependencies import get_access_token, get_http_request
    from fastmcp.server.middleware.rate_limiting import RateLimitingMiddleware

    def client(_: MiddlewareContext[Any]) -> str:
        token = get_access_token()
        if token is not None:
            return f"token {token.client_id}"
        address = get_http_request().client
        return f"address {address.host if address else '?'}"

    return RateLimitingMiddleware(max_requests_per_second=rate, burst_capacity=burst, get_client_id=client)
