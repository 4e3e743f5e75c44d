"""The backup file: gzipped JSON lines, each of one kind, closed by a line with their number and their digest. Pure I/O.

Unlike the JSONL interchange it holds everything as it is stored, derived properties included, so that a restored graph
equals the one that was saved.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from wakegraph.errors import ImportFileError, InvalidInputError

__all__ = ["BackupWriter", "read_backup", "verify_backup", "writing"]

FORMAT = 1
_TIME = "$time"
Entry = tuple[str, Any]


class BackupWriter:
    """Writes entries and counts them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._lines = 0
        self.write("wakegraph_backup", FORMAT)

    def write(self, kind: str, value: Any) -> None:
        # A server gives properties in an order of its own: sorted, the same graph gives the same bytes on any server.
        text = json.dumps([kind, value], ensure_ascii=False, separators=(",", ":"), default=_tagged, sort_keys=True)
        line = text.encode() + b"\n"
        self._digest.update(line)
        self._stream.write(line)
        self._lines += 1

    def close(self) -> str:
        """Write the closing line and return the digest."""
        digest = self._digest.hexdigest()
        closing = json.dumps(["end", {"lines": self._lines, "sha256": digest}]).encode() + b"\n"
        self._stream.write(closing)
        return digest


@contextmanager
def writing(path: Path) -> Iterator[BackupWriter]:
    """A writer whose file appears under its name only when it is complete.

    Raises:
        InvalidInputError: the file cannot be written.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as raw:
            # No name and no time inside, so that the same graph gives the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield BackupWriter(cast("BinaryIO", stream))
            raw.flush()
            os.fsync(raw.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise InvalidInputError(f"backup {str(path)!r} cannot be written: {error.strerror or error}") from None
    finally:
        unfinished.unlink(missing_ok=True)


def verify_backup(path: Path) -> str:
    """Read a whole file and return its digest.

    Raises:
        ImportFileError: it is no backup, of a newer format, cut off or changed.
    """
    digest = hashlib.sha256()
    count = 0
    closing: Any = None
    for line in _lines(path):
        if closing is not None:
            raise ImportFileError(f"backup {str(path)!r} goes on after its end: it was changed, nothing was written")
        kind, value = _entry(path, line)
        if count == 0 and kind != "wakegraph_backup":
            raise ImportFileError(f"{str(path)!r} is not a wakegraph backup")
        if count == 0 and value != FORMAT:
            raise ImportFileError(f"backup {str(path)!r} has format {value}, this wakegraph reads {FORMAT}: upgrade it")
        if kind == "end":
            closing = value
            continue
        digest.update(line)
        count += 1
    if closing is None:
        raise ImportFileError(f"backup {str(path)!r} is cut off after {count} lines: nothing was written")
    if closing != {"lines": count, "sha256": digest.hexdigest()}:
        raise ImportFileError(f"backup {str(path)!r} does not match its digest: it was changed, nothing was written")
    return digest.hexdigest()


def read_backup(path: Path) -> Iterator[Entry]:
    """The entries of a verified file, without its first and last line."""
    for line in _lines(path):
        kind, value = _entry(path, line)
        if kind not in {"wakegraph_backup", "end"}:
            yield kind, value


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path, "rb") as stream:
            yield from stream
    except gzip.BadGzipFile:
        raise ImportFileError(f"{str(path)!r} is not a wakegraph backup") from None
    except EOFError:
        raise ImportFileError(f"backup {str(path)!r} is cut off: nothing was written") from None
    except OSError as error:
        raise ImportFileError(f"backup {str(path)!r} cannot be read: {error.strerror or error}") from None


def _entry(path: Path, line: bytes) -> Entry:
    try:
        kind, value = json.loads(line, object_hook=_untagged)
    except (ValueError, TypeError):
        raise ImportFileError(f"backup {str(path)!r} holds a line that is not one of a backup: {line[:60]!r}") from None
    return kind, value


def _tagged(value: object) -> dict[str, str]:
    if isinstance(value, datetime):
        return {_TIME: value.isoformat()}
    raise TypeError(f"a backup cannot hold {type(value).__name__}")


def _untagged(value: dict[str, Any]) -> Any:
    return datetime.fromisoformat(value[_TIME]) if value.keys() == {_TIME} else value
