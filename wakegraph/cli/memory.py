"""recalculate-tiers, prune."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from wakegraph.cli.options import TIMED, Timed
from wakegraph.cli.output import Output, clean, moment, name_of
from wakegraph.cli.session import opened
from wakegraph.memory.models import MemoryStats, PruneResult, TierRecalculation

__all__ = ["AllProjects", "prune", "recalculate_tiers", "show_memory"]

AllProjects = Annotated[
    bool, Parameter(name="--all", negative=(), show_default=False, help="All projects instead of one.")
]


async def recalculate_tiers(*, all_projects: AllProjects = False, options: Timed = TIMED) -> None:
    """Bring the stored tiers up to date."""
    async with opened(options) as cli:
        answer = await cli.wake.memory.recalculate_tiers(
            project=cli.project, all_projects=all_projects, caller=cli.caller, now=options.moment
        )
        cli.output.show(answer, _recalculated)


async def prune(
    *,
    all_projects: AllProjects = False,
    limit: Annotated[int, Parameter(help="Snapshots to remove at the most.")] = 100,
    apply: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Remove them; without it nothing is changed.")
    ] = False,
    options: Timed = TIMED,
) -> None:
    """Remove expired snapshots that nothing kept is caused by or depends on."""
    async with opened(options) as cli:
        answer = await cli.wake.memory.prune(
            project=cli.project,
            all_projects=all_projects,
            limit=limit,
            dry_run=not apply,
            caller=cli.caller,
            now=options.moment,
        )
        cli.output.show(answer, _pruned)


def show_memory(answer: MemoryStats, output: Output) -> None:
    """Print the tiers of a project, as bars on a terminal."""
    counts = {name.upper(): count for name, count in answer.tiers.model_dump().items()}
    output.bars(f"{answer.project} by tier", counts)
    facts = [("never accessed", str(answer.never_accessed))]
    for name, ref in (("oldest", answer.oldest), ("newest", answer.newest)):
        if ref:
            facts.append((name, f"{ref.id} ({moment(ref.created_at)})"))
    output.rows(("memory", "value"), facts)


def _recalculated(answer: TierRecalculation, output: Output) -> None:
    for change in answer.changes:
        before = change.from_tier.value if change.from_tier else "none"
        output.line(f"{change.snapshots} from {before} to {change.to_tier.value}")
    where = "project" if answer.projects == 1 else "projects"
    output.line(f"{answer.changed} of the stored tiers in {answer.projects} {where} changed")


def _pruned(answer: PruneResult, output: Output) -> None:
    for ref in answer.pruned:
        output.line(f"{clean(name_of(ref, answer.project))}  [dim]{clean(ref.title or '')}[/]")
    for kept in answer.kept:
        by = f": {clean(name_of(kept.needed_by, answer.project))}" if kept.needed_by else ""
        output.line(f"[dim]kept {clean(name_of(kept, answer.project))}, {kept.reason}{by}[/]")
    verb = "would be removed" if answer.dry_run else "were removed"
    output.line(
        f"{answer.pruned_count} of {answer.expired} expired snapshots {verb}, "
        f"{answer.kept_count} stay because something kept needs them, {answer.remaining} more could go"
    )
    if answer.dry_run and answer.pruned_count:
        output.line("nothing was changed; say --apply to do it")
