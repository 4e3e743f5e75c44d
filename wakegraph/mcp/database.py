"""The database behind the server: brought up in the background, waited for with progress, reported on in words.

The handshake must not wait for the database, nor for the modules that talk to it: both are brought up by the first
message that follows it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph
    from wakegraph.engine import Progress

__all__ = ["Database", "Tell"]

logger = logging.getLogger(__name__)

Tell = Callable[[float, float, str], Awaitable[None]]
"""Reports progress: seconds waited, seconds to wait at most, what is going on."""

WAIT_SECONDS = 20.0
_TICK = 0.5
_AGAIN = 1.0


class Database:
    """The memory of one server process and the state of its database.

    Args:
        open_memory: makes the memory. It is called once, in a thread, because it may import a lot; `note` in its
            argument takes the progress of the local engine.
        wait: seconds that a call waits for a database that is coming up.
    """

    def __init__(
        self, open_memory: Callable[[Callable[[Progress], None]], Wakegraph], wait: float = WAIT_SECONDS
    ) -> None:
        self._open_memory = open_memory
        self._wait = wait
        self._wake: Wakegraph | None = None
        self._opening: asyncio.Task[Wakegraph] | None = None
        self._connecting: asyncio.Task[None] | None = None
        self._began: float | None = None
        self._state = "starting"
        self._seen = False
        self.write_error: str | None = None

    def begin(self) -> asyncio.Task[None]:
        """Start to bring the database up, without waiting for it."""
        if self._connecting is None or (self._connecting.done() and not self._seen):
            self._connecting = asyncio.create_task(self._connect(), name="wakegraph-database")
            self._connecting.add_done_callback(_looked_at)
        return self._connecting

    async def memory(self) -> Wakegraph:
        """The memory, whether or not its database is up."""
        if self._wake is None:
            if self._opening is None:
                self._began = time.monotonic()
                self._opening = asyncio.create_task(asyncio.to_thread(self._open_memory, self._note))
            wake = await asyncio.shield(self._opening)
            wake.graph.span = _span
            self._wake = wake
        return self._wake

    async def ready(self, tell: Tell) -> Wakegraph:
        """The memory with its database up; waits while it is coming up.

        Raises:
            DatabaseUnavailableError: it is not up yet; the line says what it is doing and when to try again.
            WakegraphError: it cannot be used.
        """
        started = time.monotonic()
        connecting = self.begin()
        while not connecting.done():
            waited = time.monotonic() - started
            if waited >= self._wait:
                raise self._not_yet()
            await tell(waited, self._wait, self._state)
            await asyncio.wait([connecting], timeout=min(_TICK, self._wait - waited))
        await connecting
        return await self.memory()

    async def now(self) -> Wakegraph:
        """The memory when its database is up already; does not wait.

        Raises:
            DatabaseUnavailableError: it is not.
            WakegraphError: it cannot be used.
        """
        connecting = self.begin()
        if not connecting.done():
            raise self._not_yet()
        await connecting
        return await self.memory()

    async def close(self) -> None:
        """Give up what is under way and close the connections."""
        for task in (self._connecting, self._opening):
            if task is not None and not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await task
        if self._wake is not None:
            await self._wake.close()

    async def _connect(self) -> None:
        from wakegraph.errors import DatabaseUnavailableError

        wake = await self.memory()
        while not self._seen:
            try:
                await wake.graph.ready()
                self._seen = True
            except DatabaseUnavailableError as error:
                self._state = str(error)
                # A database that was given its time to come up and did not is a fact to report at once.
                if self._late():
                    raise
                await asyncio.sleep(_AGAIN)

    def _late(self) -> bool:
        return self._began is not None and time.monotonic() - self._began >= self._wait

    def _note(self, progress: Progress) -> None:
        share = f" {100 * progress.done // progress.total} %" if progress.total else ""
        self._state = f"{progress.phase}{share}: {progress.message}" if progress.message else f"{progress.phase}{share}"

    def _not_yet(self) -> Exception:
        from wakegraph.errors import DatabaseUnavailableError

        return DatabaseUnavailableError(f"the database is not ready yet ({self._state}): try again in 10 seconds")


def _span(name: str, parameters: Mapping[str, Any]) -> AbstractContextManager[object]:  # noqa: ARG001
    """A span of the trace around one statement. Its parameters stay out of it: they are what people wrote."""
    from opentelemetry import trace

    attributes = {"db.system.name": "neo4j", "db.operation.name": name}
    tracer = trace.get_tracer("wakegraph")
    return tracer.start_as_current_span(f"neo4j {name}", kind=trace.SpanKind.CLIENT, attributes=attributes)


def _looked_at(task: asyncio.Task[None]) -> None:
    """Nobody may be waiting for it: the next call tries again and reports what it meets."""
    if not task.cancelled() and task.exception() is not None:
        logger.debug("the database did not come up: %s", task.exception())
