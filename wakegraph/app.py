"""The composition root: settings -> database -> services -> `Wakegraph`. The only place that wires."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from wakegraph.backup.service import Backup
from wakegraph.causality.service import Causality
from wakegraph.errors import AccessDeniedError
from wakegraph.graph import schema
from wakegraph.graph.driver import Graph, Target
from wakegraph.interchange.service import Interchange
from wakegraph.memory.service import Memory
from wakegraph.models import SchemaReport
from wakegraph.propagation.service import Propagation
from wakegraph.resume.service import Resume
from wakegraph.settings import Settings, load_settings
from wakegraph.snapshots.service import Snapshots

if TYPE_CHECKING:
    from wakegraph.engine import EngineConfig, Progress

__all__ = ["Clock", "Wakegraph", "engine_config"]

Clock = Callable[[], datetime]


def _utc_now() -> datetime:
    return datetime.now(UTC)


def engine_config(settings: Settings) -> EngineConfig:
    """The local engine's part of the settings."""
    from wakegraph.engine import EngineConfig

    return EngineConfig(
        home=settings.home,
        neo4j_version=settings.engine_version,
        bolt_port=settings.engine_bolt_port,
        http_port=settings.engine_http_port,
        heap_mb=settings.engine_heap_mb,
        page_cache_mb=settings.engine_page_cache_mb,
        idle_seconds=settings.engine_idle_seconds,
        offline=settings.offline,
        archive=settings.engine_archive,
    )


class Wakegraph:
    """The causal memory: one connection and the services on it.

    Use `async with Wakegraph.open() as wake:`; nothing is connected before the first call.

    Attributes:
        snapshots: save, get, list, update, delete, link.
        causality: why snapshots exist and what follows from them.
        memory: access, tiers, statistics of them, pruning.
        propagation: scores, the refresh, what is worth keeping at hand, what will be needed next.
        interchange: imports of files and git histories, exports.
        resume: one page to go on from.
        archive: backup into a file, restore from it.

    Args:
        settings: all settings.
        clock: gives the present time, aware.
        on_progress: told what the local engine does while it is brought up.
        prepare: False to use the database as it is, for the commands that look at its schema.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Clock = _utc_now,
        on_progress: Callable[[Progress], None] | None = None,
        prepare: bool = True,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self._on_progress = on_progress
        self.graph = Graph(
            self._find_database,
            self._prepare_database if prepare else None,
            connection_timeout=settings.connection_timeout,
            retry_time=settings.retry_time,
            pool_size=settings.pool_size,
        )
        self.snapshots = Snapshots(self.graph, settings, clock)
        self.causality = Causality(self.graph, settings, clock)
        self.memory = Memory(self.graph, settings, clock)
        self.propagation = Propagation(self.graph, settings, clock)
        self.interchange = Interchange(self.graph, settings, clock)
        self.resume = Resume(self.graph, settings, self.causality)
        self.archive = Backup(self.graph, settings)

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings | None = None, *, clock: Clock = _utc_now, **overrides: Any
    ) -> AsyncIterator[Wakegraph]:
        """Open the memory for the length of an `async with` block.

        Args:
            settings: all settings; by default those of the environment.
            clock: gives the present time, aware; replace it to replay answers.
            overrides: single settings by name, such as `project="my-app"`.
        """
        wake = cls(settings or load_settings(**overrides), clock=clock)
        try:
            yield wake
        finally:
            await wake.close()

    async def close(self) -> None:
        """Close the connections. The local engine stays up for its other clients."""
        await self.graph.close()

    async def schema_report(self) -> SchemaReport:
        """Version, missing indexes and server of the database in use."""
        return await schema.report(self.graph)

    async def apply_schema(self) -> SchemaReport:
        """Create all constraints and indexes that are missing, also in a database that holds other data.

        Raises:
            AccessDeniedError: in read-only mode.
            DatabaseError: stored data contradicts a constraint; the line names the ids.
        """
        if self.settings.read_only:
            raise AccessDeniedError("read-only mode may not change the schema: unset WAKEGRAPH_READ_ONLY")
        await schema.apply(self.graph, now=self.clock())
        return await self.schema_report()

    async def _find_database(self) -> Target:
        settings = self.settings
        if settings.neo4j_uri:
            password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
            return Target(
                settings.neo4j_uri,
                settings.neo4j_username,
                password,
                settings.neo4j_database,
                hint="check that it runs there, or unset WAKEGRAPH_NEO4J_URI and NEO4J_URI to use the local engine",
            )
        from wakegraph import engine

        endpoint = await engine.ensure(engine_config(settings), self._on_progress)
        return Target(
            endpoint.uri,
            endpoint.username,
            endpoint.password,
            endpoint.database,
            alive=endpoint.alive,
            hint="run `wakegraph engine status`",
        )

    async def _prepare_database(self, graph: Graph) -> None:
        await schema.prepare(graph, now=self.clock(), read_only=self.settings.read_only)
