"""setup, engine start, engine stop, engine status, engine logs."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from pydantic import Field

from wakegraph import engine
from wakegraph.app import engine_config
from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.output import Output, size
from wakegraph.cli.progress import engine_progress
from wakegraph.cli.schema import show_schema
from wakegraph.cli.session import command_settings, opened
from wakegraph.errors import NotFoundError
from wakegraph.models import Model

__all__ = ["EngineReport", "logs", "report", "setup", "start", "status", "stop"]


class EngineReport(Model):
    """The local engine as it is now."""

    state: str
    home: str
    uri: str | None = None
    browser_url: str | None = None
    username: str | None = None
    password: str | None = Field(None, description="only when asked for")
    database: str | None = None
    version: str | None = None
    pid: int | None = None
    uptime_seconds: float | None = None
    data_bytes: int
    disk_free_bytes: int
    log_path: str
    message: str = ""


class EngineLog(Model):
    """The last lines of the engine's log."""

    path: str
    lines: list[str]


async def setup(*, options: Options = OPTIONS) -> None:
    """Make the database ready: the local Neo4j is fetched and started, or the one that is set is prepared."""
    async with opened(options) as cli:
        prepared = await cli.wake.schema_report()
        local = cli.wake.settings.neo4j_uri is None
    if local:
        Output(options).show(await report(show_password=False), _shown)
    else:
        Output(options).show(prepared, show_schema)


async def start(*, options: Options = OPTIONS) -> None:
    """Start the local Neo4j."""
    settings = command_settings()
    with engine_progress() as on_progress:
        await engine.ensure(engine_config(settings), on_progress)
    Output(options).show(await report(show_password=False), _shown)


async def stop(*, options: Options = OPTIONS) -> None:
    """Stop the local Neo4j; what is not running is no error."""
    await engine.stop(engine_config(command_settings()))
    Output(options).show(await report(show_password=False), _shown)


async def status(
    *,
    show_password: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Show the password, for Neo4j Browser.")
    ] = False,
    options: Options = OPTIONS,
) -> None:
    """Say whether the local Neo4j is up; starts nothing."""
    Output(options).show(await report(show_password=show_password), _shown)


async def logs(
    *,
    lines: Annotated[int, Parameter(name=("--lines", "-n"), help="Lines at the most.")] = 50,
    options: Options = OPTIONS,
) -> None:
    """Show the end of the engine's log."""
    config = engine_config(command_settings())
    path = (await engine.status(config)).log_path
    if not path.exists():
        raise NotFoundError(f"there is no log at {path}: the local engine was never started")
    Output(options).show(EngineLog(path=str(path), lines=engine.log_tail(config, lines)), _log)


def _log(found: EngineLog, output: Output) -> None:
    for line in found.lines:
        output.verbatim(line)


async def report(*, show_password: bool) -> EngineReport:
    """The state of the local engine, without starting it."""
    settings = command_settings()
    found = await engine.status(engine_config(settings))
    end = found.endpoint
    return EngineReport(
        state=found.state,
        home=str(settings.home),
        uri=end.uri if end else None,
        browser_url=end.browser_url if end else None,
        username=end.username if end else None,
        password=end.password if end and show_password else None,
        database=end.database if end else None,
        version=end.version if end else None,
        pid=found.pid,
        uptime_seconds=found.uptime,
        data_bytes=found.data_bytes,
        disk_free_bytes=found.disk_free,
        log_path=str(found.log_path),
        message=found.message,
    )


def _shown(found: EngineReport, output: Output) -> None:
    facts = {
        "local engine": found.state,
        "version": found.version,
        "address": found.uri,
        "Neo4j Browser": found.browser_url,
        "user": found.username,
        "password": found.password,
        "process": None if found.pid is None else str(found.pid),
        "home": found.home,
        "data": size(found.data_bytes),
        "disk free": size(found.disk_free_bytes),
        "log": found.log_path,
        "message": found.message,
    }
    output.facts(facts)
