"""What commands print: JSON for machines, text for people, plain lines in a pipe."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from wakegraph.cli.options import Options
from wakegraph.models import Snapshot, SnapshotRef

__all__ = ["ROLE_STYLES", "Output", "clean", "moment", "name_of", "safe", "size", "styled", "superseded"]

T = TypeVar("T")

ROLE_STYLES = {"root": "green", "branch": "yellow", "link": "cyan", "leaf": "magenta", "isolated": "bright_black"}
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BAR = 30  # characters of the longest bar
_TIER_STYLES = {"ACTIVE": "bold green", "RECENT": "green", "ARCHIVED": "blue", "EXPIRED": "bright_black"}


class _Console(Console):
    def on_broken_pipe(self) -> NoReturn:
        """Leave it to `main`, which knows what to do when the reader has gone."""
        raise BrokenPipeError


class Output:
    """Standard output of one command.

    Args:
        options: `--json` makes every answer one JSON document, `--plain` plain text.
    """

    def __init__(self, options: Options) -> None:
        self._as_json = options.json
        self.rich = not options.plain and not options.json and sys.stdout.isatty()

    @cached_property
    def console(self) -> Console:
        """The terminal; in a pipe the same without colour and without line breaks of its own."""
        if self.rich:
            return _Console(highlight=False, emoji=False)
        return _Console(highlight=False, emoji=False, color_system=None, force_terminal=False, width=100_000)

    def show(self, answer: T, render: Callable[[T, Output], None]) -> None:
        """Print an answer: as JSON when asked for, else as `render` does."""
        if self._as_json:
            self.document(answer)
        else:
            render(answer, self)

    def document(self, answer: Any) -> None:
        """Print one JSON document."""
        every_character = "utf" in (sys.stdout.encoding or "").lower()
        print(json.dumps(_plain(answer), ensure_ascii=not every_character, allow_nan=False, indent=2))

    def line(self, text: str | Text = "") -> None:
        """Print a line: markup in a `str` is honoured, so escape stored text with `clean`."""
        self.console.print(text, soft_wrap=not self.rich)

    def fitted(self, markup: str) -> None:
        """Print a line cut to the width of the terminal; ids come first in it, so they stay whole."""
        self.console.print(Text.from_markup(markup), no_wrap=True, overflow="ellipsis")

    def notice(self, text: str) -> None:
        """Say something that matters beside the answer, where no answer is expected.

        Args:
            text: not yet cleaned.
        """
        if self.rich:
            self.line(f"  {clean(text)}")
        elif not self._as_json:
            print(f"wakegraph: {safe(text)}", file=sys.stderr)

    def verbatim(self, text: str) -> None:
        """Print text exactly as it is but for what could steer the terminal."""
        self.console.print(Text(safe(text)), soft_wrap=True)

    def rows(self, header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> None:
        """Print a table on a terminal, tab-separated lines with a header in a pipe.

        Args:
            header: names of the columns.
            rows: texts, not yet cleaned.
            numbers: positions of columns to align right.
        """
        if not self.rich:
            for row in (header, *rows):
                print("\t".join(safe(cell).replace("\n", " ").replace("\t", " ") for cell in row))
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        for position, name in enumerate(header):
            table.add_column(name, justify="right" if position in numbers else "left", overflow="fold")
        for row in rows:
            table.add_row(*(Text(safe(cell)) for cell in row))
        self.console.print(table)

    def bars(self, title: str, counts: Mapping[str, int]) -> None:
        """Print counts as bars on a terminal (nothing where nothing was counted), as rows in a pipe.

        Args:
            title: what is counted.
            counts: by name, in the order to print.
        """
        if not self.rich:
            self.rows((title, "count"), [(name, str(count)) for name, count in counts.items()])
            return
        if not counts:
            return
        most = max(*counts.values(), 1)
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column(title)
        table.add_column("count", justify="right")
        table.add_column("")
        for name, count in counts.items():
            bar = "█" * round(_BAR * count / most) or ("▏" if count else "")
            table.add_row(Text(safe(name)), f"{count:,}", Text(bar, style=_TIER_STYLES.get(name, "cyan")))
        self.console.print(table)

    def facts(self, facts: Mapping[str, str | None]) -> None:
        """Print names with their values; those without a value are left out."""
        known = {name: value for name, value in facts.items() if value}
        width = max(map(len, known), default=0)
        for name, value in known.items():
            self.line(f"[dim]{clean(name):<{width}}[/]  {clean(value)}")

    def snapshots(self, snapshots: Iterable[Snapshot]) -> None:
        """Print a list: two lines each on a terminal, one tab-separated line each in a pipe.

        In a pipe: id, time, action type, tier, role, title, and what supersedes it.
        """
        for snapshot in snapshots:
            if self.rich:
                self.fitted(_head(snapshot))
                self.fitted(f"    {clean(snapshot.title)}")
            else:
                facts = (
                    *(snapshot.id, moment(snapshot.created_at), snapshot.action_type.value),
                    *(snapshot.memory_tier.value, snapshot.causal_role.value, snapshot.title),
                    ", ".join(name_of(newer, snapshot.project) for newer in snapshot.superseded_by),
                )
                print("\t".join(safe(fact).replace("\t", " ").replace("\n", " ") for fact in facts))


def styled(value: str) -> str:
    """A role or tier in its colour, as markup."""
    style = ROLE_STYLES.get(value) or _TIER_STYLES.get(value)
    return f"[{style}]{value}[/]" if style else escape(value)


def clean(text: str) -> str:
    """Stored text as markup that shows it as it is and cannot steer the terminal."""
    return escape(safe(text))


def moment(value: datetime) -> str:
    """A time for people: UTC to the second."""
    return value.strftime("%Y-%m-%d %H:%M:%SZ")


def size(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


def name_of(ref: SnapshotRef, project: str | None) -> str:
    """The id, with its project when that is not the one in view."""
    return ref.id if ref.project == project else f"{ref.project}::{ref.id}"


def superseded(newer: Sequence[SnapshotRef], project: str) -> list[str]:
    """What replaces a snapshot as one fact of it, in markup; none when nothing does."""
    return [f"superseded by {clean(', '.join(name_of(ref, project) for ref in newer))}"] if newer else []


def _head(snapshot: Snapshot) -> str:
    facts = [
        snapshot.action_type.value,
        styled(snapshot.causal_role.value),
        styled(snapshot.memory_tier.value),
        moment(snapshot.created_at),
        *([clean(snapshot.author)] if snapshot.author else []),
        *superseded(snapshot.superseded_by, snapshot.project),
    ]
    return f"[bold]{clean(snapshot.id)}[/]  " + " · ".join(facts)


def safe(text: str) -> str:
    """Text without what could steer the terminal: controls other than line and tab, overrides of direction."""
    return _STEERING.sub("\N{REPLACEMENT CHARACTER}", text)


def _plain(answer: Any) -> Any:
    if isinstance(answer, BaseModel):
        return answer.model_dump(mode="json", by_alias=False)
    if isinstance(answer, (list, tuple)):
        return [_plain(item) for item in answer]
    if isinstance(answer, dict):
        return {key: _plain(value) for key, value in answer.items()}
    return answer
