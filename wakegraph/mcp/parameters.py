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

Project = Annotated[str, Field(description="Default: the server's")]
SnapshotName = Annotated[str, Field(description="Id, its beginning (8+), or project::id")]
Names = Annotated[Texts, Field(description="Ids or project::id")]
Limit = Annotated[Whole, Field(ge=1, le=100, description="At most")]
Cursor = Annotated[str, Field(description="nextCursor of the last page")]
ActionTypeName = Literal["conversation", "decision", "file_edit", "tool_use", "research"]
Tag = Annotated[str, Field(description="With this tag")]
Author = Annotated[str, Field(description="By this author")]
Session = Annotated[str, Field(description="Of this session")]
About = Annotated[str, Field(description="About this path, symbol or URL")]
Since = Annotated[str, Field(description="From (ISO 8601)")]
Until = Annotated[str, Field(description="To (ISO 8601)")]
DetailName = Literal["preview", "full"]
TierName = Literal["ACTIVE", "RECENT", "ARCHIVED", "EXPIRED"]
ProfileName = Literal["wake", "steps", "activation"]
IncludeDetected = Annotated[bool, Field(description="Follow detected dependencies too")]
Score = Annotated[Real, Field(ge=0, le=1, description="Lowest prediction score")]
