"""Snapshots put into the database as a test wants them: any age, any history, any links."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from wakegraph.graph.driver import Graph
from wakegraph.graph.times import EPOCH

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)

_PLANT = """
MERGE (p:WakegraphProject {name: $project}) ON CREATE SET p.created_at = $now
WITH p
UNWIND $rows AS row
CREATE (s:Snapshot) SET s = row
"""
_LINK = {
    "CAUSED_BY": """
        UNWIND $rows AS row
        MATCH (s:Snapshot {project: row.project, id: row.source})
        MATCH (t:Snapshot {project: row.target_project, id: row.target})
        CREATE (s)-[:CAUSED_BY {primary: row.primary, origin: row.origin, recorded_at: $now}]->(t)""",
    "DEPENDS_ON": """
        UNWIND $rows AS row
        MATCH (s:Snapshot {project: row.project, id: row.source})
        MATCH (t:Snapshot {project: row.target_project, id: row.target})
        CREATE (s)-[:DEPENDS_ON {origin: row.origin, recorded_at: $now}]->(t)""",
    "SUPERSEDES": """
        UNWIND $rows AS row
        MATCH (s:Snapshot {project: row.project, id: row.source})
        MATCH (t:Snapshot {project: row.target_project, id: row.target})
        CREATE (s)-[:SUPERSEDES {recorded_at: $now}]->(t)""",
}


def at(hours: float, now: datetime = NOW) -> datetime:
    """A time so many hours ago."""
    return now - timedelta(hours=hours)


async def run(graph: Graph, text: str, **parameters: Any) -> list[dict[str, Any]]:
    """Run a statement of the test's own."""
    async with graph.session("WRITE") as session:
        result = await session.run(text, parameters)
        return [record.data() async for record in result]


def snapshot(
    project: str,
    id: str,  # noqa: A002
    age: float = 1000.0,
    since_access: float | None = None,
    count: int | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Properties of a snapshot created `age` hours ago and last accessed `since_access` hours ago."""
    created, accessed = at(age), None if since_access is None else at(since_access)
    number = (0 if accessed is None else 1) if count is None else count
    properties: dict[str, Any] = {
        "project": project,
        "id": id,
        "content": f"content of {id}",
        "summary": f"summary of {id}",
        "title": f"title of {id}",
        "tags": [],
        "action_type": "conversation",
        "source": "api",
        "created_at": created,
        "recorded_at": created,
        "access_count": number,
        "recent_accesses": [accessed] * min(number, 16) if accessed else [],
        "recent_accessors": [""] * min(number, 16) if accessed else [],
        "last_activity": max(created, accessed) if accessed else created,
        "memory_tier": "ACTIVE",
        "causal_role": "isolated",
        "last_predicted": EPOCH,
    }
    if accessed:
        properties["last_accessed"] = accessed
    return properties | more


async def plant(graph: Graph, project: str, rows: Iterable[dict[str, Any]]) -> None:
    """Create snapshots."""
    await run(graph, _PLANT, project=project, rows=list(rows), now=NOW)


async def tie(
    graph: Graph,
    project: str,
    kind: str,
    pairs: Iterable[tuple[str, str]],
    origin: str = "stated",
    target_project: str | None = None,
) -> None:
    """Link snapshots: (effect, cause), (dependent, dependency) or (newer, older)."""
    rows = [
        {
            "project": project,
            "source": source,
            "target": target,
            "target_project": target_project or project,
            "origin": origin,
            "primary": True,
        }
        for source, target in pairs
    ]
    await run(graph, _LINK[kind], rows=rows, now=NOW)


async def nodes(graph: Graph, project: str) -> dict[str, dict[str, Any]]:
    """All properties of the snapshots of a project by id, as stored."""
    found = await run(graph, "MATCH (s:Snapshot {project: $project}) RETURN properties(s) AS node", project=project)
    return {row["node"]["id"]: row["node"] for row in found}
