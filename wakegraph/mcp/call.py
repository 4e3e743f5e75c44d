"""One call of a tool, resource or prompt: who asks, and with what."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fastmcp.server.context import Context
from fastmcp.server.dependencies import get_access_token

from wakegraph.errors import AccessDeniedError
from wakegraph.mcp.database import Database
from wakegraph.models import Caller, Scope

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph

__all__ = ["PROJECTS_CLAIM", "Call", "caller_from_token", "current_caller", "open_call"]

PROJECTS_CLAIM = "projects"


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler works with.

    Attributes:
        wake: the memory, its database up.
        caller: who asks.
        now: the moment of the call.
        given: the parameters that the caller gave.
        counting: whether what is read counts as accessed.
    """

    wake: Wakegraph
    caller: Caller
    now: datetime
    given: frozenset[str] = frozenset()
    counting: bool = True

    def require(self, scope: Scope, what: str) -> None:
        """Refuse what the caller has no scope for.

        Raises:
            AccessDeniedError: the caller lacks it.
        """
        if scope not in self.caller.scopes:
            raise AccessDeniedError(f"{what} needs the scope {scope.value}, which this token does not carry")


def caller_from_token(token: Any) -> Caller:
    """Who an access token stands for: its subject, its scopes, and the projects it is limited to."""
    claims = token.claims or {}
    projects = claims.get(PROJECTS_CLAIM)
    known = {scope.value for scope in Scope}
    return Caller(
        author=token.subject or claims.get("sub") or token.client_id,
        scopes=frozenset(Scope(name) for name in token.scopes if name in known),
        projects=None if projects is None else frozenset([projects] if isinstance(projects, str) else projects),
        fixed_author=True,
    )


def current_caller(context: Context | None) -> Caller:
    """Who asks: the token's subject, else the user of this machine under the name of the MCP client."""
    token = get_access_token()
    if token is not None:
        return caller_from_token(token)
    return Caller(author=_client_name(context))


async def open_call(
    database: Database, context: Context, given: frozenset[str] = frozenset(), *, counting: bool = True
) -> Call:
    """Begin a call: wait for the database, and find out who asks."""

    async def tell(waited: float, limit: float, state: str) -> None:
        await context.report_progress(waited, limit, state)

    wake = await database.ready(tell)
    return Call(wake, current_caller(context), wake.clock(), given, counting)


def _client_name(context: Context | None) -> str | None:
    if context is None or context.request_context is None:
        return None
    params = context.session.client_params
    return None if params is None else params.client_info.name or None
