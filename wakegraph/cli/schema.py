"""schema apply, schema status."""

from __future__ import annotations

from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.output import Output
from wakegraph.cli.session import opened
from wakegraph.models import SchemaReport

__all__ = ["apply", "show_schema", "status"]


async def apply(*, options: Options = OPTIONS) -> None:
    """Create all constraints and indexes that are missing."""
    async with opened(options, prepare=False) as cli:
        cli.output.show(await cli.wake.apply_schema(), show_schema)


async def status(*, options: Options = OPTIONS) -> int:
    """Report the schema. The exit code is 1 when something is missing."""
    async with opened(options, prepare=False) as cli:
        report = await cli.wake.schema_report()
        cli.output.show(report, show_schema)
        return 0 if report.ok else 1


def show_schema(report: SchemaReport, output: Output) -> None:
    """Print the schema of the database in use."""
    version = "none" if report.version is None else str(report.version)
    output.line(f"schema {version} of {report.wanted} at {report.uri} ({report.server})")
    for name in report.missing:
        output.line(f"missing or not online: {name}")
