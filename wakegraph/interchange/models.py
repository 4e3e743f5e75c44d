"""Answers of imports and exports."""

from __future__ import annotations

from pydantic import Field

from wakegraph.models import Model

__all__ = ["ExportResult", "ForeignImportResult", "GitImportResult", "ImportResult", "Problem", "ProvExportResult"]


class Problem(Model):
    """Something of an import that cannot be used."""

    line: int = Field(
        description="line of the file, position of the commit in the history, or row of the table, from 1"
    )
    text: str = Field(description="what is wrong, with the value")

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


class ImportResult(Model):
    """What an import did. All of it is committed when this is returned."""

    read: int = Field(description="snapshots read: lines that are not blank, or commits")
    created: int
    unchanged: int = Field(description="snapshots that were there with the same content")
    links_created: int = Field(description="causes, dependencies and replacements that were not there")
    artifacts: int = Field(description="references to artifacts that were not there")
    skipped: list[Problem] = Field(default=[], description="what was left out, and why")
    notes: list[str] = Field(
        default=[], description="what was taken for granted, such as UTC for a time with no offset"
    )
    projects: list[str]
    new_projects: list[str] = []
    seconds: float


class GitImportResult(ImportResult):
    """What an import of a git history did."""

    project: str
    head: str = Field(description="the newest commit read")
    notes: list[str] = Field(default=[], description="what could not be taken over as it is, such as a future date")


class ExportResult(Model):
    """What an export wrote."""

    snapshots: int
    links: int
    links_left_out: int = Field(
        default=0, description="links to projects that the caller may not see, which were not written"
    )
    projects: list[str]
    bytes: int = Field(description="size of the text, before any compression")
    seconds: float


class ForeignImportResult(ImportResult):
    """What an import from another memory did."""

    notes: list[str] = Field(default=[], description="what could not be taken over as it is, and where it is kept")


class ProvExportResult(Model):
    """What an export of provenance wrote."""

    format: str = Field(description="json (PROV-JSON) or provn (PROV-N)")
    snapshots: int
    authors: int
    links: int
    detected_left_out: int = Field(description="detected dependencies, which are guesses, left out")
    links_left_out: int = Field(
        default=0, description="links to projects that the caller may not see, which were not written"
    )
    projects: list[str]
    seconds: float
