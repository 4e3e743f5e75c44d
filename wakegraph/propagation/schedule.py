"""A refresh again and again, for as long as the process runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import timedelta

from wakegraph.errors import InvalidInputError, WakegraphError

__all__ = ["parse_interval", "run_every"]

_INTERVAL = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)", re.IGNORECASE)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_LONGEST = timedelta(days=366)
_RETRY_SECONDS = 30.0


def parse_interval(text: str) -> timedelta:
    """An interval such as `12h`, `90m` or `1d`.

    Raises:
        InvalidInputError: it is none, or not from one second to a year.
    """
    found = _INTERVAL.fullmatch(text.strip())
    seconds = float(found[1]) * _UNITS[found[2].lower()] if found else 0.0
    if not 1 <= seconds <= _LONGEST.total_seconds():
        raise InvalidInputError(f"interval {text!r} cannot be used: say 30m, 12h or 1d, from 1s to 366d")
    return timedelta(seconds=seconds)


async def run_every(
    work: Callable[[], Awaitable[None]],
    interval: timedelta,
    stop: asyncio.Event,
    on_failure: Callable[[WakegraphError], None],
) -> None:
    """Run `work` at once and then once an interval, until `stop` is set.

    A run begins only when the one before has ended; times that pass meanwhile are left out. A run that fails, because
    the database is being restarted, say, is tried again after 30 seconds, or the interval when that is shorter.

    Args:
        work: one run.
        interval: from start to start.
        stop: ends the waiting; `work` itself should look at it too.
        on_failure: told what went wrong.
    """
    clock = asyncio.get_running_loop().time
    seconds = interval.total_seconds()
    due = clock()
    while not stop.is_set():
        try:
            await work()
        except WakegraphError as error:
            on_failure(error)
            due = clock() + min(_RETRY_SECONDS, seconds)
        else:
            missed = int((clock() - due) // seconds)
            due += (missed + 1) * seconds
        try:
            await asyncio.wait_for(stop.wait(), max(due - clock(), 0))
        except TimeoutError:
            continue
