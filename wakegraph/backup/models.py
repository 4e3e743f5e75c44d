"""Answers of backup and restore."""

from __future__ import annotations

from pydantic import Field

from wakegraph.models import Model

__all__ = ["BackupResult"]


class BackupResult(Model):
    """What a backup file holds."""

    projects: list[str]
    snapshots: int
    links: int = Field(description="CAUSED_BY, DEPENDS_ON and SUPERSEDES relationships")
    references: int = Field(description="ABOUT relationships")
    tombstones: int
    bytes: int = Field(description="size of the file")
    sha256: str = Field(description="of what the file holds, uncompressed, its last line left out")
