"""One read-only statement of a caller's own, run so that it can neither write, nor reach outside, nor run for long.

Three independent guards: the plan (only operators that read the graph), the access mode of the transaction, and limits
of time, of rows, and of bytes, both answered and received. Keywords are never looked for: text can be disguised, a plan
cannot.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from wakegraph.errors import InvalidInputError
from wakegraph.graph.driver import Graph, translate
from wakegraph.graph.queries import statement

if TYPE_CHECKING:
    from neo4j import AsyncResult, AsyncTransaction

__all__ = ["OPERATORS", "PROCEDURES", "run_guarded"]

logger = logging.getLogger(__name__)

SECONDS = 10.0
_GRACE = 2.0
_BYTES = 24_000
_RECEIVED = 8_000_000
_FETCH = 50
_STUCK = 2
_DEPTH = 20

_REDUCE = re.compile(r"\b(?:all)?reduce\(", re.IGNORECASE)

PROCEDURES = frozenset(
    {
        "db.index.fulltext.queryNodes",
        "db.index.fulltext.queryRelationships",
        "db.labels",
        "db.propertyKeys",
        "db.relationshipTypes",
        "db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties",
        "db.schema.visualization",
    }
)
"""Procedures that only read the graph or its schema."""

OPERATORS = frozenset(
    {
        "AllNodesScan", "AllPathsSequence", "Anti", "AntiConditionalApply", "AntiSemiApply", "Apply", "Argument",
        "AssertSameNode", "BFSPruningVarLengthExpand", "BidirectionalRepeat(Trail)", "BidirectionalRepeat(Walk)",
        "CacheProperties", "CartesianProduct", "ConditionalApply", "DirectedAllRelationshipsScan",
        "DirectedRelationshipByElementIdSeek", "DirectedRelationshipByIdSeek",
        "DirectedRelationshipIndexContainsScan", "DirectedRelationshipIndexEndsWithScan",
        "DirectedRelationshipIndexScan", "DirectedRelationshipIndexSeek", "DirectedRelationshipIndexSeekByRange",
        "DirectedRelationshipTypeScan", "DirectedUnionRelationshipTypesScan", "Distinct", "DynamicLabelNodeLookup",
        "Eager", "EagerAggregation", "EmptyRow", "Expand(All)", "Expand(Into)", "Filter",
        "IntersectionNodeByLabelsScan", "LeftOuterHashJoin", "LetAntiSemiApply", "LetSelectOrAntiSemiApply",
        "LetSelectOrSemiApply", "LetSemiApply", "Limit", "MultiNodeIndexSeek", "NodeByElementIdSeek",
        "NodeByIdSeek", "NodeByLabelScan", "NodeCountFromCountStore", "NodeHashJoin", "NodeIndexContainsScan",
        "NodeIndexEndsWithScan", "NodeIndexScan", "NodeIndexSeek", "NodeIndexSeekByRange", "NodeLeftOuterHashJoin",
        "NodeRightOuterHashJoin", "NodeUniqueIndexSeek", "NodeUniqueIndexSeekByRange", "Optional",
        "OptionalExpand(All)", "OptionalExpand(Into)", "OrderedAggregation", "OrderedDistinct", "OrderedUnion",
        "PartialSort", "PartialTop", "PartitionedAllNodesScan", "PartitionedNodeByLabelScan", "PathPropagatingBFS",
        "ProduceResults", "ProjectEndpoints", "Projection", "PruningVarLengthExpand",
        "RelationshipCountFromCountStore", "Repeat(Trail)", "Repeat(Walk)", "RightOuterHashJoin", "RollUpApply",
        "SelectOrAntiSemiApply", "SelectOrSemiApply", "SemiApply", "ShortestPath", "Skip", "Sort",
        "StatefulShortestPath(All)", "StatefulShortestPath(Into)", "SubtractionNodeByLabelsScan", "Top",
        "Top1WithTies", "Trail", "TriadicBuild", "TriadicFilter", "TriadicSelection",
        "UndirectedAllRelationshipsScan", "UndirectedNodeByIdSeek", "UndirectedRelationshipByElementIdSeek",
        "UndirectedRelationshipByIdSeek", "UndirectedRelationshipIndexScan", "UndirectedRelationshipIndexSeek",
        "UndirectedRelationshipTypeScan", "UndirectedUnionRelationshipTypesScan", "Union", "UnionNodeByLabelsScan",
        "Unwind", "ValueHashJoin", "VarLengthExpand(All)", "VarLengthExpand(Into)", "VarLengthExpand(Pruning)",
        "VarLengthExpand(Pruning,All)", "VarLengthExpand(Pruning,BFS)", "VarLengthExpand(Pruning,BFS,All)",
        "VarLengthExpand(Pruning,BFS,Into)",
    }
)  # fmt: skip
"""Operators that only read the graph. All others are refused: writes, LOAD CSV, SHOW, TERMINATE, administration."""


async def run_guarded(graph: Graph, cypher: str, parameters: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Run one read-only statement.

    Args:
        graph: the database.
        cypher: the statement.
        parameters: its parameters.
        limit: rows at the most.

    Returns:
        `columns`, `rows` (each by column), `truncated`, `note`.

    Raises:
        InvalidInputError: it is not a statement that may run here; the line says why.
        DatabaseError: the database is not there, or refused it.
    """
    if not cypher.strip():
        raise InvalidInputError(
            "cypher is empty: give one read-only statement, such as MATCH (s:Snapshot) RETURN count(s)"
        )
    tag = f"wakegraph-query-{uuid4().hex}"
    task = asyncio.create_task(_run(graph, cypher, dict(parameters), limit, tag))
    try:
        return await asyncio.wait_for(asyncio.shield(task), SECONDS + _GRACE)
    except TimeoutError:
        raise InvalidInputError(f"the statement ran longer than {SECONDS:g} s and was ended: narrow it down") from None
    finally:
        if not task.done():
            # The server's own limit is late: it is only looked at between some steps of the work.
            await _end(graph, tag)
            task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await task


