"""Likely causes of a snapshot that names none. They are shown, never linked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from wakegraph.causality.models import SuggestedCause
from wakegraph.graph.driver import Graph, Row, Transaction
from wakegraph.graph.lucene import any_of, in_projects, salient_words
from wakegraph.graph.times import from_microseconds
from wakegraph.snapshots.records import sorted_refs

__all__ = ["suggest_causes"]

# The text is only a hint: a few telling words find what a whole page would, at a fraction of the cost.
_TEXT_READ = 2_000
_WORDS = 4
_HITS = 10
_NEWEST = 50
_RECENT = timedelta(hours=1)
_WEIGHTS = {"text": 0.4, "artifact": 0.3, "session": 0.2, "recent": 0.1}


async def suggest_causes(
    graph: Graph | Transaction,
    *,
    project: str,
    exclude_id: str | None,
    text: str,
    session: str | None,
    about: Sequence[str],
    created_at: datetime,
    limit: int = 3,
) -> list[SuggestedCause]:
    """Find snapshots of the same project that may have caused a new one.

    Looked at are the ten most similar by text, ten about the same artifacts and the newest fifty. The score adds 0.4
    for the text (relative to the most similar), 0.3 for artifacts, 0.2 for the same session and 0.1 for the hour
    before; what was superseded comes last. The same graph gives the same answer.

    Args:
        graph: the database, or a transaction in progress.
        project: the project, which the caller may see.
        exclude_id: the snapshot itself, when it is stored already.
        text: summary and content of the new snapshot.
        session: its session.
        about: references that it is about.
        created_at: when it happened, aware; only what is not later can be a cause.
        limit: most suggestions.
    """
    query = in_projects(any_of(salient_words(text[:_TEXT_READ], _WORDS)), [project])
    run: Callable[..., Awaitable[list[Row]]] = graph.read if isinstance(graph, Graph) else graph.run
    rows = await run(
        "causality/suggest",
        project=project,
        exclude_id=exclude_id,
        query=query,
        about=list(about),
        created_at=created_at,
        hits=_HITS,
        newest=_NEWEST,
    )
    best = max((row["relevance"] for row in rows), default=0.0)
    judged = [(row, *_judge(row, best, session, about, created_at)) for row in rows]
    likely = [item for item in judged if item[1] > 0]
    likely.sort(key=lambda item: (item[0]["superseded"], -item[1], -item[0]["created"], item[0]["id"]))
    return [
        SuggestedCause(
            id=row["id"],
            project=project,
            title=row["title"],
            superseded_by=sorted_refs(row["newer"]),
            why=why,
            score=score,
        )
        for row, score, why in likely[:limit]
    ]


def _judge(
    row: Row, best: float, session: str | None, about: Sequence[str], created_at: datetime
) -> tuple[float, list[str]]:
    """The score of a candidate and what speaks for it."""
    parts: dict[str, tuple[float, str]] = {}
    if row["relevance"] > 0:
        parts["text"] = (row["relevance"] / best, "similar text")
    shared: list[Any] = [ref for ref in about if ref in row["refs"]]
    if shared:
        parts["artifact"] = (len(shared) / len(about), f"about {', '.join(shared[:3])} too")
    if session is not None and row["session"] == session:
        parts["session"] = (1.0, "same session")
    if created_at - from_microseconds(row["created"]) <= _RECENT:
        parts["recent"] = (1.0, "in the hour before")
    score = sum(_WEIGHTS[name] * share for name, (share, _) in parts.items())
    return round(score, 6), [why for _, why in parts.values()]
