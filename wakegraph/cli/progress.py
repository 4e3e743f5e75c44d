"""Progress on a terminal's stderr; nothing in a pipe, where only the answer counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from wakegraph.progress import OnProgress, silent

if TYPE_CHECKING:
    from wakegraph.engine import Progress as EngineProgress

__all__ = ["counting_progress", "engine_progress"]


@contextmanager
def engine_progress() -> Iterator[Callable[[EngineProgress], None] | None]:
    """A callback that shows what the local engine does while it is brought up: bytes while it downloads."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield None
        return
    text = TextColumn("{task.description}")
    plain = Progress(SpinnerColumn(), text, console=console, transient=True)
    loading = Progress(text, BarColumn(), DownloadColumn(), console=console, transient=True)
    tasks = {display: display.add_task("", visible=False) for display in (plain, loading)}

    def on_progress(step: EngineProgress) -> None:
        display, other = (loading, plain) if step.total else (plain, loading)
        other.stop()
        display.start()
        total = step.total or None
        words = "opening the database" if step.phase == "ready" else step.message
        display.update(tasks[display], description=words, completed=step.done, total=total, visible=True)

    try:
        yield on_progress
    finally:
        plain.stop()
        loading.stop()


@contextmanager
def counting_progress(title: str) -> Iterator[OnProgress]:
    """A callback `(done, total)` that shows how far a command is; while the total is unknown it reads."""
    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield silent
        return
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=console,
        transient=True,
    ) as display:
        task = display.add_task(title, total=None)
        yield lambda done, total: display.update(
            task, description="reading" if total is None else title, completed=done, total=total
        )
