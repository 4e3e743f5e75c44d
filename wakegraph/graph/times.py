"""Times on their way to the database and back: always aware, always UTC, never a driver type."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

__all__ = ["EARLIEST", "EPOCH", "LATEST", "from_graph", "from_microseconds", "to_utc"]

_PLAIN = frozenset({str, int, float, bool, type(None)})
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)
LATEST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)


def to_utc(value: datetime) -> datetime:
    """Give a naive time the UTC offset it is taken to have; convert an aware one to UTC.

    The result's tzinfo is `datetime.UTC` itself: a `zoneinfo` one passed to the driver can crash the interpreter.
    """
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def from_microseconds(value: int) -> datetime:
    """A time that a statement gives as microseconds since 1970, which the driver reads many times faster."""
    return EPOCH + timedelta(microseconds=value)


def from_graph(value: Any) -> Any:
    """Replace the driver's temporal types by UTC datetimes, in maps and lists too."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _PLAIN else from_graph(item) for item in value]
    if isinstance(value, Mapping):
        return {key: from_graph(item) for key, item in value.items()}
    native = getattr(value, "to_native", None)
    if native is None:
        return value
    moment = native()
    return to_utc(moment) if isinstance(moment, datetime) else moment
