"""Finding snapshots by words: relevance from the full-text index, times the weight of the memory tier."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from wakegraph.errors import InvalidInputError
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.lucene import TERM_LIMIT, Term, UserQuery, in_projects, user_query
from wakegraph.graph.times import EARLIEST, LATEST
from wakegraph.memory.tiers import tier_times
from wakegraph.models import ActionType, Caller, MemoryTier
from wakegraph.settings import Settings
from wakegraph.snapshots import rules
from wakegraph.snapshots.models import SearchHit, SearchPage, TierWeights
from wakegraph.snapshots.naming import home_of, known_project, require_project
from wakegraph.snapshots.reading import check_limit, decode_cursor, encode_cursor
from wakegraph.snapshots.records import snapshot_from_row, thresholds_of

__all__ = ["QUERY_LIMIT", "SearchRequest", "excerpt_of", "search"]

QUERY_LIMIT = 10_000
# How many of the most relevant hits to look at, until nothing that was not looked at can belong to the page.
_READS = (400, 6_000, 2**31 - 1)

_EXCERPT = 300
_BEFORE = 60
_MATCHES = 2_000


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What to search for, and where. See `Snapshots.search` for the meaning of each."""

    query: str
    project: str | None = None
    all_projects: bool = False
    limit: int = 10
    action_type: str | None = None
    tag: str | None = None
    tier: str | None = None
    author: str | None = None
    session: str | None = None
    about: str | None = None
    since: datetime | str | None = None
    until: datetime | str | None = None
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class _After:
    """Where the page before ended, and the moment for which its tiers held."""

    as_of: datetime
    row: dict[str, Any]


async def search(
    graph: Graph, settings: Settings, request: SearchRequest, *, caller: Caller, default: str | None, now: datetime
) -> SearchPage:
    """One page of hits, best first."""
    limit = check_limit(request.limit)
    query = _query(request.query)
    projects = _projects(request, caller, default)
    after = None if request.cursor is None else _after(request.cursor)
    as_of = after.as_of if after else now
    weights = _weights(settings)
    row: Row = {"read": 0, "floor": 0.0, "matching": 0, "hits": []}
    complete = True
    if query.terms:
        parameters = _parameters(request, settings, query, projects, as_of)
        parameters |= {"after": after.row if after else None, "weights": weights.by_tier(), "limit": limit + 1}
        row, complete = await _read_enough(graph, parameters, max(weights.by_tier().values()))
    if request.project is not None and not row["matching"]:
        await known_project(graph.read, request.project, default, caller)
    return _page(request, settings, query, row, complete, as_of, limit, weights)


def _query(text: str) -> UserQuery:
    checked = rules.check_text("query", text, QUERY_LIMIT)
    if not checked.strip():
        raise InvalidInputError('query is empty: give words, a "phrase in quotes", or the beginning of a word and *')
    return user_query(checked)


def _projects(request: SearchRequest, caller: Caller, default: str | None) -> list[str] | None:
    if request.all_projects and request.project is not None:
        raise InvalidInputError("project and allProjects contradict each other: give one of them")
    if request.all_projects or (request.project is None and home_of(default, caller) is None):
        return caller.project_list()
    return [require_project(request.project, default, caller)]


def _weights(settings: Settings) -> TierWeights:
    return TierWeights(
        active=settings.tier_weight_active,
        recent=settings.tier_weight_recent,
        archived=settings.tier_weight_archived,
        expired=settings.tier_weight_expired,
    )


def _parameters(
    request: SearchRequest, settings: Settings, query: UserQuery, projects: list[str] | None, as_of: datetime
) -> dict[str, Any]:
    kind = None if request.action_type is None else rules.check_enum("action_type", request.action_type, ActionType)
    tier = None if request.tier is None else rules.check_enum("tier", request.tier, MemoryTier)
    times = tier_times(as_of, thresholds_of(settings))
    tier_from, tier_until = {
        None: (EARLIEST, LATEST),
        MemoryTier.ACTIVE: (times.active, LATEST),
        MemoryTier.RECENT: (times.recent, times.active),
        MemoryTier.ARCHIVED: (times.archived, times.recent),
        MemoryTier.EXPIRED: (EARLIEST, times.archived),
    }[tier]
    return {
        "query": in_projects(query.lucene, projects),
        "projects": projects,
        "since": EARLIEST if request.since is None else rules.parse_time("since", request.since)[0],
        "until": LATEST if request.until is None else rules.parse_time("until", request.until)[0],
        "action_type": kind and kind.value,
        "tag": rules.check_filter("tag", request.tag),
        "author": rules.check_filter("author", request.author),
        "session": rules.check_filter("session", request.session),
        "about": rules.check_filter("about", request.about, rules.REF_LIMIT),
        "tier_from": tier_from,
        "tier_until": tier_until,
        "active_from": times.active,
        "recent_from": times.recent,
        "archived_from": times.archived,
    }


