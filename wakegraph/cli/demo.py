"""demo: a real decision graph, and the first questions to it."""

from __future__ import annotations

import io
import json
import shlex
import shutil
from urllib.parse import urlsplit

from wakegraph.causality.models import CausalChain, CausalityStats, Subgraph, ValidationReport
from wakegraph.cli import engine
from wakegraph.cli.causality import show_chain, show_findings, show_tree
from wakegraph.cli.interchange import show_import
from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.output import Output, clean
from wakegraph.cli.session import Session, opened
from wakegraph.demo import PROJECT, decisions, longest_chain
from wakegraph.errors import NotFoundError
from wakegraph.interchange.models import ImportResult
from wakegraph.models import Model

__all__ = ["DemoReport", "demo"]


class DemoReport(Model):
    """Everything that the demo shows."""

    imported: ImportResult
    stats: CausalityStats
    chain: CausalChain
    impact: Subgraph
    validation: ValidationReport
    browser_url: str
    browser_query: str


async def demo(*, options: Options = OPTIONS) -> None:
    """Load the decisions of Python's enhancement proposals and show what wakegraph says about them."""
    async with opened(options) as cli:
        report = await _report(cli, options.project or PROJECT)
        cli.output.show(report, _shown)


async def _report(cli: Session, project: str) -> DemoReport:
    lines = (json.dumps({**decision, "project": project}) for decision in decisions())
    imported = await cli.wake.interchange.import_jsonl(
        io.BytesIO("\n".join(lines).encode()), project=project, caller=cli.caller
    )
    found = await longest_chain(cli.wake.graph, project)
    if found is None:
        raise NotFoundError(f"project {project!r} has no chain")
    start = f"{{project: {_literal(project)}, id: {_literal(found.root)}}}"
    query = f"MATCH p = (:Snapshot {start})<-[:CAUSED_BY|DEPENDS_ON]-*(:Snapshot) RETURN p"
    return DemoReport(
        imported=imported,
        stats=await cli.wake.causality.stats(project, caller=cli.caller),
        chain=await cli.wake.causality.chain(found.id, project=project, caller=cli.caller),
        impact=await cli.wake.causality.impact(found.root, project=project, caller=cli.caller),
        validation=await cli.wake.causality.validate(project, caller=cli.caller),
        browser_url=await _browser(cli),
        browser_query=query,
    )


def _literal(text: str) -> str:
    """A Cypher string, for the one query that is meant to be pasted."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


async def _browser(cli: Session) -> str:
    """The address of Neo4j Browser: the local engine's own, else the usual port of the server that is set."""
    if cli.wake.settings.neo4j_uri is None:
        return (await engine.report(show_password=False)).browser_url or ""
    address = urlsplit((await cli.wake.graph.ready()).uri)
    scheme, port = ("https", 7473) if "+s" in address.scheme else ("http", 7474)
    return f"{scheme}://{address.hostname}:{port}/browser/"


def _shown(report: DemoReport, output: Output) -> None:
    chain, impact = report.chain, report.impact
    _title(output, "A real decision graph: what replaced what in Python's enhancement proposals")
    show_import(report.imported, output)
    _title(output, "Roles: where each decision stands")
    roles = report.stats.by_role.model_dump()
    total = max(report.stats.snapshots, 1)
    output.rows(
        ("role", "decisions", "share"),
        [(name, f"{count}", f"{100 * count / total:.1f} %") for name, count in roles.items()],
        numbers=(1, 2),
    )
    _title(
        output, f"Why does {chain.id} exist? Its causal chain, root first\n{_command('chain', chain.id, chain.project)}"
    )
    show_chain(chain, output)
    _title(output, f"What follows from {impact.id}?\n{_command('impact', impact.id, impact.project)}")
    show_tree(impact, output)
    _title(output, f"What is odd in this graph?\nwakegraph validate --project {shlex.quote(report.stats.project)}")
    show_findings(report.validation, output)
    _title(output, f"See it on a page\n{_command('view', impact.id, impact.project)}")
    _title(output, "See it in Neo4j Browser")
    output.line(f"open   {clean(report.browser_url)}")
    output.line("login  `wakegraph engine status --show-password` shows user and password")
    output.verbatim(f"paste  {report.browser_query}")
    output.line()
    if shutil.which("wakegraph") is None:
        output.line("Put wakegraph on your path first: `. .venv/bin/activate`")
    output.line("Next: `wakegraph import git` in a repository of yours, then `wakegraph why PATH`")


def _command(name: str, id_: str, project: str) -> str:
    """The command that gives the same answer."""
    return f"wakegraph {name} {shlex.quote(id_)} --project {shlex.quote(project)}"


def _title(output: Output, text: str) -> None:
    """A question, and below it the command that answers it."""
    question, _, command = text.partition("\n")
    output.line()
    output.line(f"[bold cyan]{clean(question)}[/]")
    if command:
        output.line(f"[dim]$ {clean(command)}[/]")
