"""The Cypher statements: one file each under `cypher/`, loaded once.

A file starts with comment lines: what it does, then `// params: name: TYPE, ...` and `// returns: column, ...` (both
may go on in further lines that start with `//   `), then the statement. `statement("room/name")` is the only way to get
one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["Statement", "cypher_root", "statement"]

_SECTION = re.compile(r"^// (params|returns):\s*(.*)$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its declared interface.

    Attributes:
        name: `room/name`, the path under `cypher/` without its ending.
        text: the statement with its leading comment, so that the server's query log explains itself.
        params: names of its parameters.
        columns: names of the columns it returns.
    """

    name: str
    text: str
    params: frozenset[str]
    columns: tuple[str, ...]


@cache
def cypher_root() -> Traversable:
    """The folder of statements: inside an installed package, beside it in a checkout."""
    packaged = files("wakegraph") / "cypher"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "cypher"


@cache
def statement(name: str) -> Statement:
    """Load the statement `name` (`room/name`).

    Raises:
        FileNotFoundError: there is no such file: a defect of wakegraph, not of its caller.
    """
    text = cypher_root().joinpath(*f"{name}.cypher".split("/")).read_text(encoding="utf-8")
    sections = _header(text)
    params = frozenset(part.split(":")[0].strip() for part in _split(sections.get("params", "")))
    return Statement(name, text, params, tuple(_split(sections.get("returns", ""))))


def _header(text: str) -> dict[str, str]:
    sections: dict[str, str] = {}
    current: str | None = None
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        match = _SECTION.match(line)
        if match:
            current = match[1]
            sections[current] = match[2]
        elif current and line.startswith("//   "):
            sections[current] += " " + line[5:]
    return sections


def _split(text: str) -> list[str]:
    """Split at commas that are not inside LIST<MAP{...}> style brackets."""
    parts = re.split(r",\s*(?![^<({]*[>)}])", text)
    return [part.strip() for part in parts if part.strip()]
