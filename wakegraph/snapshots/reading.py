"""Reading snapshots: by name, and in pages that stay stable while others write."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any

from wakegraph.errors import InvalidInputError
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.times import EARLIEST, LATEST, to_utc
from wakegraph.models import ActionType, Caller, Order, SnapshotDetail
from wakegraph.settings import Settings
from wakegraph.snapshots import rules
from wakegraph.snapshots.models import SnapshotPage
from wakegraph.snapshots.naming import Key, exact_keys, known_project, require_project, resolve_many, visible_to
from wakegraph.snapshots.records import detail_from_row, snapshot_from_row, thresholds_of

__all__ = ["MAX_LIMIT", "ListRequest", "check_limit", "decode_cursor", "encode_cursor", "get", "list_snapshots"]

MAX_LIMIT = 100


def check_limit(limit: object, maximum: int = MAX_LIMIT, name: str = "limit") -> int:
    """Return a count from 1 to a maximum.

    Raises:
        InvalidInputError: it is not; the line names the range.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= maximum:
        raise InvalidInputError(f"{name} {limit!r} is not accepted: use a whole number from 1 to {maximum}")
    return limit


def encode_cursor(**values: Any) -> str:
    """A cursor that holds where a page ended; opaque to callers."""
    return base64.urlsafe_b64encode(json.dumps(values, separators=(",", ":")).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, **kinds: type) -> dict[str, Any]:
    """The values of a cursor made by `encode_cursor` with these names.

    Args:
        cursor: as a caller gave it.
        kinds: the type of each value; a datetime is held as text.

    Raises:
        InvalidInputError: it is not such a cursor.
    """
    try:
        values = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        return {name: _decoded(values[name], kind) for name, kind in kinds.items()}
    except (ValueError, TypeError, LookupError, RecursionError):
        raise InvalidInputError(
            f"cursor {str(cursor)[:40]!r} is not one of this list: use next_cursor of the page before"
        ) from None


def _decoded(value: Any, kind: type) -> Any:
    if kind is datetime:
        return to_utc(datetime.fromisoformat(value))
    if type(value) is not kind:
        raise ValueError
    return value


async def get(
    graph: Graph,
    settings: Settings,
    ids: Sequence[str],
    *,
    project: str | None,
    default: str | None,
    caller: Caller,
    now: datetime,
) -> list[SnapshotDetail]:
    """Snapshots with their links, in the order of `ids`, each once."""
    if not ids:
        raise InvalidInputError("no snapshot was named: give at least one id")
    check_limit(len(ids), name="number of ids")
    keys = exact_keys(ids, project=project, default=default, caller=caller)
    details = await _details(graph, settings, keys, project, caller, now) if keys else {}
    if not keys or len(details) < len(set(keys)):
        keys = await resolve_many(graph.read, ids, project=project, default=default, caller=caller)
        details = await _details(graph, settings, keys, project, caller, now)
    return [details[key] for key in dict.fromkeys(keys) if key in details]


async def _details(
    graph: Graph, settings: Settings, keys: Sequence[Key], project: str | None, caller: Caller, now: datetime
) -> dict[Key, SnapshotDetail]:
    unique = list(dict.fromkeys(keys))
    rows = await graph.read(
        "snapshots/get", keys=[key.row() for key in unique], projects=visible_to(caller, project, *unique)
    )
    details = [detail_from_row(row, now, thresholds_of(settings)) for row in rows]
    return {Key(detail.project, detail.id): detail for detail in details}


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which snapshots of a project to list. See `Snapshots.list` for the meaning of each."""

    project: str | None = None
    limit: int = 5
    order: str = Order.RECENT
    action_type: str | None = None
    tag: str | None = None
    author: str | None = None
    session: str | None = None
    about: str | None = None
    since: datetime | str | None = None
    until: datetime | str | None = None
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class _Filters:
    project: str
    since: datetime
    until: datetime
    action_type: str | None
    tag: str | None
    author: str | None
    session: str | None


async def list_snapshots(
    graph: Graph, settings: Settings, request: ListRequest, *, caller: Caller, default: str | None, now: datetime
) -> SnapshotPage:
    """One page of a project's snapshots."""
    limit = check_limit(request.limit)
    order = rules.check_enum("order", request.order, Order)
    filters = _filters(request, require_project(request.project, default, caller))
    about = rules.check_filter("about", request.about, rules.REF_LIMIT)
    if about is not None and order is not Order.RECENT:
        raise InvalidInputError(f"about goes with order recent only, not with {order.value}")
    pages = {
        Order.RECENT: _recent,
        Order.LEAST_RECENTLY_USED: _least_recently_used,
        Order.PREDICTED: _predicted,
    }
    rows, cursor = await pages[order](graph, filters, request, limit, now)
    if not rows and request.project is not None:
        await known_project(graph.read, request.project, default, caller)
    return SnapshotPage(
        project=filters.project,
        order=order,
        snapshots=[snapshot_from_row(row["node"], now, thresholds_of(settings), row["superseded_by"]) for row in rows],
        has_more=cursor is not None,
        next_cursor=cursor,
    )


