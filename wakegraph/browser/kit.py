"""The saved queries and the style sheet, as files that Neo4j Browser takes when they are dropped on it."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from pathlib import Path

from wakegraph.errors import InvalidInputError
from wakegraph.graph.queries import cypher_root, statement

__all__ = ["FOLDER", "QUERIES", "STYLE", "Favourite", "favourites", "favourites_zip", "style", "write_kit"]

FOLDER = "wakegraph"
STYLE = "wakegraph.grass"
QUERIES = (
    "whole_project",
    "why_this",
    "all_causes",
    "what_follows",
    "roots",
    "branches",
    "hot_memory",
    "cold_memory",
    "highest_predictions",
    "orphans",
    "time_inversions",
    "dependency_hubs",
    "superseded",
    "about_a_file",
)
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Favourite:
    """A saved query.

    Attributes:
        name: name of its file, without the ending.
        title: what Neo4j Browser lists it as: its first comment line.
        text: the query with its comments.
        params: names of the parameters to set before it is run.
    """

    name: str
    title: str
    text: str
    params: frozenset[str]


def favourites() -> list[Favourite]:
    """All saved queries, in the order of a first tour."""
    found = []
    for name in QUERIES:
        stated = statement(f"browser/{name}")
        lines = [line for line in stated.text.splitlines() if not line.startswith(("// params:", "// returns:"))]
        title = lines[0].removeprefix("// ")
        found.append(Favourite(name, title, "\n".join(lines) + "\n", stated.params))
    return found


def style() -> str:
    """The style sheet."""
    return cypher_root().joinpath("browser", STYLE).read_text(encoding="utf-8")


def favourites_zip() -> bytes:
    """All saved queries in the archive that Neo4j Browser imports as a folder of favourites; always the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, favourite in enumerate(favourites(), 1):
            entry = zipfile.ZipInfo(f"{FOLDER}/{number:02}-{favourite.name.replace('_', '-')}.cypher", _EPOCH)
            archive.writestr(entry, favourite.text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write_kit(folder: Path) -> list[Path]:
    """Write the archive of favourites and the style sheet into a folder, over older ones.

    Args:
        folder: made when it is not there.

    Returns:
        The files written.

    Raises:
        InvalidInputError: it cannot be written to.
    """
    files = {"wakegraph-favourites.zip": favourites_zip(), STYLE: style().encode()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            folder.joinpath(name).write_bytes(data)
    except OSError as error:
        raise InvalidInputError(f"the kit cannot be written to {str(folder)!r}: {error.strerror}") from None
    return [folder / name for name in files]
