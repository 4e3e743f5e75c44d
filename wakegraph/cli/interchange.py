"""import jsonl, git, memory-json and sqlite; export jsonl and prov."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from wakegraph.cli.options import OPTIONS, TIMED, Options, Timed
from wakegraph.cli.output import Output, clean, size
from wakegraph.cli.progress import counting_progress
from wakegraph.cli.session import opened
from wakegraph.cli.stdin import STDIN
from wakegraph.errors import InvalidInputError
from wakegraph.interchange.models import (
    ExportResult,
    ImportResult,
    ProvExportResult,
)
from wakegraph.interchange.prov import ProvFormat

__all__ = [
    "export_jsonl",
    "export_prov",
    "import_git",
    "import_jsonl",
    "import_memory_json",
    "import_sqlite",
    "show_import",
]

_SHOWN_NOTES = 20

SkipBad = Annotated[bool, Parameter(negative=(), show_default=False, help="Leave out what is wrong, and list it.")]
AllProjects = Annotated[
    bool, Parameter(name=("--all-projects", "--all"), negative=(), show_default=False, help="All projects.")
]


async def import_jsonl(
    file: Annotated[str, Parameter(help="The file, plain or gzip; `-` reads standard input.")],
    /,
    *,
    skip_bad: SkipBad = False,
    options: Timed = TIMED,
) -> None:
    """Import snapshots; the whole file is checked before anything is written."""
    source = sys.stdin.buffer if file == STDIN else Path(file)
    async with opened(options) as cli:
        with counting_progress("importing") as on_progress:
            answer = await cli.wake.interchange.import_jsonl(
                source,
                project=cli.project,
                skip_bad=skip_bad,
                caller=cli.caller,
                on_progress=on_progress,
                now=options.moment,
            )
        cli.output.show(answer, show_import)


async def import_git(
    path: Annotated[Path, Parameter(help="The repository, or a folder in it; by default this one.")] = Path(),
    /,
    *,
    options: Timed = TIMED,
) -> None:
    """Import the history of a git repository; run it again after new commits."""
    async with opened(options) as cli:
        with counting_progress("importing") as on_progress:
            answer = await cli.wake.interchange.import_git(
                path, project=cli.project, caller=cli.caller, on_progress=on_progress, now=options.moment
            )
        cli.output.show(answer, show_import)


async def import_memory_json(
    file: Annotated[str, Parameter(help="The file of the MCP memory server, plain or gzip; `-` reads standard input.")],
    /,
    *,
    skip_bad: SkipBad = False,
    options: Timed = TIMED,
) -> None:
    """Import entities, observations and relations; the whole file is checked before anything is written."""
    source = sys.stdin.buffer if file == STDIN else Path(file)
    async with opened(options) as cli:
        with counting_progress("importing") as on_progress:
            answer = await cli.wake.interchange.import_memory_json(
                source,
                project=cli.project,
                skip_bad=skip_bad,
                caller=cli.caller,
                on_progress=on_progress,
                now=options.moment,
            )
        cli.output.show(answer, show_import)


async def import_sqlite(
    file: Annotated[Path, Parameter(help="The database file of Wake Intelligence; it is only read.")],
    /,
    *,
    skip_bad: SkipBad = False,
    options: Timed = TIMED,
) -> None:
    """Import the snapshots of a database file; all of them are checked before anything is written."""
    async with opened(options) as cli:
        with counting_progress("importing") as on_progress:
            answer = await cli.wake.interchange.import_sqlite(
                file,
                project=cli.project,
                skip_bad=skip_bad,
                caller=cli.caller,
                on_progress=on_progress,
                now=options.moment,
            )
        cli.output.show(answer, show_import)


async def export_jsonl(
    file: Annotated[
        str,
        Parameter(
            help="The file, compressed when its name ends in .gz; by default standard output.", show_default=False
        ),
    ] = STDIN,
    /,
    *,
    all_projects: AllProjects = False,
    options: Options = OPTIONS,
) -> None:
    """Export snapshots in a stable order: the same graph gives the same bytes."""
    to_stdout = file == STDIN
    if to_stdout and options.json:
        raise InvalidInputError("--json reports about the export, so give the export a file")
    async with opened(options) as cli:
        with counting_progress("exporting") as on_progress:
            answer = await cli.wake.interchange.export_jsonl(
                sys.stdout.buffer if to_stdout else Path(file),
                project=cli.project,
                all_projects=all_projects,
                caller=cli.caller,
                on_progress=on_progress,
            )
        if not to_stdout:
            cli.output.show(answer, _exported)


async def export_prov(
    file: Annotated[
        str,
        Parameter(
            help="The file, compressed when its name ends in .gz; by default standard output.", show_default=False
        ),
    ] = STDIN,
    /,
    *,
    form: Annotated[ProvFormat, Parameter(name="--format", help="PROV-JSON or PROV-N.")] = ProvFormat.JSON,
    all_projects: AllProjects = False,
    include_detected: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Write detected dependencies too, marked as such.")
    ] = False,
    options: Options = OPTIONS,
) -> None:
    """Export provenance as W3C PROV: snapshots as entities, actions as activities, authors as agents."""
    to_stdout = file == STDIN
    if to_stdout and options.json:
        raise InvalidInputError("--json reports about the export, so give the export a file")
    async with opened(options) as cli:
        with counting_progress("exporting") as on_progress:
            answer = await cli.wake.interchange.export_prov(
                sys.stdout.buffer if to_stdout else Path(file),
                form=form,
                project=cli.project,
                all_projects=all_projects,
                include_detected=include_detected,
                caller=cli.caller,
                on_progress=on_progress,
            )
        if not to_stdout:
            cli.output.show(answer, _provenance)


def show_import(answer: ImportResult, output: Output) -> None:
    """Print what an import did."""
    into = ", ".join(answer.projects) or "no project"
    output.line(
        f"{answer.created:,} snapshots and {answer.links_created:,} links created in {clean(into)}, "
        f"{answer.unchanged:,} were there ({answer.seconds:.1f} s)"
    )
    for problem in answer.skipped:
        output.line(f"  left out: {clean(str(problem))}")
    for note in answer.notes[:_SHOWN_NOTES]:
        output.line(f"  {clean(note)}")
    if len(answer.notes) > _SHOWN_NOTES:
        output.line(f"  and {len(answer.notes) - _SHOWN_NOTES:,} more notes; --json lists all")


def _exported(answer: ExportResult, output: Output) -> None:
    output.line(
        f"{answer.snapshots:,} snapshots and {answer.links:,} links of {clean(', '.join(answer.projects))} written, "
        f"{size(answer.bytes)} of text ({answer.seconds:.1f} s)"
    )
    if answer.links_left_out:
        output.line(f"  {answer.links_left_out:,} links to other projects were left out")


def _provenance(answer: ProvExportResult, output: Output) -> None:
    output.line(
        f"{answer.snapshots:,} snapshots, {answer.authors:,} authors and {answer.links:,} links of "
        f"{clean(', '.join(answer.projects))} written ({answer.seconds:.1f} s)"
    )
    if answer.detected_left_out:
        output.line(f"  {answer.detected_left_out:,} detected dependencies were left out")
    if answer.links_left_out:
        output.line(f"  {answer.links_left_out:,} links to other projects were left out")
