"""The page and its data over HTTP: static files that hold no data, and JSON for those who may read."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wakegraph.errors import (
    AccessDeniedError,
    ConflictError,
    DatabaseError,
    InvalidInputError,
    NotFoundError,
    WakegraphError,
)
from wakegraph.models import Caller, Direction, Model, Scope
from wakegraph.view.service import AROUND, DEPTH, MAX_NODES, View

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph

__all__ = ["HEADERS", "Authorise", "Memory", "json_answer", "routes"]

logger = logging.getLogger(__name__)

Authorise = Callable[[Request], Awaitable[Caller | None]]
"""Who sends a request; None when it does not say so, or wrongly."""

Memory = Callable[[], Awaitable["Wakegraph"]]
"""Gives the memory, its database up."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}

_TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_STATUS: tuple[tuple[type[WakegraphError], int], ...] = (
    (InvalidInputError, 400),
    (NotFoundError, 404),
    (AccessDeniedError, 403),
    (ConflictError, 409),
    (DatabaseError, 503),
)


def routes(memory: Memory | Wakegraph, authorise: Authorise, *, path: str = "/view") -> list[Route]:
    """The routes of the page, for an application of Starlette.

    The page itself holds no data and is served to everybody; it asks for a token when the data needs one.

    Args:
        memory: the memory, or a function that gives it once its database is up.
        authorise: tells who sends a request.
        path: where the page is.
    """

    async def given() -> Wakegraph:
        return memory  # type: ignore[return-value]  # only used where it is not callable

    get_memory: Memory = memory if callable(memory) else given
    data = {
        "projects": _projects,
        "project": _project,
        "around": _around,
        "snapshot": _snapshot,
        "search": _search,
    }
    pages = files("wakegraph") / "view" / "page"
    served = {item.name: item.read_bytes() for item in pages.iterdir() if item.name.rpartition(".")[2] in _TYPES}
    return [
        Route(path, _file("index.html", served), methods=["GET"], name="view"),
        *(
            Route(f"{path}/{name}", _file(name, served), methods=["GET"])
            for name in sorted(served)
            if name != "index.html"
        ),
        *(
            Route(f"{path}/api/{name}", _answer(get_memory, authorise, ask), methods=["GET"])
            for name, ask in data.items()
        ),
    ]


def json_answer(content: Any, status: int = 200) -> Response:
    """A JSON answer with the headers of the page."""
    return JSONResponse(content, status, headers=dict(HEADERS))


def _file(name: str, served: Mapping[str, bytes]) -> Callable[[Request], Awaitable[Response]]:
    response_type = _TYPES[name.rpartition(".")[2]]

    async def serve(_: Request) -> Response:
        return Response(served[name], media_type=response_type, headers=dict(HEADERS))

    return serve


def _answer(
    memory: Memory, authorise: Authorise, ask: Callable[[View, Request, Caller], Awaitable[Model]]
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        caller = await authorise(request)
        if caller is None:
            response = json_answer({"error": "a token is needed to see this"}, 401)
            response.headers["WWW-Authenticate"] = "Bearer"
            return response
        if Scope.READ not in caller.scopes:
            return json_answer({"error": "looking needs the scope read, which this token does not carry"}, 403)
        try:
            found = await ask(View(await memory()), request, caller)
        except WakegraphError as error:
            return json_answer({"error": str(error)}, _status(error))
        except Exception:
            logger.exception("the page could not be answered")
            return json_answer({"error": "this is a defect of wakegraph; its log says more"}, 500)
        body = found.model_dump_json(by_alias=False, exclude_none=True)
        return Response(body, media_type="application/json", headers=dict(HEADERS))

    return answer


def _status(error: WakegraphError) -> int:
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


async def _projects(view: View, _: Request, caller: Caller) -> Model:
    return await view.projects(caller=caller)


async def _project(view: View, request: Request, caller: Caller) -> Model:
    limit = _number(request, "limit", MAX_NODES)
    return await view.project(request.query_params.get("project"), limit=limit, caller=caller)


async def _around(view: View, request: Request, caller: Caller) -> Model:
    return await view.around(
        _required(request, "id"),
        direction=request.query_params.get("direction", Direction.BOTH),
        depth=_number(request, "depth", DEPTH),
        limit=_number(request, "limit", AROUND),
        caller=caller,
    )


async def _snapshot(view: View, request: Request, caller: Caller) -> Model:
    return await view.detail(_required(request, "id"), caller=caller)


async def _search(view: View, request: Request, caller: Caller) -> Model:
    return await view.search(_required(request, "query"), project=request.query_params.get("project"), caller=caller)


def _required(request: Request, name: str) -> str:
    value = request.query_params.get(name)
    if not value:
        raise InvalidInputError(f"{name} is missing from the address")
    return value


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise InvalidInputError(f"{name} {text[:20]!r} is not accepted: use a whole number")
    return int(text)
