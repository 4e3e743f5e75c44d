"""browser, view."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from pydantic import Field

from wakegraph.browser.address import browser_address, first_query, guessed_base
from wakegraph.browser.kit import write_kit
from wakegraph.browser.paint import Paint
from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.output import Output
from wakegraph.cli.session import Session, opened
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.models import Model
from wakegraph.settings import Settings

__all__ = ["BrowserReport", "browser", "view"]

_PATIENCE = 3.0

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
        elif cli.project is not None:
            await cli.wake.snapshots.list(project=cli.project, limit=1, caller=cli.caller)  # an unknown one is an error
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


class BrowserReport(Model):
    """Where Neo4j Browser is and how to get in."""

    address: str = Field(description="with the form of the connection and a first query filled in")
    uri: str
    username: str
    password: str | None = Field(None, description="only when asked for")
    database: str | None = None
    guessed: bool = Field(description="the server is not ours: its Browser is taken to be where servers have it")
    answers: bool = Field(description="whether something answers at the address")
    painted: int | None = Field(None, description="snapshots whose labels for the style sheet were brought up to date")
    kit: list[str] = Field(default=[], description="files written")


async def browser(
    *,
    no_open: NoOpen = False,
    show_password: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Print the password of the database too.")
    ] = False,
    kit: Annotated[
        Path | None, Parameter(help="Write the saved queries and the style sheet into this folder, to drop on Browser.")
    ] = None,
    address: Annotated[
        str | None, Parameter(help="Where Neo4j Browser is, for a server that does not have it on its usual port.")
    ] = None,
    no_paint: Annotated[
        bool,
        Parameter(
            name="--no-paint",
            negative=(),
            show_default=False,
            help="Leave the labels alone that the style sheet colours and sizes by.",
        ),
    ] = False,
    unpaint: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Take those labels off the project again.")
    ] = False,
    options: Options = OPTIONS,
) -> None:
    """Open Neo4j Browser on the database in use, with the connection and a first query filled in."""
    async with opened(options) as cli:
        settings = cli.wake.settings
        target = await cli.wake.graph.ready()
        base = address or (await _local_browser(settings) if settings.neo4j_uri is None else guessed_base(target.uri))
        project = await _project_here(cli)
        painted = None
        paint = Paint(cli.wake.graph, settings)
        if project is not None and unpaint:
            await paint.unpaint(project)
        elif project is not None and not no_paint and not settings.read_only:
            painted = await paint.paint(project)
        found = browser_address(
            base, target.uri, username=target.username, database=target.database, query=first_query(project)
        )
        report = BrowserReport(
            address=found,
            uri=target.uri,
            username=target.username,
            password=target.password if show_password else None,
            database=target.database,
            guessed=address is None and settings.neo4j_uri is not None,
            answers=await asyncio.to_thread(_answers, base),
            painted=painted,
            kit=[str(path) for path in write_kit(kit)] if kit else [],
        )
        cli.output.show(report, _show_browser)
    if not no_open and report.answers:
        await asyncio.to_thread(webbrowser.open, found)


async def _local_browser(settings: Settings) -> str:
    from wakegraph import engine
    from wakegraph.app import engine_config

    return (await engine.ensure(engine_config(settings))).browser_url


async def _project_here(cli: Session) -> str | None:
    """The project that is meant, when it has snapshots; one that was named must have them."""
    name = cli.project or cli.wake.settings.project
    known = {info.project for info in await cli.wake.snapshots.projects(caller=cli.caller)}
    if cli.project is not None and cli.project not in known:
        raise NotFoundError(f"there is no project {cli.project!r}: run `wakegraph projects`")
    return name if name in known else None


def _answers(base: str) -> bool:
    """Whether something serves the address. A certificate that only the user's browser may know counts as an answer."""
    import ssl
    import urllib.error
    import urllib.request

    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with urllib.request.urlopen(base, timeout=_PATIENCE, context=context):  # noqa: S310  http or https, see _base
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _show_browser(report: BrowserReport, output: Output) -> None:
    output.verbatim(report.address)
    password = report.password or "run again with --show-password"
    output.facts({"user": report.username, "password": password, "connect to": report.uri, "database": report.database})
    if not report.answers:
        where = "the usual place of a server's Browser" if report.guessed else "that address"
        output.line(f"Nothing answers at {where}: give the right one with --address.")
    for path in report.kit:
        output.verbatim(f"wrote {path}")
    if report.kit:
        output.line("Drop the .zip on the open Browser for the saved queries, then the .grass for the colours.")
    else:
        output.line("Saved queries and colours: run it with --kit FOLDER, then drop the files on the open Browser.")
