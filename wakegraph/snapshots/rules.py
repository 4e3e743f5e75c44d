"""What a snapshot may hold. Pure: no database, no clock."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from uuid6 import uuid7

from wakegraph.errors import InvalidInputError

__all__ = [
    "CONTENT_LIMIT",
    "NAME_LIMIT",
    "Name",
    "check_content",
    "check_created_at",
    "check_enum",
    "check_filter",
    "check_id",
    "check_metadata",
    "check_name",
    "check_names",
    "check_project",
    "check_reference",
    "check_text",
    "new_id",
    "parse_name",
    "parse_time",
    "summarise",
    "title_of",
    "unique",
]

CONTENT_LIMIT = 1_000_000
NAME_LIMIT = 200
REF_LIMIT = 2_000
REF_BYTES = 7_000
"""UTF-8 bytes: with the longest project it still fits into a key of a range index, which holds 8,167."""
SUMMARY_LIMIT = 10_000
RATIONALE_LIMIT = 100_000
METADATA_LIMIT = 100_000
LIST_LIMIT = 1_000
SUMMARY_LENGTH = 200
TITLE_LENGTH = 80
PREFIX_LENGTH = 8

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Name:
    """A snapshot as an argument names it: `id`, a prefix of one, or `project::id`."""

    id: str
    project: str | None = None

    def __str__(self) -> str:
        return self.id if self.project is None else f"{self.project}::{self.id}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def check_text(name: str, value: object, limit: int) -> str:
    """Return a text that can be stored exactly as it is.

    Args:
        name: what it is, for the message.
        value: the text.
        limit: most characters.

    Raises:
        InvalidInputError: not a text, too long, or with a character that a database string cannot hold.
    """
    if not isinstance(value, str):
        raise InvalidInputError(f"{name} must be a text, not {_shown(value)}")
    if len(value) > limit:
        raise InvalidInputError(f"{name} has {len(value):,} characters; the limit is {limit:,}: split or shorten it")
    if "\x00" in value:
        raise InvalidInputError(
            f"{name} holds a NUL character at position {value.index(chr(0))}: remove it (half of "
            "a surrogate pair may arrive as one)"
        )
    surrogate = _SURROGATE.search(value)
    if surrogate:
        raise InvalidInputError(
            f"{name} holds a lone surrogate U+{ord(surrogate[0]):04X} at position {surrogate.start()}, "
            "which is not a character: send valid Unicode"
        )
    return value


def check_content(value: object) -> str:
    """Return the content, which must say something."""
    text = check_text("content", value, CONTENT_LIMIT)
    if not text.strip():
        raise InvalidInputError("content is empty: say what was decided, done or found")
    return text


def _check_key(name: str, value: object) -> str:
    text = check_text(name, value, NAME_LIMIT)
    if not text.strip():
        raise InvalidInputError(f"{name} is empty: give 1 to {NAME_LIMIT} characters")
    control = _CONTROL.search(text)
    if control:
        raise InvalidInputError(f"{name} {_shown(value)} holds a control character at position {control.start()}")
    return text


def check_id(value: object, name: str = "id") -> str:
    """Return a snapshot id: 1 to 200 characters, no control characters, no `::`."""
    text = _check_key(name, value)
    if "::" in text:
        raise InvalidInputError(
            f"{name} {_shown(value)} holds '::', which separates a project from an id: leave it out"
        )
    return text


def check_project(value: object, name: str = "project") -> str:
    """Return a project name: 1 to 200 characters, no control characters, no `::`."""
    return check_id(value, name)


def check_name(name: str, value: object) -> str:
    """Return an author, session or similar short name: 1 to 200 characters, no control characters."""
    return _check_key(name, value)


def check_filter(name: str, value: object, limit: int = NAME_LIMIT) -> str | None:
    """Return a text that stored values are compared with, or None for no filter."""
    return None if value is None else check_text(name, value, limit)


def check_names(name: str, values: object, limit: int = NAME_LIMIT) -> list[str]:
    """Return a list of short texts, each once, in the order given; a single text counts as a list of one."""
    if isinstance(values, str):
        values = [values]
    if not isinstance(values, Iterable) or isinstance(values, (bytes, Mapping)):
        raise InvalidInputError(f"{name} must be a list of texts, not {_shown(values)}")
    checked = []
    for value in values:
        text = check_text(name, value, limit)
        if not text.strip():
            raise InvalidInputError(f"{name} holds an empty text: leave it out")
        checked.append(text)
    result = unique(checked)
    if len(result) > LIST_LIMIT:
        raise InvalidInputError(f"{name} has {len(result):,} entries; the limit is {LIST_LIMIT:,}")
    return result


def check_reference(value: object) -> str:
    """Return a reference to an artifact, which an index must be able to hold beside its project."""
    text = check_text("about", value, REF_LIMIT)
    if not text.strip():
        raise InvalidInputError("about holds an empty text: leave it out")
    size = len(text.encode())
    if size > REF_BYTES:
        raise InvalidInputError(f"about has {size:,} bytes in UTF-8; the limit is {REF_BYTES:,}: shorten it")
    return text


def check_enum(name: str, value: object, kind: type[E]) -> E:
    """Return the member of a closed list of values.

    Raises:
        InvalidInputError: it is none of them; the line lists what is accepted.
    """
    try:
        return kind(str(value))
    except ValueError:
        accepted = ", ".join(member.value for member in kind)
        raise InvalidInputError(f"{name} {_shown(value)} is not known: use one of {accepted}") from None


def check_metadata(value: object) -> str | None:
    """Return the JSON text of the caller's object, or None.

    Raises:
        InvalidInputError: not an object, or it holds something that JSON cannot.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"metadata must be a JSON object, not {_shown(value)}")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"metadata cannot be written as JSON: {error}") from None
    return check_text("metadata", text, METADATA_LIMIT)


