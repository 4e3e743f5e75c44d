"""Options that many commands share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from cyclopts import Parameter

__all__ = ["OPTIONS", "TIMED", "Options", "SnapshotName", "Timed"]

SnapshotName = Annotated[
    str, Parameter(name="id", help="An id, a unique beginning of one (8 characters or more), or project::id.")
]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of every command."""

    project: Annotated[
        str | None,
        Parameter(
            name=("--project", "-p"),
            help="The project. By default WAKEGRAPH_PROJECT, else the name of this git repository.",
        ),
    ] = None
    json: Annotated[bool, Parameter(help="Print one JSON document for machines.", negative=(), show_default=False)] = (
        False
    )
    plain: Annotated[bool, Parameter(help="Print plain text, as in a pipe.", negative=(), show_default=False)] = False


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Timed(Options):
    """Options of the commands whose answer depends on the clock."""

    now: Annotated[
        str | None, Parameter(help="Answer as of this time (ISO 8601), so that an answer can be replayed.")
    ] = None

    def __post_init__(self) -> None:
        _ = self.moment  # a time that cannot be read is an error before anything is connected

    @property
    def moment(self) -> datetime | None:
        """The time given with --now, in UTC."""
        if self.now is None:
            return None
        from wakegraph.snapshots.rules import parse_time

        return parse_time("--now", self.now)[0]


OPTIONS = Options()
TIMED = Timed()