def _filters(request: ListRequest, project: str) -> _Filters:
    since = rules.parse_time("since", request.since)[0] if request.since is not None else EARLIEST
    until = rules.parse_time("until", request.until)[0] if request.until is not None else LATEST
    kind = None if request.action_type is None else rules.check_enum("action_type", request.action_type, ActionType)
    return _Filters(
        project,
        since,
        until,
        kind and kind.value,
        rules.check_filter("tag", request.tag),
        rules.check_filter("author", request.author),
        rules.check_filter("session", request.session),
    )


def _cut(rows: list[Row], limit: int) -> tuple[list[Row], Row | None]:
    """The rows of this page, and its last node when more rows follow."""
    return rows[:limit], (rows[limit - 1]["node"] if len(rows) > limit else None)


async def _recent(
    graph: Graph, filters: _Filters, request: ListRequest, limit: int, now: datetime
) -> tuple[list[Row], str | None]:
    del now
    after_id = None
    if request.cursor is not None:
        after = decode_cursor(request.cursor, created_at=datetime, id=str)
        filters = replace(filters, until=min(filters.until, after["created_at"]))
        after_id = after["id"]
    parameters = asdict(filters) | {"after_id": after_id, "limit": limit + 1}
    if request.about is not None:
        rows = await graph.read("snapshots/list_about", about=request.about, **parameters)
    elif filters.session is not None:
        rows = await graph.read("snapshots/list_session", **parameters)
    else:
        rows = await graph.read("snapshots/list_recent", **parameters)
    page, last = _cut(rows, limit)
    return page, encode_cursor(created_at=last["created_at"].isoformat(), id=last["id"]) if last else None


async def _least_recently_used(
    graph: Graph, filters: _Filters, request: ListRequest, limit: int, now: datetime
) -> tuple[list[Row], str | None]:
    start, as_of, after_id = EARLIEST, now, None
    if request.cursor is not None:
        # Reading may count as access and move what was read to the end: only what was idle at the first page belongs
        # to the list, else it would never end.
        after = decode_cursor(request.cursor, last_activity=datetime, id=str, as_of=datetime)
        start, as_of, after_id = after["last_activity"], after["as_of"], after["id"]
    rows = await graph.read(
        "snapshots/list_least_recently_used",
        **asdict(filters),
        **{"from": start},
        as_of=as_of,
        after_id=after_id,
        limit=limit + 1,
    )
    page, last = _cut(rows, limit)
    if last is None:
        return page, None
    ended = {"last_activity": last["last_activity"].isoformat(), "id": last["id"]}
    return page, encode_cursor(**ended, as_of=as_of.isoformat())


async def _predicted(
    graph: Graph, filters: _Filters, request: ListRequest, limit: int, now: datetime
) -> tuple[list[Row], str | None]:
    del now
    at_most, after_id, superseded = 2.0, None, False
    if request.cursor is not None:
        after = decode_cursor(request.cursor, score=float, id=str, superseded=bool)
        at_most, after_id, superseded = after["score"], after["id"], after["superseded"]
    rows: list[Row] = []
    # What was superseded ranks last whatever its score, so it is a list of its own behind the others.
    for part in (False, True):
        if len(rows) > limit or part < superseded:
            continue
        continued = after_id is not None and part == superseded
        found = await graph.read(
            "snapshots/list_predicted",
            **asdict(filters),
            at_most=at_most if continued else 2.0,
            after_id=after_id if continued else None,
            superseded=part,
            limit=limit + 1 - len(rows),
        )
        # What supersedes it may be in a project that is not shown, so the answer alone does not tell the parts apart.
        rows += [row | {"superseded": part} for row in found]
    page, last = _cut(rows, limit)
    if last is None:
        return page, None
    superseded = page[-1]["superseded"]
    return page, encode_cursor(score=last["prediction_score"], id=last["id"], superseded=superseded)
