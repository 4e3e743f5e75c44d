"""How a server is set up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fastmcp.server.auth import AuthProvider

__all__ = ["ServerOptions"]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What a server offers, and to whom.

    Attributes:
        toolset: `all` tools, or the eight of the `core`.
        read_only: list and accept no tool that writes; count no access.
        auth: verifies bearer tokens; None where every client is the user of this machine.
        eager: bring the database up at once, not after the first message.
        wait: seconds that a call waits for a database that is coming up.
        rate: calls a second that one client may make in the long run; None for no limit.
        burst: calls that one client may make at once.
        concurrency: tool calls in progress at the most, others wait for their turn; None for no limit.
    """

    toolset: Literal["all", "core"] = "all"
    read_only: bool = False
    auth: AuthProvider | None = None
    eager: bool = False
    wait: float = 20.0
    rate: float | None = None
    burst: int = 100
    concurrency: int | None = None