async def _run(graph: Graph, cypher: str, parameters: dict[str, Any], limit: int, tag: str) -> dict[str, Any]:
    from neo4j import exceptions as driver_errors

    try:
        await _examine(graph, cypher, parameters, tag)
        async with graph.session("READ", fetch_size=_FETCH) as session:
            transaction = await session.begin_transaction(timeout=SECONDS, metadata={"wakegraph": tag})
            received = _Received(transaction)
            try:
                return await _collect(await transaction.run(cypher, parameters), limit)
            except driver_errors.DriverError:
                if received.too_much:
                    raise InvalidInputError(
                        f"the statement returns more than {_RECEIVED:,} bytes at once: return less, such as size(list) "
                        "or left(text, 100)"
                    ) from None
                raise
            finally:
                await _leave(transaction)
                received.release()
    except (driver_errors.ClientError, driver_errors.TransientError, driver_errors.CypherTypeError) as error:
        raise _refusal(error) from None
    except driver_errors.Neo4jError as error:
        raise translate(error, graph.target) from error
    except driver_errors.DriverError as error:
        raise translate(error, graph.target) from error


class _Received:
    """Cuts the connection of a transaction that sends too much.

    The driver reads and decodes a record whole, however large it is, and nothing else runs meanwhile. It has no limit
    of its own for that, so its socket is watched.
    """

    def __init__(self, transaction: AsyncTransaction) -> None:
        self._socket: Any = transaction._connection.socket  # noqa: SLF001  the driver offers no other way
        self._room = _RECEIVED
        self._socket.recv_into = self._recv_into

    @property
    def too_much(self) -> bool:
        return self._room < 0

    def release(self) -> None:
        """Let the connection be as it was; it may serve others now."""
        del self._socket.recv_into

    async def _recv_into(self, buffer: Any, nbytes: int) -> int:
        received: int = await type(self._socket).recv_into(self._socket, buffer, nbytes)
        self._room -= received
        if self.too_much:
            raise OSError(f"more than {_RECEIVED} bytes were sent")
        return received


async def _leave(transaction: AsyncTransaction) -> None:
    with suppress(Exception):
        await transaction.rollback()


