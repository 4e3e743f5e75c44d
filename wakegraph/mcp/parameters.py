"""The parameters that many tools share, each with the description that is published."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wakegraph.mcp.toolkit import Real, Texts, Whole

__all__ = [
    "About",
    "ActionTypeName",
    "Author",
    "Cursor",
    "DetailName",
    "IncludeDetected",
    "Limit",
    "Names",
    "ProfileName",
    "Project",
    "Score",
    "Session",
    "Since",
    "SnapshotName",
    "Tag",
    "TierName",
    "Until",
]

Project = Annotated[str, Field(description="Project; default: the server's")]
SnapshotName = Annotated[str, Field(description="Id, unique prefix of it (8+), or project::id")]
Names = Annotated[Texts, Field(description="Ids or project::id")]
Limit = Annotated[Whole, Field(ge=1, le=100, description="How many at most")]
Cursor = Annotated[str, Field(description="nextCursor of the page before")]
ActionTypeName = Literal["conversation", "decision", "file_edit", "tool_use", "research"]
Tag = Annotated[str, Field(description="Only with this tag")]
Author = Annotated[str, Field(description="Only by this author")]
Session = Annotated[str, Field(description="Only of this session")]
About = Annotated[str, Field(description="Only about this path, symbol or URL")]
Since = Annotated[str, Field(description="Created at or after (ISO 8601)")]
Until = Annotated[str, Field(description="Created at or before (ISO 8601)")]
DetailName = Literal["preview", "full"]
TierName = Literal["ACTIVE", "RECENT", "ARCHIVED", "EXPIRED"]
ProfileName = Literal["wake", "steps", "activation"]
IncludeDetected = Annotated[bool, Field(description="Follow detected dependencies too")]
Score = Annotated[Real, Field(ge=0, le=1, description="Lowest prediction score")]
