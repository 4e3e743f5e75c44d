"""JSON lines: reading a file, and writing an export."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, TextIO, cast

from wakegraph.errors import InvalidInputError, WakegraphError
from wakegraph.interchange.models import Problem
from wakegraph.interchange.records import Reader, Record

__all__ = ["Lines", "ReadError", "opened_lines", "output", "records"]

_GZIP_MAGIC: Final = b"\x1f\x8b"
_BOM: Final = b"\xef\xbb\xbf"
_SPOOL_BYTES: Final = 16_000_000
_LINE_BYTES: Final = 50_000_000  # more than any line within the limits of its texts can have, escapes included


class Lines:
    """The lines of a file that can be read more than once.

    Args:
        file: seekable, plain or gzip.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        file.seek(0)
        self._zipped = file.read(2) == _GZIP_MAGIC

    def __iter__(self) -> Iterator[tuple[int, bytes]]:
        """Number (from 1) and bytes of each line that is not blank, without its ending.

        Raises:
            ReadError: the file ends or breaks off within its compressed data.
        """
        self._file.seek(0)
        source = gzip.GzipFile(fileobj=self._file, mode="rb") if self._zipped else self._file
        number = 0
        try:
            while raw := source.readline(_LINE_BYTES):
                number += 1
                line = raw.removeprefix(_BOM) if number == 1 else raw
                if line.strip():
                    yield number, line.rstrip(b"\r\n")
        except (EOFError, OSError, zlib.error) as error:
            raise ReadError(number + 1, str(error)) from None


class ReadError(WakegraphError):
    """The compressed data cannot be read on."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: the file cannot be read on ({reason}): it is cut off or damaged")
        self.line = line


def records(lines: Lines, reader: Reader) -> Iterator[Record | Problem]:
    """Read lines one by one; what cannot be used is a problem."""
    try:
        for number, raw in lines:
            try:
                yield reader.record(number, raw)
            except InvalidInputError as error:
                yield Problem(line=number, text=str(error))
    except ReadError as error:
        yield Problem(line=error.line, text=str(error).partition(": ")[2])


@contextmanager
def opened_lines(source: Path | BinaryIO | TextIO) -> Iterator[Lines]:
    """Open a file, or take a stream; one that cannot go back to its beginning is copied to a temporary file.

    Raises:
        InvalidInputError: it cannot be opened.
    """
    if isinstance(source, Path):
        try:
            file = source.open("rb")
        except OSError as error:
            raise InvalidInputError(f"file {str(source)!r} cannot be read: {error.strerror}") from None
        with file:
            yield Lines(file)
        return
    if isinstance(source, io.StringIO):
        yield Lines(io.BytesIO(source.getvalue().encode("utf-8", "surrogatepass")))
        return
    stream = cast("BinaryIO", getattr(source, "buffer", source))
    if stream.seekable():
        yield Lines(stream)
        return
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES) as spool:
        shutil.copyfileobj(stream, spool)
        yield Lines(cast("BinaryIO", spool))


@contextmanager
def output(target: Path | BinaryIO | TextIO) -> Iterator[BinaryIO]:
    """Open the target of an export. A file appears under its name only when it is complete; `.gz` compresses it.

    Raises:
        InvalidInputError: it cannot be written.
    """
    if not isinstance(target, Path):
        yield cast("BinaryIO", getattr(target, "buffer", target))
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise InvalidInputError(f"file {str(target)!r} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            if target.suffix == ".gz":
                # Neither name nor time of the run: the same graph gives the same bytes.
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as zipped:
                    yield cast("BinaryIO", zipped)
            else:
                yield cast("BinaryIO", file)
        os.chmod(name, 0o666 & ~_umask())  # noqa: PTH101  mkstemp makes files that only their owner can read
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
