"""chain, ancestry, impact, why, stats, validate."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Any

from cyclopts import Parameter
from rich.text import Text
from rich.tree import Tree

from wakegraph.causality.models import (
    CausalChain,
    CausalityStats,
    ChainStep,
    GraphNode,
    Reasoning,
    Subgraph,
    ValidationReport,
    WhyAbout,
)
from wakegraph.causality.service import MAX_DEPTH
from wakegraph.cli.memory import show_memory
from wakegraph.cli.options import OPTIONS, TIMED, Options, SnapshotName, Timed
from wakegraph.cli.output import Output, clean, moment, name_of, styled, superseded
from wakegraph.cli.propagation import show_propagation
from wakegraph.cli.session import opened
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.models import Direction, Origin, SnapshotRef

__all__ = ["ancestry", "chain", "impact", "show_chain", "show_findings", "show_tree", "stats", "validate", "why"]

_INDENTED = 12  # deeper steps keep this indentation: a chain may have thousands

Depth = Annotated[int | None, Parameter(help="Links to follow at the most. By default as many as there are.")]
Limit = Annotated[int, Parameter(help="Snapshots at the most, nearest first.")]
Detected = Annotated[bool, Parameter(negative=(), show_default=False, help="Follow detected dependencies too.")]


async def chain(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    limit: Annotated[int | None, Parameter(help="Steps at the most: the root and the nearest. By default all.")] = None,
    options: Timed = TIMED,
) -> None:
    """Follow the primary causes back to the root."""
    async with opened(options) as cli:
        answer = await cli.wake.causality.chain(id, project=cli.project, limit=limit, caller=cli.caller)
        cli.output.show(answer, show_chain)


async def ancestry(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    depth: Depth = None,
    limit: Limit = 1000,
    include_detected: Detected = False,
    options: Timed = TIMED,
) -> None:
    """Every cause and dependency, direct and indirect."""
    await _explore(id, Direction.CAUSES, depth, limit, include_detected, options)


async def impact(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    depth: Depth = None,
    limit: Limit = 1000,
    include_detected: Detected = False,
    options: Timed = TIMED,
) -> None:
    """Every effect and dependent, direct and indirect."""
    await _explore(id, Direction.EFFECTS, depth, limit, include_detected, options)


async def _explore(
    id: str,  # noqa: A002
    direction: Direction,
    depth: int | None,
    limit: int,
    include_detected: bool,
    options: Timed,
) -> None:
    async with opened(options) as cli:
        answer = await cli.wake.causality.explore(
            id,
            project=cli.project,
            direction=direction,
            depth=MAX_DEPTH if depth is None else depth,
            limit=limit,
            include_detected=include_detected,
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, show_tree)


async def why(
    what: Annotated[str, Parameter(help="An id, or a path or other reference: the snapshots about it.")],
    /,
    *,
    limit: Annotated[int, Parameter(help="For a reference: newest snapshots at the most.")] = 3,
    options: Timed = TIMED,
) -> None:
    """Say why something exists."""
    async with opened(options) as cli:
        try:
            reasoning = await cli.wake.causality.reasoning(what, project=cli.project, caller=cli.caller)
        except (NotFoundError, InvalidInputError) as unknown:
            try:
                about = await cli.wake.causality.why_about(what, project=cli.project, limit=limit, caller=cli.caller)
            except NotFoundError as nothing:
                raise NotFoundError(f"{unknown}; {nothing}") from None
            cli.output.show(about, _about)
        else:
            cli.output.show(reasoning, _reasoning)


async def stats(*, options: Timed = TIMED) -> None:
    """Count what a project holds."""
    async with opened(options) as cli:
        given: dict[str, Any] = {"project": cli.project, "caller": cli.caller}
        causality = await cli.wake.causality.stats(**given)
        memory = await cli.wake.memory.stats(**given, now=options.moment)
        propagation = await cli.wake.propagation.stats(**given, now=options.moment)
        if options.json:
            cli.output.document({**dict(causality), "memory": memory, "propagation": propagation})
            return
        show_stats(causality, cli.output)
        show_memory(memory, cli.output)
        show_propagation(propagation, cli.output)


async def validate(*, options: Options = OPTIONS) -> int:
    """Look for what is odd. The exit code is 1 when a rule is broken."""
    async with opened(options) as cli:
        report = await cli.wake.causality.validate(project=cli.project, caller=cli.caller)
        cli.output.show(report, show_findings)
        return 0 if report.ok else 1


def show_chain(answer: CausalChain, output: Output) -> None:
    """Print a chain as an indented list, root first."""
    for step in answer.steps:
        if answer.gap and step.depth == answer.gap.to_depth + 1:
            output.line(f"[dim]... {answer.gap.count} steps between ...[/]")
        _show_step(step, answer.project, output)
    if not output.rich:
        return
    if answer.other_causes:
        output.line(f"[dim]other causes that lead into it: {answer.other_causes}[/]")
    if answer.distinct_roots > 1:
        output.line(f"[dim]roots of its whole ancestry: {answer.distinct_roots}[/]")


def _show_step(step: ChainStep, project: str, output: Output) -> None:
    """One line in a pipe; on a terminal the facts get a line of their own, so that neither is broken."""
    indent = "  " * min(step.depth, _INDENTED)
    arrow = "" if step.depth == 0 else "└ "
    name = name_of(SnapshotRef(id=step.id, project=step.project), project)
    head = f"{indent}{arrow}[bold]{clean(name)}[/]  {clean(step.title)}"
    facts = f"[dim]({' · '.join(_step_facts(step, project))})[/]"
    if output.rich:
        output.fitted(head)
        output.fitted(f"{indent}{' ' * len(arrow)}{facts}")
    else:
        output.line(f"{head}  {facts}")


def _step_facts(step: ChainStep, project: str) -> list[str]:
    facts = [step.action_type.value, styled(step.role.value), moment(step.timestamp)]
    if step.author:
        facts.append(clean(step.author))
    facts += _guessed(step.link.origin if step.link else None)
    facts += superseded(step.superseded_by, project)
    if step.leads_elsewhere:
        facts.append("goes on in another project")
    return facts


def _guessed(origin: Origin | None) -> list[str]:
    """Says of a link that nobody stated it."""
    return [] if origin in {None, Origin.STATED} else [f"{origin.value} link"]


def show_tree(answer: Subgraph, output: Output) -> None:
    """Print a subgraph as a tree: each snapshot once, below the neighbour it was first reached from."""
    children = _children(answer)
    by_name = {(node.project, node.id): node for node in answer.nodes}
    start = (answer.project, answer.id)
    tree = Tree(_node(by_name[start], None, answer.project), guide_style="dim")
    stack = [(start, tree)]
    while stack:
        name, branch = stack.pop()
        stack += [
            (child, branch.add(_node(by_name[child], origin, answer.project))) for child, origin in children[name]
        ]
    output.console.print(tree)
    if answer.truncated:
        output.line(f"[dim]{len(answer.nodes)} of {answer.total} snapshots shown: raise --depth or --limit for more[/]")


def _children(answer: Subgraph) -> dict[tuple[str, str], list[tuple[tuple[str, str], Origin | None]]]:
    """The snapshots below each one, with who says that the link to them holds."""
    neighbours: dict[tuple[str, str], list[tuple[tuple[str, str], Origin | None]]] = defaultdict(list)
    for edge in answer.edges:
        source, target = (edge.source_project, edge.source), (edge.target_project, edge.target)
        nearer, farther = (target, source) if answer.direction is Direction.EFFECTS else (source, target)
        neighbours[farther].append((nearer, edge.origin))
    distance = {(node.project, node.id): node.distance for node in answer.nodes}
    start = (answer.project, answer.id)
    children: dict[tuple[str, str], list[tuple[tuple[str, str], Origin | None]]] = defaultdict(list)
    for name, steps in distance.items():
        if name != start:
            parents = [link for link in neighbours[name] if distance.get(link[0]) == steps - 1]
            parent, origin = parents[0] if parents else (start, None)
            children[parent].append((name, origin))
    return children


def _node(node: GraphNode, origin: Origin | None, project: str) -> Text:
    name = clean(name_of(SnapshotRef(id=node.id, project=node.project), project))
    facts = [
        *_guessed(origin),
        *superseded(node.superseded_by, project),
        *(["goes on in another project"] if node.leads_elsewhere else []),
    ]
    shown = "".join(f"  [dim]({fact})[/]" for fact in facts)
    markup = f"[bold]{name}[/]  {styled(node.causal_role.value)}{shown}  {clean(node.title)}"
    text = Text.from_markup(markup, overflow="ellipsis")
    text.no_wrap = True
    return text


def _reasoning(answer: Reasoning, output: Output) -> None:
    output.verbatim(answer.text)


def _about(answer: WhyAbout, output: Output) -> None:
    for position, found in enumerate(answer.chains):
        if position:
            output.line()
        show_chain(found, output)
    if answer.total > len(answer.chains):
        output.line(f"[dim]the newest {len(answer.chains)} of {answer.total} snapshots about {clean(answer.ref)}[/]")


def show_stats(answer: CausalityStats, output: Output) -> None:
    """Print the figures of a project."""
    rows = [
        ("snapshots", answer.snapshots),
        *((f"action type {name}", count) for name, count in answer.by_action_type.model_dump().items()),
        *((f"role {name}", count) for name, count in answer.by_role.model_dump().items()),
        ("with causes", answer.with_causes),
        ("longest chain", answer.max_chain_length),
        ("mean chain", f"{answer.mean_chain_length:.2f}"),
        ("stated dependencies", answer.stated_dependencies),
        ("detected dependencies", answer.detected_dependencies),
    ]
    output.rows((answer.project, "count"), [(name, str(value)) for name, value in rows], numbers=(1,))


def show_findings(answer: ValidationReport, output: Output) -> None:
    """Print what validation found."""
    findings = [
        ("causal cycles", answer.causal_cycles_total, [", ".join(group.ids) for group in answer.causal_cycles]),
        (
            "snapshots without exactly one primary cause",
            answer.primary_faults_total,
            [f"{fault.id}: {fault.primaries} of {fault.causes}" for fault in answer.primary_faults],
        ),
        (
            "causes dated after their effects",
            answer.time_inversions_total,
            [f"{late.cause} after {late.effect}" for late in answer.time_inversions],
        ),
        (
            "groups that depend on each other",
            answer.dependency_groups_total,
            [", ".join(group.ids) for group in answer.dependency_groups],
        ),
        ("snapshots without any link", answer.unlinked_total, answer.unlinked),
    ]
    for name, total, examples in findings:
        shown = f"  [dim]{clean('; '.join(examples[:3]))}{', ...' if total > 3 else ''}[/]" if examples else ""
        output.line(f"{total:>6}  {name}{shown}")
    output.line("the rules hold" if answer.ok else "[bold red]rules are broken[/]")
