"""chain, ancestry, impact, why, stats, validate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated, Any

from cyclopts import Parameter
from rich.cells import cell_len
from rich.text import Text

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

_INDENTED = 12  # levels: deeper steps keep this indentation, since a chain may have thousands
_BESIDE_NAME = 28  # columns that indentation leaves for what stands beside the longest id

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


def show_chain(answer: CausalChain, output: Output, shown: int = 0) -> None:
    """Print a chain as an indented list, root first.

    Args:
        answer: the chain.
        output: where to.
        shown: the number of its first steps that stand above already, and are left out.
    """
    levels = _levels([_step_name(step, answer.project) for step in answer.steps], 2, output)
    if shown:
        output.line(f"[dim]... {shown} steps as above ...[/]")
    for step in answer.steps[shown:]:
        if answer.gap and step.depth == answer.gap.to_depth + 1:
            output.line(f"[dim]... {answer.gap.count} steps between ...[/]")
        _show_step(step, answer.project, levels, output)
    if not output.rich:
        return
    if answer.other_causes:
        output.line(f"[dim]other causes that lead into it: {answer.other_causes}[/]")
    if answer.distinct_roots > 1:
        output.line(f"[dim]roots of its whole ancestry: {answer.distinct_roots}[/]")


def _levels(names: list[str], columns: int, output: Output) -> int:
    """How many levels to indent at the most, so that ids stay whole and titles can be read.

    Args:
        names: what stands first on the lines.
        columns: the width of a level.
        output: where to.
    """
    room = output.console.width - max(map(cell_len, names)) - _BESIDE_NAME
    return max(1, min(_INDENTED, room // columns))


def _step_name(step: ChainStep, project: str) -> str:
    return name_of(SnapshotRef(id=step.id, project=step.project), project)


def _show_step(step: ChainStep, project: str, levels: int, output: Output) -> None:
    """One line in a pipe; on a terminal the facts get a line of their own, so that neither is broken."""
    indent = "  " * min(step.depth, levels)
    arrow = "" if step.depth == 0 else "└ "
    head = f"{indent}{arrow}[bold]{clean(_step_name(step, project))}[/]  {clean(step.title)}"
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
    """Print a subgraph as a tree: each snapshot once, below the neighbour it was first reached from.

    A line that is deeper than there is room for says how deep it is, and keeps the nearest guides. On a terminal a
    title gets a line of its own where it does not fit beside the id.
    """
    by_name = {(node.project, node.id): node for node in answer.nodes}
    levels = _levels([_node_name(node, answer.project) for node in answer.nodes], len(_BRANCH), output)
    for line in _lines(answer):
        node = by_name[line.name]
        head, title = _node(node, line.origin, answer.project), Text.from_markup(clean(node.title))
        guides = line.guides(levels)
        if output.rich and guides.cell_len + head.cell_len + 2 + title.cell_len > output.console.width:
            shown = [guides.append_text(head), line.guides_below(levels).append_text(title)]
        else:
            shown = [guides.append_text(head).append("  ").append_text(title)]
        for text in shown:
            output.console.print(text, no_wrap=True, overflow="ellipsis")
    if answer.truncated:
        output.line(f"[dim]{len(answer.nodes)} of {answer.total} snapshots shown: raise --depth or --limit for more[/]")


_BRANCH, _LAST, _PAST, _DONE = "├── ", "└── ", "│   ", "    "


@dataclass(frozen=True, slots=True)
class _Line:
    """A snapshot in a tree.

    Attributes:
        name: its project and id.
        origin: who says that the link to it holds.
        columns: the guides before it.
        below: the guides before what stands under it.
    """

    name: tuple[str, str]
    origin: Origin | None
    columns: tuple[str, ...]
    below: tuple[str, ...]

    def guides(self, levels: int) -> Text:
        return Text().append(self._depth(levels) + "".join(self.columns[-levels:]), "dim")

    def guides_below(self, levels: int) -> Text:
        indent = " " * len(self._depth(levels))
        return Text().append(indent + "".join(self.below[:-1][-levels:]) + self.below[-1], "dim")

    def _depth(self, levels: int) -> str:
        return f"{len(self.columns)} " if len(self.columns) > levels else ""


def _lines(answer: Subgraph) -> Iterator[_Line]:
    """The snapshots in the order of the tree."""
    children = _children(answer)
    stack: list[tuple[tuple[str, str], Origin | None, tuple[str, ...]]] = [((answer.project, answer.id), None, ())]
    while stack:
        name, origin, columns = stack.pop()
        past = (*columns[:-1], _DONE if columns[-1] == _LAST else _PAST) if columns else ()
        below = children[name]
        yield _Line(name, origin, columns, (*past, _PAST if below else _DONE))
        for position in reversed(range(len(below))):
            child, link = below[position]
            stack.append((child, link, (*past, _LAST if position == len(below) - 1 else _BRANCH)))


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


def _node_name(node: GraphNode, project: str) -> str:
    return name_of(SnapshotRef(id=node.id, project=node.project), project)


def _node(node: GraphNode, origin: Origin | None, project: str) -> Text:
    facts = [
        *_guessed(origin),
        *superseded(node.superseded_by, project),
        *(["goes on in another project"] if node.leads_elsewhere else []),
    ]
    shown = "".join(f"  [dim]({fact})[/]" for fact in facts)
    return Text.from_markup(f"[bold]{clean(_node_name(node, project))}[/]  {styled(node.causal_role.value)}{shown}")


def _reasoning(answer: Reasoning, output: Output) -> None:
    output.verbatim(answer.text)


def _about(answer: WhyAbout, output: Output) -> None:
    above: list[tuple[str, str]] = []
    for position, found in enumerate(answer.chains):
        if position:
            output.line()
        names = [(step.project, step.id) for step in found.steps]
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(above, names, strict=False))))
        show_chain(found, output, shown=0 if found.gap or same < 3 else min(same, len(names) - 1))
        above = names
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
