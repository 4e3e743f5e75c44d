"""docs/tools.md: every tool with its parameters and an example dialogue from real calls.

`python -m tools.tool_docs` writes it, on the database that the tests use; a test compares it with what is answered.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from fastmcp import Client

from tests.databases import database
from wakegraph.app import Wakegraph
from wakegraph.mcp.server import create_server
from wakegraph.mcp.tools import ALL
from wakegraph.settings import Settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tools.md"
START = datetime(2026, 1, 15, 9, 0, tzinfo=UTC)

_REMOVE = """
MATCH (n:Snapshot|Artifact|WakegraphTombstone|WakegraphProject) WHERE n.project = $project OR n.name = $project
DETACH DELETE n
"""

HEAD = """\
# The tools

What agents see over MCP. Names are camelCase on the wire; snake_case is accepted, and so are `id` and `snapshotId` for
one another. `project` may be left out where a default project is known. Answers come as structured content and as a
short text; both are shown below as they were answered in a project `shop`, one call after the other. Figures that
depend on the rest of the database are shown as 0.5. Scopes (`read`, `write`, `admin`) matter over HTTP with tokens.
"""

DIALOGUE: tuple[tuple[str, dict[str, Any]], ...] = (
    (
        "save_context",
        {
            "content": "Keep the cart in the database, not in the session.",
            "id": "cart-in-db",
            "actionType": "decision",
            "rationale": "sessions are lost on deploy",
            "about": ["src/cart.py"],
            "author": "ada",
            "session": "monday",
        },
    ),
    (
        "save_context",
        {
            "content": "Cart table with one row per line.",
            "id": "cart-table",
            "actionType": "file_edit",
            "causedBy": ["cart-in-db"],
            "about": ["src/cart.py"],
            "author": "ada",
            "session": "monday",
            "detectDependencies": False,
        },
    ),
    (
        "save_context",
        {"content": "Carts expire after 30 days.", "id": "cart-expiry", "actionType": "decision", "author": "bob"},
    ),
    ("link_contexts", {"id": "cart-expiry", "causedBy": ["cart-table"], "rationale": "the table grew"}),
    ("resume_work", {"author": "ada"}),
    ("load_context", {"limit": 2}),
    ("search_context", {"query": "cart*", "actionType": "decision"}),
    ("get_context", {"ids": ["cart-table"]}),
    ("reconstruct_reasoning", {"about": "src/cart.py"}),
    ("predict_next", {"given": ["cart-in-db"], "limit": 2}),
    ("list_projects", {}),
    ("update_context", {"id": "cart-table", "tags": ["schema"]}),
    ("delete_context", {"id": "cart-table"}),
    ("build_causal_chain", {"snapshotId": "cart-expiry"}),
    ("explore_causality", {"snapshotId": "cart-in-db", "direction": "effects"}),
    ("get_causality_stats", {}),
    ("validate_causality", {}),
    ("get_memory_stats", {}),
    ("recalculate_memory_tiers", {"project": "shop"}),
    ("prune_expired_contexts", {}),
    ("update_predictions", {}),
    ("get_high_value_contexts", {"minScore": 0.5, "limit": 1}),
    ("get_propagation_stats", {}),
    (
        "query_graph",
        {"cypher": "MATCH (s:Snapshot {project: $p}) RETURN s.id AS id ORDER BY id", "parameters": {"p": "shop"}},
    ),
)


async def page(settings: Settings) -> str:
    """The whole page, from calls on a database; leaves nothing behind."""
    project = f"docs-{uuid4().hex[:8]}"
    moments = (START + timedelta(minutes=minute) for minute in range(10_000))
    async with Wakegraph.open(settings.model_copy(update={"project": project}), clock=lambda: next(moments)) as wake:
        try:
            async with Client(create_server(wake)) as client:
                listed = {tool.name: tool for tool in await client.list_tools()}
                examples: dict[str, list[str]] = {}
                for name, arguments in DIALOGUE:
                    sent = json.loads(json.dumps(arguments).replace('"shop"', f'"{project}"'))
                    answer = await client.call_tool(name, sent)
                    shown = _example(arguments, answer.content[0].text, answer.structured_content, project)
                    examples.setdefault(name, []).append(shown)
        finally:
            async with wake.graph.session("WRITE") as session:
                await (await session.run(_REMOVE, project=project)).consume()
    parts = [HEAD, _overview(listed), *(_section(listed[spec.name], examples[spec.name]) for spec in ALL)]
    return "\n".join(parts)


def _overview(listed: Mapping[str, Any]) -> str:
    rows = [
        f"| [`{spec.name}`](#{spec.name}) | {'core' if spec.core else ''} | {spec.scope} | {listed[spec.name].title} |"
        for spec in ALL
    ]
    return "\n".join(["| tool | tool set | scope | |", "| --- | --- | --- | --- |", *rows, ""])


def _section(tool: Any, examples: list[str]) -> str:
    needed = tool.input_schema.get("required", [])
    rows = [
        f"| `{name}` | {_kind(schema)} | {'required' if name in needed else _default(schema)} "
        f"| {schema['description']} |"
        for name, schema in tool.input_schema["properties"].items()
    ]
    table = ["| parameter | type | default | |", "| --- | --- | --- | --- |", *rows, ""] if rows else []
    return "\n".join([f"## {tool.name}", "", tool.description, "", *table, *examples])


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "maximum" in schema:
        return f"{schema['type']} {schema['minimum']}-{schema['maximum']}"
    return "list of texts" if schema["type"] == "array" else str(schema["type"])


def _default(schema: Mapping[str, Any]) -> str:
    return f"`{json.dumps(schema['default'])}`" if "default" in schema else ""


def _example(arguments: Mapping[str, Any], text: str, data: dict[str, Any], project: str) -> str:
    if "projects" in data and isinstance(data["projects"], list):
        mine = [item for item in data["projects"] if item["project"] == project]
        data = {**data, "projects": mine, "total": 1}
        text = "1 projects, last active first\n" + "".join(
            f"- {project}: {item['snapshots']} snapshots" for item in mine
        )
    lines = [
        *("```json", json.dumps(arguments, ensure_ascii=False), "```", ""),
        *("```text", _settled(text, project), "```", ""),
        *("```json", _settled(json.dumps(data, ensure_ascii=False, indent=1), project), "```", ""),
    ]
    return "\n".join(lines)


def _settled(text: str, project: str) -> str:
    """The text without what differs from database to database and from run to run."""
    text = text.replace(project, "shop")
    text = re.sub(r'"(relevance|score|seconds)": [\d.e-]+', r'"\1": 0.5', text)
    return re.sub(r"\d+\.\d\d s\b", "0.50 s", text)


async def _write() -> None:
    async with database() as settings:
        PAGE.write_text(await page(settings), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write())
