"""query_graph."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from wakegraph.mcp.call import Call
from wakegraph.mcp.guarded import run_guarded
from wakegraph.mcp.text import DATA_NOTE
from wakegraph.mcp.toolkit import Answer, Object, Whole, tool
from wakegraph.models import Model, Scope

__all__ = ["query_graph"]


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
    return Answer(data, f"{len(data.rows)} rows of {', '.join(data.columns)}.{note} {DATA_NOTE}")
