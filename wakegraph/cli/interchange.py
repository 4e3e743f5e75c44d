"""import jsonl, import git, export jsonl."""

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
from wakegraph.interchange.models import ExportResult, GitImportResult, ImportResult

__all__ = ["export_jsonl", "import_git", "import_jsonl", "show_import"]


async def import_jsonl(
    file: Annotated[str, Parameter(help="The file, plain or gzip; `-` reads standard input.")],
    /,
    *,
    skip_bad: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Leave out what is wrong, and list it.")
    ] = False,
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
        cli.output.show(answer, _git)


async def export_jsonl(
    file: Annotated[
        str, Parameter(help="The file, compressed when its name ends in .gz; by default standard output.")
    ] = STDIN,
    /,
    *,
    all_projects: Annotated[
        bool, Parameter(name=("--all-projects", "--all"), negative=(), show_default=False, help="All projects.")
    ] = False,
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


def show_import(answer: ImportResult, output: Output) -> None:
    """Print what an import did."""
    into = ", ".join(answer.projects) or "no project"
    output.line(
        f"{answer.created:,} snapshots and {answer.links_created:,} links created in {clean(into)}, "
        f"{answer.unchanged:,} were there ({answer.seconds:.1f} s)"
    )
    for problem in answer.skipped:
        output.line(f"  left out: {clean(str(problem))}")


def _git(answer: GitImportResult, output: Output) -> None:
    show_import(answer, output)
    for note in answer.notes:
        output.line(f"  {clean(note)}")


def _exported(answer: ExportResult, output: Output) -> None:
    output.line(
        f"{answer.snapshots:,} snapshots and {answer.links:,} links of {clean(', '.join(answer.projects))} written, "
        f"{size(answer.bytes)} of text ({answer.seconds:.1f} s)"
    )
    if answer.links_left_out:
        output.line(f"  {answer.links_left_out:,} links to other projects were left out")
