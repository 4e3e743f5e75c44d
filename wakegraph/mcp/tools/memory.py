"""Layer 2: get_memory_stats, recalculate_memory_tiers, prune_expired_contexts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wakegraph.mcp.budget import DEFAULT, LARGE, fitting
from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import Limit, Project
from wakegraph.mcp.text import joined, quoted
from wakegraph.mcp.toolkit import Answer, tool
from wakegraph.mcp.wire import Moment
from wakegraph.memory.models import Kept, TierCounts
from wakegraph.models import Model, Scope

__all__ = ["get_memory_stats", "prune_expired_contexts", "recalculate_memory_tiers"]


class MemoryStatsOut(Model):
    project: str
    total: int
    tiers: TierCounts
    never_accessed: int
    oldest: str | None = None
    newest: str | None = None
    oldest_at: Moment | None = None
    newest_at: Moment | None = None


class TierChangeOut(Model):
    from_tier: str | None = None
    to_tier: str
    snapshots: int


class TiersOut(Model):
    project: str | None = None
    projects: int
    changed: int
    changes: list[TierChangeOut]


class PruneOut(Model):
    project: str
    dry_run: bool
    expired: int
    pruned: list[str]
    pruned_count: int
    remaining: int
    kept: list[str]
    kept_count: int


@tool("Memory figures")
async def get_memory_stats(call: Call, project: Project | None = None) -> Answer[MemoryStatsOut]:
    """Snapshots of a project by memory tier (ACTIVE, RECENT, ARCHIVED, EXPIRED), the oldest, the newest, and how many
    were never read.
    """
    stats = await call.wake.memory.stats(project=project, caller=call.caller, now=call.now)
    data = MemoryStatsOut(
        project=stats.project,
        total=stats.total,
        tiers=stats.tiers,
        never_accessed=stats.never_accessed,
        oldest=stats.oldest and f"{stats.oldest.project}::{stats.oldest.id}",
        newest=stats.newest and f"{stats.newest.project}::{stats.newest.id}",
        oldest_at=stats.oldest and stats.oldest.created_at,
        newest_at=stats.newest and stats.newest.created_at,
    )
    tiers = ", ".join(f"{count} {name.upper()}" for name, count in data.tiers.model_dump().items())
    return Answer(
        data, f"Project {data.project!r}: {data.total} snapshots ({tiers}); {data.never_accessed} never accessed."
    )


@tool("Bring tiers up to date", scope=Scope.WRITE, writes=True)
async def recalculate_memory_tiers(
    call: Call, project: Annotated[Project | None, Field(description="Project; omit for all (admin)")] = None
) -> Answer[TiersOut]:
    """Bring the stored memory tiers up to date, for Neo4j Browser and Cypher. Tools answer with current ones
    anyway.
    """
    if project is None:
        call.require(Scope.ADMIN, "recalculate_memory_tiers over all projects (give project for one)")
    result = await call.wake.memory.recalculate_tiers(
        project=project, all_projects=project is None, caller=call.caller, now=call.now
    )
    changes = [
        TierChangeOut(from_tier=item.from_tier, to_tier=item.to_tier, snapshots=item.snapshots)
        for item in result.changes
    ]
    data = TiersOut(project=result.project, projects=result.projects, changed=result.changed, changes=changes)
    lines = [f"- {item.from_tier or 'none'} to {item.to_tier}: {item.snapshots}" for item in changes]
    return Answer(
        data, joined(f"{data.changed} snapshots changed their tier in {data.projects} projects", lines, note=False)
    )


@tool("Prune what expired", scope=Scope.ADMIN, writes=True, destructive=True)
async def prune_expired_contexts(
    call: Call,
    project: Project | None = None,
    limit: Annotated[Limit, Field(le=1000)] = 100,
    dry_run: Annotated[bool, Field(description="false really removes")] = True,
) -> Answer[PruneOut]:
    """Remove snapshots without activity for 30 days that nothing kept is caused by or depends on. A dry run unless
    dryRun=false; look at its answer first.
    """
    result = await call.wake.memory.prune(
        project=project, limit=limit, dry_run=dry_run, caller=call.caller, now=call.now
    )

    def build(count: int) -> PruneOut:
        return PruneOut(
            project=result.project or "",
            dry_run=result.dry_run,
            expired=result.expired,
            pruned=[f"{item.project}::{item.id}" for item in result.pruned[:count]],
            pruned_count=result.pruned_count,
            remaining=result.remaining,
            kept=[_kept(item) for item in result.kept[: min(count, 50)]],
            kept_count=result.kept_count,
        )

    data = fitting(build, (1000, 100, 50, 20), LARGE if "limit" in call.given else DEFAULT)
    done = "Would remove" if data.dry_run else "Removed"
    lines = [f"- {item.project}::{item.id}: {quoted(item.title or '', 80)}" for item in result.pruned]
    tail = f"{data.kept_count} expired ones stay because something kept needs them; {data.remaining} more could go."
    return Answer(data, joined(f"{done} {data.pruned_count} of {data.expired} expired snapshots", lines, tail))


def _kept(item: Kept) -> str:
    by = f" by {item.needed_by.project}::{item.needed_by.id}" if item.needed_by else ""
    return f"{item.project}::{item.id}: {item.reason}{by}"