def parse_time(name: str, value: object) -> tuple[datetime, bool]:
    """Read a time.

    Args:
        name: what it is, for the message.
        value: a datetime, or a text in ISO 8601.

    Returns:
        The time in UTC, and whether it came without an offset and was taken as UTC.

    Raises:
        InvalidInputError: it is not a time.
    """
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            raise InvalidInputError(
                f"{name} {_shown(value)} is not a time: use ISO 8601 such as 2026-01-31T12:00:00Z"
            ) from None
    elif isinstance(value, datetime):
        moment = value
    else:
        raise InvalidInputError(f"{name} must be a time in ISO 8601, not {_shown(value)}")
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC), True
    try:
        return moment.astimezone(UTC), False
    except OverflowError:
        raise InvalidInputError(f"{name} {_shown(value)} is out of range") from None


def check_created_at(value: object, now: datetime, tolerance_seconds: float) -> tuple[datetime, bool]:
    """Read the time something happened; one too far in the future is refused.

    Returns:
        The time in UTC, and whether it came without an offset and was taken as UTC.
    """
    moment, naive = parse_time("created_at", value)
    if moment > now + timedelta(seconds=tolerance_seconds):
        raise InvalidInputError(
            f"created_at {moment.isoformat()} is in the future (it is {now.isoformat(timespec='seconds')}, "
            f"{tolerance_seconds:g} s are tolerated): correct it or leave it out"
        )
    return moment, naive


def parse_name(value: object, argument: str = "id") -> Name:
    """Read the name of a snapshot: `id` or `project::id`."""
    text = check_text(argument, value, 2 * NAME_LIMIT + 2)
    project, separator, bare = text.partition("::")
    if not separator:
        return Name(check_id(text, argument))
    return Name(check_id(bare, argument), check_project(project, f"project of {argument}"))


def summarise(content: str) -> str:
    """The summary of a snapshot that was given none: the content, or its first 200 characters and `...`."""
    return content if len(content) <= SUMMARY_LENGTH else content[:SUMMARY_LENGTH] + "..."


def title_of(summary: str) -> str:
    """The caption of a snapshot: the first line of its summary that says something, at most 80 characters."""
    line = next((line.strip() for line in summary.splitlines() if line.strip()), "")
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 3].rstrip() + "..."


def new_id() -> str:
    """A time-ordered UUID (version 7)."""
    return str(uuid7())


def unique(values: Iterable[str]) -> list[str]:
    """Each value once, in the order of first appearance."""
    return list(dict.fromkeys(values))
