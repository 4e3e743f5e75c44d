"""Serving one client over standard input and output.

Standard input is read by a thread of its own and handed on through a pipe, so that a signal can end it like the client
does: the server then closes in order. A thread that waits for input can be ended in no other way.
"""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastmcp import FastMCP

__all__ = ["serve_stdio", "without_lone_surrogates"]

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_PATIENCE = 3.0


def without_lone_surrogates(line: bytes) -> bytes:
    """A message in which half of a surrogate pair is a NUL character, which every tool refuses.

    The library cannot read the message as it is and drops it, so that the client would wait for ever.
    """
    return _ESCAPE.sub(lambda found: rb"\u0000" if found["lone"] else found[0], line)


class _Input:
    """Standard input that can be ended from inside."""

    def __init__(self) -> None:
        self._source = os.dup(0)
        # What runs inside the server must not read what belongs to the protocol.
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        reader, self._writer = os.pipe()
        self.stream = io.TextIOWrapper(os.fdopen(reader, "rb"), encoding="utf-8", errors="replace")
        self._ending = threading.Lock()
        self._ended = False
        threading.Thread(target=self._pump, name="wakegraph-stdin", daemon=True).start()

    def end(self) -> None:
        """Let the server see the end of its input; from then on it has a few seconds to close."""
        with self._ending:
            if self._ended:
                return
            self._ended = True
        os.close(self._writer)
        timer = threading.Timer(_PATIENCE, os._exit, (0,))
        timer.daemon = True
        timer.start()

    def _pump(self) -> None:
        with suppress(OSError), os.fdopen(self._source, "rb") as source:
            for line in source:
                data = memoryview(without_lone_surrogates(line))
                while data:
                    data = data[os.write(self._writer, data) :]
        self.end()


def serve_stdio(server: FastMCP[Any]) -> None:
    """Serve until the client closes its end, or SIGTERM or SIGINT arrives. Only the protocol is written to stdout."""
    source = _Input()
    sys.stdin = source.stream

    def stop(*_: object) -> None:
        # The lock is not taken here: the handler may have interrupted the thread that holds it.
        threading.Thread(target=source.end, daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    server.run(transport="stdio", show_banner=False)