async def _read_enough(graph: Graph, parameters: dict[str, Any], best_weight: float) -> tuple[Row, bool]:
    """The page, from as few of the most relevant hits as prove that no other belongs to it.

    Returns:
        The row of the statement, and whether it looked at every hit there is.
    """
    row: Row = {}
    for read in _READS:
        (row,) = await graph.read("snapshots/search", read=read, **parameters)
        if row["read"] < read:
            return row, True
        hits = row["hits"]
        full = len(hits) == parameters["limit"] and not hits[-1]["superseded"]
        # Whatever was not read is at most as relevant as the least of what was, and of the best tier.
        if full and hits[-1]["score"] > row["floor"] * best_weight:
            break
    return row, False


def _after(cursor: str) -> _After:
    values = decode_cursor(
        cursor, as_of=datetime, superseded=int, score=float, weight=float, created_at=datetime, project=str, id=str
    )
    return _After(values.pop("as_of"), values)


def _page(
    request: SearchRequest,
    settings: Settings,
    query: UserQuery,
    row: Row,
    complete: bool,
    as_of: datetime,
    limit: int,
    weights: TierWeights,
) -> SearchPage:
    hits = row["hits"][:limit]
    has_more = len(row["hits"]) > limit
    return SearchPage(
        query=request.query,
        hits=[_hit(hit, query.terms, settings, as_of) for hit in hits],
        total=row["matching"],
        total_is_exact=complete,
        has_more=has_more,
        next_cursor=_cursor(hits[-1], as_of) if has_more else None,
        tier_weights=weights,
        notes=_notes(query),
    )


def _hit(hit: Row, terms: Sequence[Term], settings: Settings, as_of: datetime) -> SearchHit:
    snapshot = snapshot_from_row(hit["node"], as_of, thresholds_of(settings), hit["superseded_by"])
    texts = [snapshot.content, snapshot.rationale, snapshot.summary, ", ".join(snapshot.tags), snapshot.title]
    return SearchHit(
        snapshot=snapshot,
        relevance=hit["relevance"],
        tier_weight=hit["weight"],
        score=hit["score"],
        excerpt=excerpt_of([text for text in texts if text], terms),
    )


def _cursor(hit: Row, as_of: datetime) -> str:
    node = hit["node"]
    return encode_cursor(
        as_of=as_of.isoformat(),
        superseded=hit["superseded"],
        score=hit["score"],
        weight=hit["weight"],
        created_at=node["created_at"].isoformat(),
        project=node["project"],
        id=node["id"],
    )


def _notes(query: UserQuery) -> list[str]:
    if not query.terms:
        return ["the query holds nothing that the index keeps: letters, digits, emoji"]
    if query.ignored:
        return [f"only the first {TERM_LIMIT} words and phrases were searched for; {query.ignored} more were left out"]
    return []


def excerpt_of(texts: Sequence[str], terms: Sequence[Term]) -> str:
    """The part of the first text with a match that holds most different terms; about 300 characters, on one line.

    Args:
        texts: where to look, the most telling one first.
        terms: what was searched for.
    """
    pattern = _pattern(terms)
    for text in texts:
        found = list(islice(_matches(pattern, text), _MATCHES))
        if found:
            return _window(text, _best_start(found))
    return _window(texts[0], 0) if texts else ""


def _pattern(terms: Sequence[Term]) -> re.Pattern[str]:
    return re.compile("|".join(_part(term) for term in terms), re.IGNORECASE)


def _part(term: Term) -> str:
    if not term.runs:  # emoji
        return re.escape(term.text)
    words = r"\W+".join(map(re.escape, term.runs))
    return rf"(?<!\w){words}" if term.prefix else rf"(?<!\w){words}(?!\w)"


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    return ((match.start(), match[0].casefold()) for match in pattern.finditer(text))


def _best_start(found: Sequence[tuple[int, str]]) -> int:
    """Where the match starts from which most different terms are in reach; the first of equals."""
    best, most, end = 0, 0, 0
    counts: dict[str, int] = {}
    for position, (start, term) in enumerate(found):
        while end < len(found) and found[end][0] < start + _EXCERPT - _BEFORE:
            counts[found[end][1]] = counts.get(found[end][1], 0) + 1
            end += 1
        if len(counts) > most:
            best, most = position, len(counts)
        counts[term] -= 1
        if not counts[term]:
            del counts[term]
    return found[best][0]


def _window(text: str, start: int) -> str:
    first = max(0, min(start - _BEFORE, len(text) - _EXCERPT))
    last = min(len(text), first + _EXCERPT)
    shown = text[first:last]
    # Words are not cut, unless there is no space between them.
    if first and not text[first - 1].isspace():
        head, space, tail = shown.partition(" ")
        shown = tail if space and first + len(head) < start else shown
    if last < len(text) and not text[last].isspace():
        head, space, _ = shown.rpartition(" ")
        shown = head if space and len(head) > _EXCERPT // 2 else shown
    return f"{'... ' if first else ''}{' '.join(shown.split())}{' ...' if last < len(text) else ''}"
