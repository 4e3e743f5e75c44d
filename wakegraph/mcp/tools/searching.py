"""search_context."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wakegraph.mcp.budget import DEFAULT, LARGE, clipped, fitting
from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import (
    About,
    ActionTypeName,
    Author,
    Cursor,
    DetailName,
    Limit,
    Project,
    Session,
    Since,
    Tag,
    TierName,
    Until,
)
from wakegraph.mcp.text import joined, line_of, quoted, with_texts
from wakegraph.mcp.toolkit import Answer, tool
from wakegraph.mcp.tools.access import count_access
from wakegraph.mcp.tools.reading import WIDTHS, shown_page
from wakegraph.mcp.wire import Brief
from wakegraph.models import Model

__all__ = ["HitOut", "SearchOut", "search_context"]


class HitOut(Brief):
    content: str | None = None
    truncated: bool
    relevance: float
    tier_weight: float
    score: float
    match: str


class SearchOut(Model):
    hits: list[HitOut]
    total: int
    total_is_exact: bool
    has_more: bool
    next_cursor: str | None = None
    notes: list[str] | None = None


@tool("Search snapshots", core=True)
async def search_context(
    call: Call,
    query: Annotated[
        str,
        Field(description='Words, "a phrase", beginning*; all else is literal'),
    ],
    project: Annotated[Project | None, Field(description="Default: the server's, else all you may see")] = None,
    limit: Limit = 10,
    action_type: Annotated[ActionTypeName | None, Field(description="Of this type")] = None,
    tag: Tag | None = None,
    tier: Annotated[TierName | None, Field(description="In this tier")] = None,
    author: Author | None = None,
    session: Session | None = None,
    about: About | None = None,
    since: Since | None = None,
    until: Until | None = None,
    detail: Annotated[DetailName, Field(description="full: whole texts")] = "preview",
    cursor: Cursor | None = None,
) -> Answer[SearchOut]:
    """Find snapshots by words, best first, with the part that matched. Search before you decide: it may have been
    decided already.
    """
    page = await call.wake.snapshots.search(
        query,
        project=project,
        limit=limit,
        action_type=action_type,
        tag=tag,
        tier=tier,
        author=author,
        session=session,
        about=about,
        since=since,
        until=until,
        cursor=cursor,
        caller=call.caller,
        now=call.now,
    )

    def build(width: int) -> SearchOut:
        snapshots = shown_page([hit.snapshot for hit in page.hits], detail, width)
        return SearchOut(
            hits=[
                HitOut(
                    **{name: getattr(shown, name) for name in Brief.model_fields},
                    # The part that matched says more than the beginning.
                    content=shown.content if detail == "full" else None,
                    truncated=shown.truncated or detail != "full",
                    relevance=hit.relevance,
                    tier_weight=hit.tier_weight,
                    score=hit.score,
                    match=clipped(hit.excerpt, max(width, 80)),
                )
                for shown, hit in zip(snapshots, page.hits, strict=True)
            ],
            total=page.total,
            total_is_exact=page.total_is_exact,
            has_more=page.has_more,
            next_cursor=page.next_cursor,
            notes=page.notes or None,
        )

    data = fitting(build, WIDTHS, LARGE if detail == "full" or "limit" in call.given else DEFAULT)
    await count_access(call, ((hit.project, hit.id) for hit in data.hits if detail == "full" and not hit.truncated))
    lines = [f"{line_of(hit)} ... {quoted(hit.match, 160)}" for hit in data.hits]
    if detail == "full":
        lines = with_texts(lines, [hit.content for hit in data.hits])
    count = f"{data.total}" if data.total_is_exact else f"at least {data.total}"
    more = f"There are more: cursor={data.next_cursor}" if data.has_more else None
    return Answer(data, joined(f"{len(data.hits)} of {count} hits, best first", lines, more, *(data.notes or ())))
