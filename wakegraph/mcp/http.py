"""Serving over HTTP: the protocol at /mcp, the page at /view, and /health, /ready and /metrics beside them."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import signal
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from wakegraph.errors import ConfigurationError, WakegraphError
from wakegraph.mcp import metrics
from wakegraph.mcp.call import caller_from_token
from wakegraph.models import Caller
from wakegraph.view import routes

if TYPE_CHECKING:
    from fastmcp.server.auth import AccessToken
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from wakegraph.mcp.server import WakegraphServer
    from wakegraph.settings import Settings

__all__ = ["http_app", "is_loopback", "serve_http"]

logger = logging.getLogger(__name__)

_PATIENCE = 3.0


def is_loopback(host: str) -> bool:
    """Whether an address to bind to can only be reached from this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def http_app(server: WakegraphServer, settings: Settings, host: str) -> Starlette:
    """The web application of a server.

    Args:
        server: the server, with its verifiers when it has any.
        settings: limits, and the hosts and origins to accept besides those of this machine.
        host: the address it will be bound to.

    Raises:
        ConfigurationError: the address can be reached from other machines and nobody would be asked for a token.
    """
    if server.auth is None and not is_loopback(host):
        raise ConfigurationError(
            f"{host} can be reached from other machines, so it needs tokens: set WAKEGRAPH_HTTP_TOKENS to a file made "
            "with `wakegraph token`, or WAKEGRAPH_HTTP_TOKEN, or the WAKEGRAPH_JWT settings; or bind to 127.0.0.1"
        )
    _add_routes(server, open_metrics=server.auth is None)
    app = server.http_app(
        path="/mcp",
        middleware=[Middleware(_BodyLimit, limit=settings.http_max_body_mb * 1_000_000)],
        host_origin_protection=True,
        allowed_hosts=[*_listed(settings.http_allowed_hosts), *([host] if is_loopback(host) else [])],
        allowed_origins=_listed(settings.http_allowed_origins),
    )
    app.router.routes.extend(routes(partial(server.database.ready, _silent), partial(_caller, server)))
    return app


def serve_http(server: WakegraphServer, settings: Settings, host: str, port: int) -> None:
    """Serve until SIGTERM or SIGINT."""
    import uvicorn

    app = http_app(server, settings, host)
    for number in (signal.SIGTERM, signal.SIGINT):
        # uvicorn closes in order on a signal and then raises it once more: that end is in order, too.
        signal.signal(number, lambda *_: None)
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_level=settings.log_level.lower(),
        access_log=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=4 * settings.http_concurrency,
        server_header=False,
        lifespan="on",
    )


def _listed(text: str | None) -> list[str]:
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def _add_routes(server: WakegraphServer, *, open_metrics: bool) -> None:
    @server.custom_route("/health", methods=["GET"])
    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    @server.custom_route("/ready", methods=["GET"])
    async def ready(_: Request) -> Response:
        problem = await _problem(server)
        metrics.set_database(problem is None)
        if problem is None:
            return JSONResponse({"status": "ready"})
        return JSONResponse({"status": "not ready", "reason": problem}, status_code=503)

    @server.custom_route("/metrics", methods=["GET"])
    async def figures(request: Request) -> Response:
        if not open_metrics and not await _has_token(server, request):
            return PlainTextResponse(
                "a bearer token is needed\n", status_code=401, headers={"WWW-Authenticate": "Bearer"}
            )
        return Response(metrics.exposed(), media_type="text/plain; version=0.0.4; charset=utf-8")


async def _problem(server: WakegraphServer) -> str | None:
    """What keeps the server from working, without a name or address; None when nothing does."""
    database = server.database
    try:
        async with asyncio.timeout(_PATIENCE):
            wake = await database.now()
            await wake.graph.read("schema/ping")
            if database.write_error is not None and not wake.settings.read_only:
                await wake.graph.write("mcp/write_probe")
                database.write_error = None
    except (WakegraphError, TimeoutError) as error:
        logger.info("not ready: %s", error)
        return "the last write failed" if database.write_error is not None else "the database is not up"
    return None


async def _caller(server: WakegraphServer, request: Request) -> Caller | None:
    """Who asks for the data of the page: the owner of the token, or the local user where no tokens are asked for."""
    if server.auth is None:
        return Caller()
    access = await _access(server, request)
    return None if access is None else caller_from_token(access)


async def _silent(_waited: float, _most: float, _state: str) -> None:
    """The page has no place for progress: it waits for its answer."""


async def _has_token(server: WakegraphServer, request: Request) -> bool:
    return await _access(server, request) is not None


async def _access(server: WakegraphServer, request: Request) -> AccessToken | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or server.auth is None:
        return None
    return await server.auth.verify_token(token.strip())


class _BodyLimit:
    """Refuses requests whose body is larger than a limit, whether or not they say so."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._limit:
            await self._refuse(scope, receive, send)
            return
        body = await self._read(receive)
        if body is None:
            await self._refuse(scope, receive, send)
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _read(self, receive: Receive) -> bytes | None:
        parts, used = [], 0
        while True:
            message = await receive()
            part = message.get("body", b"")
            used += len(part)
            if used > self._limit:
                return None
            parts.append(part)
            if message["type"] == "http.disconnect" or not message.get("more_body", False):
                return b"".join(parts)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        text = f"the request is larger than {self._limit:,} bytes\n"
        await PlainTextResponse(text, status_code=413)(scope, receive, send)


def _replayed(body: bytes, receive: Receive) -> Callable[[], Awaitable[Message]]:
    waiting: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
