"""browser, view."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import webbrowser
from typing import Annotated

from cyclopts import Parameter

from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.session import opened
from wakegraph.errors import InvalidInputError

__all__ = ["view"]

NoOpen = Annotated[bool, Parameter(name="--no-open", negative=(), show_default=False, help="Only print the address.")]


async def view(
    id: Annotated[  # noqa: A002
        str | None, Parameter(name="id", help="A snapshot to look at; by default the whole project.")
    ] = None,
    /,
    *,
    no_open: NoOpen = False,
    port: Annotated[int, Parameter(help="Port on loopback; 0 for any that is free.")] = 0,
    options: Options = OPTIONS,
) -> None:
    """Serve the page on loopback and open it, until interrupted."""
    import uvicorn

    from wakegraph.view.local import LocalPage, bind

    async with opened(options) as cli:
        page = LocalPage(cli.wake, cli.caller)
        key = None
        if id is not None:
            key = (await cli.wake.snapshots.get([id], project=cli.project, caller=cli.caller))[0].ref
        try:
            listener = bind(port)
        except OSError as error:
            raise InvalidInputError(f"port {port} cannot be used: {error.strerror}; --port 0 takes any") from None
        address = page.address(listener.getsockname()[1], project=cli.project, id=key)
        cli.output.show({"address": address}, lambda _, output: output.verbatim(address))
        sys.stdout.flush()
        config = uvicorn.Config(
            page.app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=2
        )
        server = uvicorn.Server(config)
        if not no_open:
            await asyncio.to_thread(webbrowser.open, address)
        with contextlib.suppress(asyncio.CancelledError):
            await server.serve(sockets=[listener])
