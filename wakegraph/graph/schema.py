"""The schema: constraints and indexes by name, applied in versions."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from wakegraph.errors import ConflictError, DatabaseError
from wakegraph.graph.driver import Graph
from wakegraph.models import SchemaReport

__all__ = ["SCHEMA_VERSION", "SchemaState", "apply", "missing_indexes", "prepare", "report", "state"]

SCHEMA_VERSION = 1
_ATTEMPTS = 4

# Uniqueness first: they are what the other writes rely on.
_CONSTRAINTS = ("project_key", "lock_key", "schema_key", "snapshot_key", "snapshot_retry_key", "artifact_key")
_INDEXES = (
    "snapshot_id_index",
    "snapshot_created_at_index",
    "snapshot_prediction_score_index",
    "snapshot_last_activity_index",
    "snapshot_last_predicted_index",
    "snapshot_session_index",
    "tombstone_index",
    "snapshot_text_index",
)
_NAMES = (
    "wakegraph_project_key",
    "wakegraph_lock_key",
    "wakegraph_schema_key",
    "wakegraph_snapshot_key",
    "wakegraph_snapshot_retry_key",
    "wakegraph_artifact_key",
    "wakegraph_snapshot_id",
    "wakegraph_snapshot_created_at",
    "wakegraph_snapshot_prediction_score",
    "wakegraph_snapshot_last_activity",
    "wakegraph_snapshot_last_predicted",
    "wakegraph_snapshot_session",
    "wakegraph_tombstone_id",
    "snapshot_text",
)
# Version -> what brings the version before it there. Version 1 is the first.
_MIGRATIONS: dict[int, Callable[[Graph], Awaitable[None]]] = {}


@dataclass(frozen=True, slots=True)
class SchemaState:
    """What the database holds: the applied version (None: none) and whether it is empty."""

    version: int | None
    empty: bool


async def state(graph: Graph) -> SchemaState:
    """The applied version, and whether the database is empty."""
    row = await graph.read_one("schema/version")
    assert row is not None  # noqa: S101  the statement always returns one row
    return SchemaState(row["version"], row["empty"])


async def prepare(graph: Graph, *, now: datetime, read_only: bool) -> None:
    """Make the database usable, or say in one line why it is not.

    An empty database gets the schema, an older schema is migrated forward; anything that is not ours is left alone.

    Args:
        graph: the database.
        now: the time to record, aware.
        read_only: never write; a missing or older schema is then an error.

    Raises:
        DatabaseError: foreign data, a newer schema, or a missing one in read-only mode.
    """
    found = await state(graph)
    where = graph.target.uri if graph.target else "its address"
    if found.version == SCHEMA_VERSION:
        return
    _refuse_newer(found, where)
    if found.version is None and not found.empty:
        raise DatabaseError(
            f"the database at {where} is not empty and was not made by wakegraph, so it was left alone: "
            "run `wakegraph schema apply` to use it for wakegraph too"
        )
    if read_only:
        raise DatabaseError(
            f"the database at {where} has no current wakegraph schema and read-only mode may not create it: "
            "run `wakegraph schema apply` first"
        )
    await apply(graph, now=now)


async def apply(graph: Graph, *, now: datetime) -> None:
    """Create all constraints and indexes that are missing and record the version. Safe to repeat and to race.

    Raises:
        DatabaseError: stored data contradicts a constraint; the line names the ids. Or the schema is a newer one.
    """
    found = await state(graph)
    _refuse_newer(found, graph.target.uri if graph.target else "its address")
    for name in _CONSTRAINTS:
        await _create(graph, name)
    for name in _INDEXES:
        await _create(graph, name)
    await graph.write("schema/await_indexes", seconds=600)
    for version in range((found.version or SCHEMA_VERSION) + 1, SCHEMA_VERSION + 1):
        await _MIGRATIONS[version](graph)
    await graph.write("schema/record_version", version=SCHEMA_VERSION, now=now)


def _refuse_newer(found: SchemaState, where: str) -> None:
    if found.version is not None and found.version > SCHEMA_VERSION:
        raise DatabaseError(
            f"the database at {where} has wakegraph schema {found.version}, this wakegraph knows up to "
            f"{SCHEMA_VERSION}: upgrade wakegraph"
        )


async def missing_indexes(graph: Graph) -> list[str]:
    """Names of the constraints and indexes of the schema that are not there or not online."""
    online = {row["name"] for row in await graph.read("schema/indexes") if row["state"] == "ONLINE"}
    return [name for name in _NAMES if name not in online]


async def report(graph: Graph) -> SchemaReport:
    """Version, missing indexes and server of the database in use."""
    target = await graph.ready()
    found = await state(graph)
    missing = await missing_indexes(graph)
    kernel = await graph.read_one("schema/components")
    server = f"{kernel['name']} {kernel['edition']} {kernel['version']}" if kernel else "unknown"
    return SchemaReport(
        uri=target.uri,
        server=server,
        version=found.version,
        wanted=SCHEMA_VERSION,
        missing=missing,
        ok=found.version == SCHEMA_VERSION and not missing,
    )


async def _create(graph: Graph, name: str) -> None:
    for attempt in range(_ATTEMPTS):
        try:
            await graph.write(f"schema/{name}")
        except (ConflictError, DatabaseError) as error:
            colliding = await _collisions(graph, name)
            if colliding:
                raise DatabaseError(
                    f"the database holds more than one node for {', '.join(colliding)}: "
                    "remove the copies, then run `wakegraph schema apply`"
                ) from None
            if attempt == _ATTEMPTS - 1:
                raise DatabaseError(f"schema {name} could not be created: {error}") from error
            # IF NOT EXISTS is an error all the same when another process creates it at this very moment.
            await asyncio.sleep(0.1)
        else:
            return


async def _collisions(graph: Graph, name: str) -> list[str]:
    finder = {"snapshot_key": "schema/duplicate_snapshots", "artifact_key": "schema/duplicate_artifacts"}.get(name)
    if finder is None:
        return []
    return [f"{row['key']} ({row['copies']} copies)" for row in await graph.read(finder)]
