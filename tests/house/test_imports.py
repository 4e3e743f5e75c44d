"""The direction of imports: outer rooms know inner ones, never the other way round."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "wakegraph"
MODULES = sorted(PACKAGE.rglob("*.py"))

# Each exception with its reason.
DRIVER_USERS = {
    "engine/archive.py": "trains the archive of Java classes by talking to the engine as a client does",
    "mcp/guarded.py": "query_graph runs a caller's statement in one explicit transaction of its own",
}
ROOMS = {
    "snapshots",
    "causality",
    "memory",
    "propagation",
    "interchange",
    "backup",
    "resume",
    "demo",
    "engine",
    "graph",
    "browser",
    "view",
    "mcp",
    "cli",
}
OUTER = {"cli", "mcp", "view", "app"}
PURE = [
    "snapshots/rules.py",
    "causality/rules.py",
    "causality/reasoning.py",
    "causality/mermaid.py",
    "memory/tiers.py",
    "propagation/scoring.py",
    "propagation/activation.py",
    "demo/decisions.py",
]
# What a pure module may know of ours: the shared values and errors, the models of its room, and other pure modules.
SHARED = {"models", "errors"}


def imports(path: Path) -> Iterator[str]:
    """Dotted names of the modules that a file imports, those for type checkers included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def ours(path: Path) -> set[str]:
    """The rooms and single modules of wakegraph that a file imports."""
    names = (name.split(".") for name in imports(path))
    return {parts[1] for parts in names if parts[0] == "wakegraph" and len(parts) > 1}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_do_not_know_what_is_outside_them(path: Path) -> None:
    room = room_of(path)
    if room in OUTER | {"__main__", "__init__"}:
        return
    assert not ours(path) & OUTER, "a room must not import the composition root or an interface"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_the_graph_room_knows_the_driver(path: Path) -> None:
    drivers = {name for name in imports(path) if name.split(".")[0] == "neo4j"}
    assert not drivers or room_of(path) == "graph" or str(path.relative_to(PACKAGE)) in DRIVER_USERS


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_interfaces_reach_the_database_through_the_services(path: Path) -> None:
    if room_of(path) in {"cli", "mcp"} and str(path.relative_to(PACKAGE)) not in DRIVER_USERS:
        assert "graph" not in ours(path)


def test_the_graph_and_engine_rooms_know_no_other_room() -> None:
    for room in ("graph", "engine"):
        for path in (PACKAGE / room).rglob("*.py"):
            if str(path.relative_to(PACKAGE)) in DRIVER_USERS:
                continue
            assert not ours(path) & (ROOMS - {room}), path


@pytest.mark.parametrize("name", PURE)
def test_pure_modules_do_no_io(name: str) -> None:
    path = PACKAGE / name
    room = name.partition("/")[0]
    pure = {f"wakegraph.{other.removesuffix('.py').replace('/', '.')}" for other in PURE}
    for full in imports(path):
        top = full.split(".")[0]
        if top == "wakegraph":
            module = full.rpartition(".")[0]
            known = (
                full.split(".")[1] in SHARED or module in pure or full in pure or module == f"wakegraph.{room}.models"
            )
            assert known, f"{name} imports {full}"
        else:
            assert top in {"numpy", "uuid6", "__future__"} or top in sys.stdlib_module_names, f"{name} imports {full}"


def test_only_settings_read_the_environment() -> None:
    readers = {
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if any(word in path.read_text(encoding="utf-8") for word in ("os.environ[", "os.environ.get", "os.getenv"))
    }
    assert readers <= {"settings.py"}
