"""query_graph."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from wakegraph.mcp.call import Call
from wakegraph.mcp.guarded import run_guarded
from wakegraph.mcp.text import DATA_NOTE, block
from wakegraph.mcp.toolkit import Answer, Object, Whole, tool
from wakegraph.models import Model, Scope

__all__ = ["query_graph"]


_TEXT = 8_000


class Rows(Model):
    columns: list[str]
    rows: list[dict[str, Any]]
    truncated: bool
    note: str | None = None


@tool("Query the graph", scope=Scope.ADMIN, all_projects=True)
async def query_graph(
    call: Call,
    cypher: Annotated[str, Field(max_length=20_000, description="One read-only statement; values as $parameters")],
    parameters: Annotated[Object | None, Field(description="Values by name")] = None,
    limit: Annotated[Whole, Field(ge=1, le=1000, description="Rows at most")] = 100,
) -> Answer[Rows]:
    """Ask the graph in Cypher what no other tool answers: read-only, within seconds. See wakegraph://schema for nodes
    and relationships.
    """
    data = Rows(**await run_guarded(call.wake.graph, cypher, parameters or {}, limit))
    note = f" {data.note}" if data.note else ""
    shown = list(_shown(data.rows))
    more = (
        [f"... and {len(data.rows) - len(shown)} more in the structured content"] if len(shown) < len(data.rows) else []
    )
    head = f"{len(data.rows)} rows of {', '.join(data.columns)}.{note}"
    return Answer(data, "\n".join([head, *shown, *more, DATA_NOTE]))


def _shown(rows: Iterable[dict[str, Any]]) -> Iterable[str]:
    """The first rows, each as JSON on a line of its own, as far as there is room."""
    room = _TEXT
    for row in rows:
        line = block(json.dumps(row, ensure_ascii=False))
        room -= len(line.encode())
        if room < 0:
            return
        yield line
