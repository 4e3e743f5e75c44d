"""Progress on a terminal's stderr; nothing in a pipe, where only the answer counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from wakegraph.engine import Progress

__all__ = ["engine_progress"]


@contextmanager
def engine_progress() -> Iterator[Callable[[Progress], None] | None]:
    """A callback that shows what the local engine does while it is brought up."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return
    status = console.status("")
    shown = False

    def on_progress(progress: Progress) -> None:
        nonlocal shown
        status.update(str(progress))
        if not shown:
            status.start()
            shown = True

    try:
        yield on_progress
    finally:
        status.stop()
