"""The database file of Wake Intelligence: the table `context_snapshots`, opened for reading only.

Facts become those of a snapshot; the summary, the only text there is, is its content too. What is derived (tier, score,
predictions) is made anew, and kept as it was in the metadata under the key `wake_intelligence`, beside whatever cannot
be a fact here: unknown values, columns of later versions, links that lead nowhere.

Wake Intelligence gives a snapshot saved without any cause the rationale `Saved context for project: ...` and, as
dependencies, what was saved in the hour before. Such dependencies are `detected`; all other links are `imported`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NoReturn
from urllib.parse import quote

from wakegraph.errors import InvalidInputError
from wakegraph.interchange.models import Problem
from wakegraph.interchange.records import Reader, Record
from wakegraph.models import ActionType, Origin, Source
from wakegraph.snapshots import rules

__all__ = ["WakeDatabase", "opened_database"]

_TABLE: Final = "context_snapshots"
_NEEDED: Final = ("id", "project", "summary")
_FACTS: Final = frozenset((
    *_NEEDED, "source", "metadata", "tags", "timestamp", "action_type", "rationale", "dependencies", "caused_by",
    "last_accessed", "access_count",
))  # fmt: skip
_METADATA_KEY: Final = "wake_intelligence"
_ROWS: Final = f"SELECT * FROM {_TABLE} ORDER BY rowid"  # noqa: S608  a constant
_END: Final = f"SELECT * FROM {_TABLE} WHERE id = ?"  # noqa: S608  a constant
_COLUMNS: Final = "SELECT name FROM pragma_table_info(?)"
_TABLES: Final = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY name"
)
_OTHERS: Final = frozenset((_TABLE, "d1_migrations", "_cf_KV", "_cf_METADATA"))
_DEFAULT_RATIONALE: Final = "Saved context for project: "
_MILLISECONDS_FROM: Final = 100_000_000_000  # as seconds this would be the year 5138
_SQL_DUMP: Final = (b"PRAGMA", b"CREATE", b"INSERT", b"BEGIN", b"--")
_ACTIONS: Final = frozenset(ActionType)
_SOURCES: Final = frozenset(Source)


@contextmanager
def opened_database(path: Path) -> Iterator[WakeDatabase]:
    """Open a database file for reading; what is read is its state at this moment.

    Raises:
        InvalidInputError: it cannot be read, or is something else.
    """
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError as error:
        raise InvalidInputError(f"file {str(path)!r} cannot be read: {error.strerror}") from None
    if not head.startswith(b"SQLite format 3"):
        dump = head.lstrip().upper().startswith(_SQL_DUMP)
        hint = (
            f"it looks like an SQL dump: load it with `sqlite3 wake.db < {path.name}` first"
            if dump
            else ("give the database file of Wake Intelligence")
        )
        raise InvalidInputError(f"file {str(path)!r} is not an SQLite database: {hint}")
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            # A text that is not UTF-8 is a fault of its row, not of the file.
            connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            connection.execute("BEGIN")  # others may write meanwhile, and rows are read twice
            yield WakeDatabase(connection, _check(connection, path))
    except sqlite3.Error as error:
        raise InvalidInputError(f"file {str(path)!r} cannot be read as an SQLite database: {error}") from None


def _check(connection: sqlite3.Connection, path: Path) -> list[str]:
    """The tables that hold something else, with what they hold."""
    tables = [row["name"] for row in connection.execute(_TABLES)]
    if _TABLE not in tables:
        found = ", ".join(tables) or "none"
        raise InvalidInputError(
            f"file {str(path)!r} is no database of Wake Intelligence: it has no table {_TABLE} (tables: {found})"
        )
    columns = {row["name"] for row in connection.execute(_COLUMNS, (_TABLE,))}
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise InvalidInputError(
            f"file {str(path)!r} is no database of Wake Intelligence: {_TABLE} has no column {', '.join(missing)}"
        )
    return [f"table {name!r:.80} is not part of a snapshot: left out" for name in tables if name not in _OTHERS]


@dataclass(slots=True)
class WakeDatabase:
    """An open database.

    Attributes:
        connection: within one transaction.
        notes: what was taken over otherwise than as it is.
    """

    connection: sqlite3.Connection
    notes: list[str] = field(default_factory=list)
    _noted: int = 0

    def records(self, reader: Reader) -> Iterator[Record | Problem]:
        """The snapshots by their position in the table, and what is wrong.

        Args:
            reader: takes the snapshots in.
        """
        for number, row in enumerate(self.connection.execute(_ROWS), start=1):
            taken = _Row(self.connection, _columns(row))
            try:
                record = reader.snapshot(number, taken.value())
            except InvalidInputError as error:
                yield Problem(line=number, text=f"id {taken.columns['id']!r:.80}: {error}")
                continue
            if number > self._noted:  # the second reading says nothing new
                self._noted = number
                self.notes += [f"row {number}, id {record.id!r:.80}: {note}" for note in taken.notes]
            yield record


def _columns(row: sqlite3.Row) -> dict[str, Any]:
    return {name: row[name] for name in row.keys()}  # noqa: SIM118  a row is no mapping


class _Row:
    """A row on its way to the object of a snapshot: what is no fact goes to `kept`, what is odd to `notes`."""

    def __init__(self, connection: sqlite3.Connection, columns: dict[str, Any]) -> None:
        self._connection = connection
        self.columns = columns
        self.kept = {
            name: _listed(value) for name, value in columns.items() if name not in _FACTS and value is not None
        }
        self.notes: list[str] = []

    def value(self) -> dict[str, Any]:
        """The snapshot as the object of a line."""
        columns = self.columns
        summary = columns["summary"]
        value: dict[str, Any] = {
            "id": columns["id"],
            "project": columns["project"],
            "content": summary,
            "tags": self._tags(),
            "action_type": self._member("action_type", _ACTIONS),
            "source": self._member("source", _SOURCES),
            "rationale": columns.get("rationale"),
            "created_at": self._time("timestamp"),
            "last_accessed": self._time("last_accessed"),
            "access_count": self._count(),
        }
        if isinstance(summary, str) and len(summary) <= rules.SUMMARY_LIMIT:
            value["summary"] = summary
        if summary is None:
            self.notes.append("it has no summary: the id stands for its content")
        if columns.get("timestamp") is None:
            self.notes.append("it has no timestamp: dated to the import")
        value |= self._links()
        value["metadata"] = self._metadata()
        return value

    def _keep(self, name: str, why: str) -> None:
        self.kept[name] = _listed(self.columns[name])
        self.notes.append(f"{name} {self.columns[name]!r:.80} {why}: kept in metadata")

    def _tags(self) -> list[str]:
        text = self.columns.get("tags")
        if text is None:
            return []
        found = _listed(text)
        items = found if isinstance(found, list) else text.split(",") if isinstance(text, str) else [text]
        if not all(isinstance(item, str) and len(item) <= rules.NAME_LIMIT for item in items):
            self._keep("tags", f"holds something that is no text of at most {rules.NAME_LIMIT} characters")
            return []
        return [item.strip() for item in items if item.strip()]

    def _member(self, name: str, members: frozenset[Any]) -> str | None:
        given = self.columns.get(name)
        if given is None or given in members:
            return given
        if name == "source":  # its own default is 'unknown': nothing odd about it
            self.kept[name] = _listed(given)
        else:
            self._keep(name, "is not known here")
        return None

    def _time(self, name: str) -> Any:
        given = self.columns.get(name)
        if isinstance(given, (int, float)):
            self.notes.append(f"{name} {given} is a number: taken as seconds or milliseconds since 1970")
            seconds = given / 1000 if abs(given) >= _MILLISECONDS_FROM else given
            try:
                return datetime.fromtimestamp(seconds, UTC)
            except (OverflowError, ValueError, OSError):
                raise InvalidInputError(f"{name} {given} is out of range") from None
        return given

    def _count(self) -> int | None:
        given = self.columns.get("access_count")
        if given is None or (isinstance(given, int) and given >= 0):
            return given
        self._keep("access_count", "is no whole number from 0")
        return None

    def _links(self) -> dict[str, list[dict[str, str | float]]]:
        caused_by, dependencies = self.columns.get("caused_by"), self.columns.get("dependencies")
        found: dict[str, list[dict[str, str | float]]] = {}
        if caused_by:
            found["caused_by"] = self._ends("caused_by", [caused_by], Origin.IMPORTED)
        if dependencies:
            listed = _listed(dependencies)
            if isinstance(listed, list):
                found["depends_on"] = self._ends("dependencies", listed, self._origin())
            else:
                self._keep("dependencies", "is no JSON list of ids")
        return found

    def _origin(self) -> Origin:
        rationale = self.columns.get("rationale")
        automatic = not self.columns.get("caused_by") and rationale == f"{_DEFAULT_RATIONALE}{self.columns['project']}"
        return Origin.DETECTED if automatic else Origin.IMPORTED

    def _ends(self, name: str, ids: list[Any], origin: Origin) -> list[dict[str, str | float]]:
        links: list[dict[str, str | float]] = []
        for identifier in ids:
            try:
                rules.check_id(identifier)
            except InvalidInputError:
                self._keep(name, "holds something that can be no id")
                continue
            if identifier == self.columns["id"]:
                self._keep(name, "names the snapshot itself")
                continue
            end = self._connection.execute(_END, (identifier,)).fetchone()
            if end is None:
                self.kept[name] = _listed(self.columns[name])  # said by the check, unless it is stored already
                links.append({"id": identifier, "origin": origin.value})
                continue
            other = _columns(end)
            project = other["project"]
            link: dict[str, str | float] = {
                "id": identifier if project == self.columns["project"] else f"{project}::{identifier}",
                "origin": origin.value,
            }
            gap = _gap(other.get("timestamp"), self.columns.get("timestamp")) if origin is Origin.DETECTED else None
            links.append(link if gap is None else link | {"gap_seconds": gap})
        return links

    def _metadata(self) -> dict[str, Any] | None:
        given = self.columns.get("metadata")
        own = {} if given is None or given == "" else _parsed(given)
        if not isinstance(own, dict):
            self._keep("metadata", "is no JSON object")
            own = {}
        elif _METADATA_KEY in own and self.kept:
            return {_METADATA_KEY: self.kept | {"metadata": own}}
        return (own | ({_METADATA_KEY: self.kept} if self.kept else {})) or None


def _parsed(value: Any) -> Any:
    """The value of a JSON text; anything else as it is."""
    if not isinstance(value, str):
        return value.hex() if isinstance(value, bytes) else value
    try:
        return json.loads(value, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return value


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)


def _listed(value: Any) -> Any:
    """The list of a JSON text that holds one; anything else as it is."""
    found = _parsed(value)
    return found if isinstance(found, list) or isinstance(value, bytes) else value


def _gap(earlier: Any, later: Any) -> float | None:
    """Seconds between two timestamps of the table, or None when they are no texts in order."""
    try:
        first, last = (rules.parse_time("timestamp", value)[0] for value in (earlier, later))
    except InvalidInputError:
        return None
    seconds = (last - first).total_seconds()
    return seconds if seconds >= 0 else None
