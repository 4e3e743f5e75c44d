"""The page for the person at this machine: a server on loopback that only the address printed opens."""

from __future__ import annotations

import hmac
import secrets
import socket
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from wakegraph.models import Caller
from wakegraph.view.web import HEADERS, json_answer, routes

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph

__all__ = ["HOST", "LocalPage", "bind"]

HOST = "127.0.0.1"


def bind(port: int = 0) -> socket.socket:
    """A listening socket on loopback.

    Args:
        port: the port; 0 for any that is free.

    Raises:
        OSError: the port is taken.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError:
        listener.close()
        raise
    listener.listen(128)
    return listener


class LocalPage:
    """The page, for whoever has the code of its address. Addresses end up in histories and process lists, so a code
    is exchanged for a token that never is in an address, and is worth nothing after that.

    Args:
        wake: the memory.
        caller: who looks.
    """

    def __init__(self, wake: Wakegraph, caller: Caller) -> None:
        self._caller = caller
        self._code: str | None = secrets.token_urlsafe(24)
        self._token = secrets.token_urlsafe(32)
        self.app = Starlette(
            routes=[
                Route("/", self._home),
                Route("/view/api/session", self._exchange, methods=["POST"]),
                *routes(wake, self._authorise),
            ],
            middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])],
        )

    def address(self, port: int, *, project: str | None = None, id: str | None = None) -> str:  # noqa: A002
        """The address to open, once.

        Args:
            port: where the server listens.
            project: the project to show.
            id: the snapshot to show, as it was named.
        """
        shown = {"id": id} if id else {"project": project} if project else {}
        state = urlencode({"code": self._code or "", **shown}, quote_via=quote)
        return f"http://{HOST}:{port}/view#{state}"

    async def _home(self, _: Request) -> Response:
        return RedirectResponse("/view", 307, headers=dict(HEADERS))

    async def _exchange(self, request: Request) -> Response:
        given = request.headers.get("x-wakegraph-code", "")
        if self._code is None or not hmac.compare_digest(given.encode(), self._code.encode()):
            return json_answer(
                {"error": "this address was opened before; run `wakegraph view` again for a new one"}, 401
            )
        self._code = None
        return json_answer({"token": self._token})

    async def _authorise(self, request: Request) -> Caller | None:
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        known = kind.lower() == "bearer" and hmac.compare_digest(given.encode(), self._token.encode())
        return self._caller if known else None
