"""Counting what was read."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from wakegraph.errors import WakegraphError
from wakegraph.mcp.call import Call
from wakegraph.snapshots.naming import Key

__all__ = ["count_access"]

logger = logging.getLogger(__name__)


async def count_access(call: Call, keys: Iterable[tuple[str, str]]) -> None:
    """Count one access to each snapshot, given as (project, id). A failure is logged and does not fail the read."""
    read = [Key(project, id_) for project, id_ in keys]
    if not call.counting or call.wake.settings.read_only or not read:
        return
    try:
        await call.wake.memory.record_access(
            read, accessor=call.caller.author or call.wake.settings.author, now=call.now
        )
    except WakegraphError as error:
        logger.warning("access to %d snapshots was not counted: %s", len(read), error)
