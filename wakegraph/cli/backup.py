"""backup, restore."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from wakegraph.backup.models import BackupResult
from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.output import Output, clean, size
from wakegraph.cli.progress import counting_progress
from wakegraph.cli.session import opened

__all__ = ["backup", "restore"]


async def backup(
    file: Annotated[Path, Parameter(help="The file to write; it appears only when it is complete.")],
    /,
    *,
    options: Options = OPTIONS,
) -> None:
    """Write all projects into one file, or only the one named with --project."""
    async with opened(options) as cli:
        projects = None if cli.project is None else [cli.project]
        with counting_progress("backing up") as on_progress:
            answer = await cli.wake.archive.backup(file, projects=projects, caller=cli.caller, on_progress=on_progress)
        cli.output.show(answer, lambda result, output: _show(result, output, "wrote"))


async def restore(
    file: Annotated[Path, Parameter(help="A file made by `wakegraph backup`.")], /, *, options: Options = OPTIONS
) -> None:
    """Bring back what a backup holds; nothing is written over."""
    async with opened(options) as cli:
        with counting_progress("restoring") as on_progress:
            answer = await cli.wake.archive.restore(file, caller=cli.caller, on_progress=on_progress)
        cli.output.show(answer, lambda result, output: _show(result, output, "restored"))


def _show(result: BackupResult, output: Output, verb: str) -> None:
    output.line(
        f"{verb} {result.snapshots:,} snapshots, {result.links:,} links, {result.references:,} references and "
        f"{result.tombstones:,} tombstones of {len(result.projects)} projects ({size(result.bytes)})"
    )
    for project in result.projects:
        output.line(f"  {clean(project)}")
