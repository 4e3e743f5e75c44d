"""What a command works with: the memory, where it is, and what it prints to."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import cast

from wakegraph.app import Wakegraph
from wakegraph.cli.options import Options
from wakegraph.cli.output import Output
from wakegraph.cli.progress import engine_progress
from wakegraph.cli.stdin import STDIN
from wakegraph.errors import InvalidInputError
from wakegraph.models import Caller
from wakegraph.settings import Settings, load_settings
from wakegraph.snapshots.naming import default_project

__all__ = ["Session", "command_settings", "opened", "read_text"]

_PIECE = 65_536


@dataclass(frozen=True, slots=True)
class Session:
    """An open memory, for one command.

    Attributes:
        wake: the services.
        project: the project that was named with `--project`, or None.
        caller: who asks.
        output: where the answer goes.
    """

    wake: Wakegraph
    project: str | None
    caller: Caller
    output: Output


def command_settings() -> Settings:
    """The settings of a command: those of the environment, with the default project of the working directory."""
    settings = load_settings()
    logging.basicConfig(level=settings.log_level, stream=sys.stderr, format="wakegraph: %(levelname)s %(message)s")
    # The driver's warnings are several lines each, and what matters of them comes back as an error of ours.
    logging.getLogger("neo4j").setLevel(logging.DEBUG if settings.log_level == "DEBUG" else logging.ERROR)
    return settings.model_copy(update={"project": default_project(settings, Path.cwd())})


@asynccontextmanager
async def opened(options: Options, *, prepare: bool = True) -> AsyncIterator[Session]:
    """Open the memory for one command; the local engine is brought up with its progress on stderr.

    Args:
        options: the options of the command.
        prepare: False to use the database as it is, with whatever schema it has.
    """
    settings = command_settings()
    with engine_progress() as on_progress:
        wake = Wakegraph(settings, on_progress=on_progress, prepare=prepare)
        try:
            await wake.graph.ready()
        except BaseException:
            await wake.close()
            raise
    try:
        yield Session(wake, options.project, Caller(author=settings.author), Output(options))
    finally:
        await wake.close()


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`, exactly as it is.

    Raises:
        InvalidInputError: it cannot be read, or is not UTF-8.
    """
    try:
        raw = _read_stdin() if path == STDIN else Path(path).read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        raise InvalidInputError(f"file {path!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        shown = "standard input" if path == STDIN else f"file {path!r}"
        raise InvalidInputError(f"{shown} is not UTF-8 (byte {error.start}): convert it first") from None


def _read_stdin() -> bytes:
    """All of standard input. Ctrl-C ends the reading at once: asyncio's own handler would wait for the end of input."""
    former = signal.getsignal(signal.SIGINT)
    if former is signal.SIG_IGN:  # a job in the background, which Ctrl-C does not concern
        return sys.stdin.buffer.read()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        pieces = []
        # In pieces: a signal that comes between two reads of the system is only seen when a call returns.
        reader = cast("BufferedReader", sys.stdin.buffer)
        while piece := reader.read1(_PIECE):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        signal.signal(signal.SIGINT, former)
