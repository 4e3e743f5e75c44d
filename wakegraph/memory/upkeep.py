"""Stored tiers brought up to date, in pages and batches; only what changes is written."""

from __future__ import annotations

from collections import Counter

from wakegraph.graph.driver import Graph
from wakegraph.memory.tiers import TierTimes

__all__ = ["bring_up_to_date"]

_PAGE = 20_000
_WRITES = 2_000


async def bring_up_to_date(graph: Graph, project: str, times: TierTimes) -> Counter[tuple[str | None, str]]:
    """Write the tier of every snapshot of a project that has another one stored.

    Returns:
        How many went from which tier to which.
    """
    changes: Counter[tuple[str | None, str]] = Counter()
    cutoffs = {"active": times.active, "recent": times.recent, "archived": times.archived}
    after = ""
    while True:
        page = await graph.read_one("memory/tier_drift", project=project, after=after, limit=_PAGE, **cutoffs)
        ids = page["ids"] if page else []
        if not ids:
            return changes
        for start in range(0, len(ids), _WRITES):
            chunk = ids[start : start + _WRITES]
            for row in await graph.write("memory/write_tiers", project=project, ids=chunk, **cutoffs):
                changes[row["from_tier"], row["to_tier"]] += row["snapshots"]
        after = ids[-1]
