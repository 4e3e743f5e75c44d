"""The Cypher files: used, declared as they are, and planned on the indexes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from wakegraph.graph.driver import Graph
from wakegraph.graph.queries import statement

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(str(path.relative_to(ROOT / "cypher").with_suffix("")) for path in (ROOT / "cypher").rglob("*.cypher"))
SOURCES = {path: path.read_text(encoding="utf-8") for path in (ROOT / "wakegraph").rglob("*.py")}

# Statements that the code names by a prefix and a value of an enum: f"snapshots/link_{kind}".
FAMILIES = {
    re.sub(r"\{[^}]*\}", r"\\w+", hit)
    for text in SOURCES.values()
    for hit in re.findall(r'f"([a-z]+/[^"]*\{[^"]*)"', text)
}

# These look at the whole database on purpose.
SCANS = {
    "schema/duplicate_artifacts": "looks for copies that no index can hold",
    "schema/duplicate_snapshots": "looks for copies that no index can hold",
    "schema/version": "asks whether there is any node at all, and stops at the first",
}
WHOLE = {"NodeByLabelScan", "AllNodesScan", "RelationshipTypeScan", "DirectedRelationshipTypeScan"}
# One snapshot or one page of a project: the database must find it in order, without reading the project.
UNSORTED: list[str] = []


def text_without_comments(name: str) -> str:
    lines = statement(name).text.splitlines()
    return "\n".join(line.partition("//")[0] for line in lines if not line.startswith("//"))


@pytest.mark.parametrize("name", NAMES)
def test_statement_says_what_it_does(name: str) -> None:
    first = statement(name).text.splitlines()[0]
    assert re.match(r"// [A-Z].{10,}", first), first


@pytest.mark.parametrize("name", NAMES)
def test_declared_parameters_are_those_of_the_text(name: str) -> None:
    used = set(re.findall(r"\$(\w+)", text_without_comments(name)))
    assert used == set(statement(name).params)


@pytest.mark.parametrize("name", NAMES)
def test_statement_is_used(name: str) -> None:
    room, _, file = name.partition("/")
    pattern = rf'"(?:{room}/)?{file}"' if room in {"schema", "browser"} else rf'"{name}"'
    named = any(re.search(pattern, text) for text in SOURCES.values())
    assert named or any(re.fullmatch(family, name) for family in FAMILIES), f"nothing uses cypher/{name}.cypher"


def test_every_statement_named_in_the_code_is_there() -> None:
    rooms = "|".join(sorted({name.partition("/")[0] for name in NAMES}))
    named = {hit for text in SOURCES.values() for hit in re.findall(rf'"((?:{rooms})/[a-z_]+)"', text)}
    assert named <= set(NAMES), named - set(NAMES)


def operators(plan: dict[str, object]) -> Iterator[str]:
    yield str(plan["operatorType"]).partition("@")[0]
    for child in plan.get("children", []):  # type: ignore[attr-defined]
        yield from operators(child)


async def explain(graph: Graph, name: str) -> tuple[list[str], list[str]]:
    """The columns and the plan's operators of a statement."""
    async with graph.session("READ") as session:
        result = await session.run("EXPLAIN " + text_without_comments(name))
        columns = list(result.keys())
        plan = (await result.consume()).plan
    return columns, list(operators(plan)) if plan else []


def is_schema_command(name: str) -> bool:
    return bool(re.match(r"\s*(CREATE|SHOW|DROP)\s+(CONSTRAINT|INDEX|FULLTEXT|INDEXES)", text_without_comments(name)))


PLANNED = [name for name in NAMES if not is_schema_command(name)]


@pytest.mark.parametrize("name", PLANNED)
async def test_declared_columns_are_those_returned(name: str, graph: Graph) -> None:
    columns, _ = await explain(graph, name)
    assert tuple(columns) == statement(name).columns


@pytest.mark.parametrize("name", [name for name in PLANNED if name not in SCANS])
async def test_statement_reads_no_whole_label(name: str, graph: Graph) -> None:
    _, plan = await explain(graph, name)
    assert not WHOLE & set(plan)


@pytest.mark.parametrize("name", UNSORTED)
async def test_statement_reads_in_order(name: str, graph: Graph) -> None:
    _, plan = await explain(graph, name)
    assert not {"Sort", "Top", "PartialSort", "PartialTop"} & set(plan)