async def _examine(graph: Graph, cypher: str, parameters: dict[str, Any], tag: str) -> None:
    """Refuse a statement whose plan holds anything that is not a read of the graph."""
    async with graph.session("READ") as session:
        transaction = await session.begin_transaction(timeout=SECONDS, metadata={"wakegraph": tag})
        try:
            result = await transaction.run(f"EXPLAIN {cypher}", parameters)
            summary = await result.consume()
            own = [row["name"] async for row in await transaction.run(statement("mcp/own_functions").text)]
            ended = await transaction.run(statement("mcp/ended").text, seconds=round(2 * (SECONDS + _GRACE)))
            stuck = (await ended.single(strict=True))["running"]
        finally:
            await _leave(transaction)
    if summary.plan is None or summary.query_type != "r":
        raise InvalidInputError("query_graph runs read-only statements only; this one may change something")
    if stuck >= _STUCK:
        raise InvalidInputError(
            f"{stuck} statements of query_graph that were ended have not stopped yet, and the database would not "
            "bear another: try again later, or restart the database"
        )
    for operator, arguments in _operators(summary.plan):
        # It can fill the memory in thirty steps, and nothing ends it before it is done.
        if _REDUCE.search(str(arguments.get("Details", ""))):
            raise InvalidInputError(
                "query_graph does not run reduce(): use UNWIND with sum(), collect(), min() or max()"
            )
        if operator == "ProcedureCall":
            name = str(arguments.get("Details", "")).partition("(")[0].strip().strip("`")
            if name not in PROCEDURES:
                raise InvalidInputError(
                    f"procedure {name} may not be called here; allowed are {', '.join(sorted(PROCEDURES))}"
                )
        elif operator not in OPERATORS:
            raise InvalidInputError(f"query_graph does not run {operator}: use MATCH, UNWIND, WITH and RETURN")
    flat = "".join(cypher.split()).replace("`", "").casefold()
    for name in own:
        # What an installed plug-in's function does is unknown: even a read may reach the network.
        if name.casefold() in flat or name.rpartition(".")[2].casefold() + "(" in flat:
            raise InvalidInputError(f"function {name} may not be called here: only those built into Cypher are")


def _operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node["operatorType"].partition("@")[0], node.get("args", {})
        waiting += node.get("children", [])


async def _collect(result: AsyncResult, limit: int) -> dict[str, Any]:
    columns = list(result.keys())
    rows: list[dict[str, Any]] = []
    used, note = 0, None
    async for record in result:
        if len(rows) == limit:
            note = f"There are more rows than {limit}: raise limit, aggregate, or page with SKIP and LIMIT."
            break
        row = {name: plain(value) for name, value in zip(columns, record.values(), strict=True)}
        used += len(json.dumps(row, ensure_ascii=False).encode())
        if used > _BYTES:
            note = f"Cut after {len(rows)} rows at {_BYTES:,} bytes: return less, or page with SKIP and LIMIT."
            break
        rows.append(row)
    if note is None and (await result.consume()).plan is not None:
        raise InvalidInputError("query_graph answers with rows: leave out EXPLAIN and PROFILE")
    return {"columns": columns, "rows": rows, "truncated": note is not None, "note": note}


def plain(value: Any, depth: int = 0) -> Any:
    """A value of the database as JSON: nodes and relationships as their properties, times as texts."""
    from neo4j.graph import Node, Path, Relationship

    if depth > _DEPTH:
        return "..."
    deeper = depth + 1
    if isinstance(value, Node):
        return {"labels": sorted(value.labels), "properties": plain(dict(value), deeper)}
    if isinstance(value, Relationship):
        ends = [node and (node.get("id") or node.element_id) for node in (value.start_node, value.end_node)]
        return {"type": value.type, "start": ends[0], "end": ends[1], "properties": plain(dict(value), deeper)}
    if isinstance(value, Path):
        return {
            "nodes": [plain(node, deeper) for node in value.nodes],
            "relationships": [plain(r, deeper) for r in value],
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item, deeper) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)) and not hasattr(value, "srid") and not hasattr(value, "iso_format"):
        return [plain(item, deeper) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value.iso_format() if hasattr(value, "iso_format") else str(value)


async def _end(graph: Graph, tag: str) -> None:
    """End the transactions of one call from outside."""
    try:
        async with graph.session("WRITE") as session:
            rows = await session.run(statement("mcp/running").text, tag=tag)
            for name in [row["name"] async for row in rows]:
                await (await session.run(statement("mcp/terminate").text, name=name)).consume()
    except Exception:
        logger.exception("a statement that ran too long could not be ended")


def _refusal(error: Exception) -> InvalidInputError:
    code, message = getattr(error, "code", "") or "", getattr(error, "message", None) or str(error)
    line = " ".join(message.split())[:400]
    if "Terminated" in code or "TimedOut" in code:
        return InvalidInputError(f"the statement ran longer than {SECONDS:g} s and was ended: narrow it down")
    if "MemoryPool" in code or "OutOfMemory" in code:
        return InvalidInputError("the statement needs more memory than the database has for one: narrow it down")
    return InvalidInputError(f"the database refused the statement: {line}")
