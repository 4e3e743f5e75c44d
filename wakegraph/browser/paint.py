"""The labels that Neo4j Browser's style sheet goes by.

A style sheet there can tell nodes apart by their labels only, not by properties. So a role and a band of scores are
written as labels beside the stored properties they are derived from; nothing in wakegraph reads them, and taking them
off loses nothing.
"""

from __future__ import annotations

from wakegraph.errors import AccessDeniedError
from wakegraph.graph.driver import Graph
from wakegraph.settings import Settings

__all__ = ["HIGH", "MIDDLE", "Paint"]

HIGH = 0.5
"""Scores from here on are drawn large."""
MIDDLE = 0.2
"""Scores from here on are drawn in the middle size."""

_PAGE = 2_000


class Paint:
    """Writes and removes the labels of a project's snapshots, in batches.

    Args:
        graph: the database.
        settings: the settings.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings

    async def paint(self, project: str) -> int:
        """Bring the labels of a project up to date with its stored roles and scores.

        Returns:
            How many snapshots changed.

        Raises:
            AccessDeniedError: in read-only mode.
        """
        self._refuse_write()
        after, changed = "", 0
        while True:
            row = await self._graph.write_one(
                "paint/paint", project=project, after=after, limit=_PAGE, high=HIGH, middle=MIDDLE
            )
            if row is None or not row["seen"]:
                return changed
            after, changed = row["last"], changed + row["changed"]

    async def unpaint(self, project: str) -> int:
        """Take the labels off a project.

        Returns:
            How many snapshots were looked at.

        Raises:
            AccessDeniedError: in read-only mode.
        """
        self._refuse_write()
        after, seen = "", 0
        while True:
            row = await self._graph.write_one("paint/unpaint", project=project, after=after, limit=_PAGE)
            if row is None or not row["seen"]:
                return seen
            after, seen = row["last"], seen + row["seen"]

    def _refuse_write(self) -> None:
        if self._settings.read_only:
            raise AccessDeniedError("wakegraph runs in read-only mode, nothing was written: unset WAKEGRAPH_READ_ONLY")
