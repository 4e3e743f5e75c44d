"""The command line: thin commands over the services. `main` is the console script."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wakegraph.cli.stdin import STDIN
from wakegraph.errors import WakegraphError

if TYPE_CHECKING:
    from cyclopts import CycloptsError

__all__ = ["main"]

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_USAGE = 2
_INTERNAL = 70
_INTERRUPTED = 130
_BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Every error is one line on stderr.

    Args:
        arguments: the words after the program's name; by default those of this process.

    Returns:
        0 when all was done; 2 for arguments that cannot be used; the `exit_code` of a `WakegraphError`; 70 for a defect
        of wakegraph; 130 when interrupted; 141 when the reader of the output went away.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character is no defect
    try:
        code = _run(_with_stdin(list(sys.argv[1:] if arguments is None else arguments)))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The interpreter flushes stdout once more when it ends, which would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    return code


def _run(words: list[str]) -> int:
    from cyclopts import CycloptsError

    from wakegraph.cli.commands import app

    try:
        result = app(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        _complain(_usage(error))
        return _USAGE
    except WakegraphError as error:
        _complain(str(error))
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001  the last line of defence: one line, never a trace nobody asked for
        return _internal(error)
    return result if isinstance(result, int) else 0


def _usage(error: CycloptsError) -> str:
    from cyclopts import UnknownCommandError, UnusedCliTokensError

    chain = " ".join(("wakegraph", *(error.command_chain or ())))
    unused = error.unused_tokens or []
    if isinstance(error, UnknownCommandError):
        text = f"there is no command {' '.join(unused[:1])!r}"
    elif isinstance(error, UnusedCliTokensError):
        text = f"unexpected argument {' '.join(unused[:1])!r}; put words that belong together in quotes"
    else:
        text = str(error)
    return f"{text} (see `{chain} --help`)"


def _with_stdin(words: list[str]) -> list[str]:
    """Mark each lone `-` before `--`: it stands for standard input or output, and is not an option."""
    end = words.index("--") if "--" in words else len(words)
    return [STDIN if word == "-" else word for word in words[:end]] + words[end:]


def _complain(line: str) -> None:
    print(f"wakegraph: {_one_line(line)}", file=sys.stderr)


def _one_line(text: str) -> str:
    """One line that cannot steer a terminal."""
    return _CONTROLS.sub(" ", text.replace(STDIN, "-")).strip()


def _internal(error: Exception) -> int:
    if _debugging():
        import traceback

        traceback.print_exception(error)
    kind = type(error).__name__
    _complain(
        f"this is a defect of wakegraph, please report it ({kind}: {str(error)[:300]}); "
        "WAKEGRAPH_LOG_LEVEL=DEBUG shows where it happened"
    )
    return _INTERNAL


def _debugging() -> bool:
    from wakegraph.settings import load_settings

    try:
        return load_settings().log_level == "DEBUG"
    except WakegraphError:
        return False
