"""serve, mcp-config, token.

Nothing is imported here that the handshake of a stdio server need not wait for.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from wakegraph.cli.options import OPTIONS, Options
from wakegraph.settings import Settings, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from wakegraph.app import Wakegraph
    from wakegraph.cli.output import Output
    from wakegraph.engine import Progress
    from wakegraph.mcp.hosts import HostConfig
    from wakegraph.mcp.options import ServerOptions

__all__ = ["mcp_config", "serve", "token"]

Host = Literal["claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini"]
Flag = Parameter(negative=(), show_default=False)


def serve(
    *,
    http: Annotated[bool, Flag, Parameter(help="Serve over HTTP at /mcp instead of stdin and stdout.")] = False,
    host: Annotated[str, Parameter(help="HTTP: address to bind to. Any but loopback needs tokens.")] = "127.0.0.1",
    port: Annotated[int, Parameter(help="HTTP: port.")] = 8321,
    toolset: Annotated[Literal["all", "core"], Parameter(help="All tools, or the eight that agents use most.")] = "all",
    read_only: Annotated[bool, Flag, Parameter(help="Offer no tool that writes; count no access.")] = False,
    project: Annotated[
        str | None, Parameter(name=("--project", "-p"), help="Default project; by default as for every command.")
    ] = None,
) -> None:
    """Serve agents over MCP until the client goes, or SIGTERM or SIGINT arrives."""
    settings = load_settings(project=project, read_only=read_only or None)
    logging.basicConfig(level=settings.log_level, stream=sys.stderr, format="wakegraph: %(levelname)s %(message)s")
    if http:
        _serve_http(settings, toolset, host, port)
    else:
        _serve_stdio(settings, toolset)


def _serve_stdio(settings: Settings, toolset: Literal["all", "core"]) -> None:
    from wakegraph.mcp.options import ServerOptions
    from wakegraph.mcp.server import create_server
    from wakegraph.mcp.stdio import serve_stdio

    options = ServerOptions(toolset=toolset, read_only=settings.read_only)
    _log_plainly()
    serve_stdio(create_server(_opener(settings, Path.cwd()), options))


def _serve_http(settings: Settings, toolset: Literal["all", "core"], host: str, port: int) -> None:
    from wakegraph.mcp.auth import auth_from_settings
    from wakegraph.mcp.http import serve_http
    from wakegraph.mcp.options import ServerOptions
    from wakegraph.mcp.server import create_server

    options: ServerOptions = ServerOptions(
        toolset=toolset,
        read_only=settings.read_only,
        auth=auth_from_settings(settings),
        eager=True,
        rate=settings.http_rate,
        burst=settings.http_burst,
        concurrency=settings.http_concurrency,
    )
    _log_plainly()
    serve_http(create_server(_opener(settings, None), options), settings, host, port)


def _log_plainly() -> None:
    """Let the library log as everything else does, not in colours and at a level of its own."""
    library = logging.getLogger("fastmcp")
    library.handlers.clear()
    library.propagate = True
    library.setLevel(logging.NOTSET)


def _opener(settings: Settings, folder: Path | None) -> Callable[[Callable[[Progress], None]], Wakegraph]:
    """Makes the memory of a server: its default project is that of the folder, where there is one."""

    def opened(on_progress: Callable[[Progress], None]) -> Wakegraph:
        from wakegraph.app import Wakegraph
        from wakegraph.snapshots.naming import default_project

        own = settings.model_copy(update={"project": default_project(settings, folder)})
        return Wakegraph(own, on_progress=on_progress)

    return opened


def mcp_config(
    host: Annotated[Host, Parameter(help="The host of agents.")],
    /,
    *,
    toolset: Annotated[Literal["all", "core"], Parameter(help="The tool set to configure.")] = "all",
    options: Options = OPTIONS,
) -> None:
    """Print what to put where, so that a host of agents starts wakegraph. Nothing is written."""
    from wakegraph.cli.output import Output
    from wakegraph.mcp.hosts import host_config

    settings = load_settings(project=options.project)
    Output(options).show(host_config(host, settings, toolset=toolset), _shown_config)


def _shown_config(config: HostConfig, output: Output) -> None:
    for part in config.parts:
        output.verbatim(f"# {part.where}")
        output.verbatim(part.text)


def token(
    subject: Annotated[str, Parameter(help="Whose it is: the author of what is saved with it.")],
    /,
    *,
    scope: Annotated[
        list[Literal["read", "write", "admin"]] | None, Parameter(help="What it may do; by default read and write.")
    ] = None,
    only: Annotated[list[str] | None, Parameter(help="The only projects it sees; by default all.")] = None,
    options: Options = OPTIONS,
) -> None:
    """Make a bearer token. Give the token to its user, and add the line to the file named by WAKEGRAPH_HTTP_TOKENS."""
    from wakegraph.cli.output import Output
    from wakegraph.mcp.auth import new_token
    from wakegraph.mcp.hosts import NewToken

    secret, grant = new_token(subject, scope or ["read", "write"], only or [])
    Output(options).show(
        NewToken(token=secret, line=grant.line()),
        lambda made, output: output.verbatim(
            f"token (shown once): {made.token}\nline for the token file:\n{made.line}"
        ),
    )
