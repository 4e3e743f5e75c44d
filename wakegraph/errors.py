"""The exceptions of wakegraph: one small tree, one clear line each.

Every message says what was wrong, with the value, and what to do. A message is safe to show to the caller: it
holds no secret and no stack trace.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AccessDeniedError",
    "ConfigurationError",
    "ConflictError",
    "DatabaseError",
    "DatabaseUnavailableError",
    "EngineError",
    "ImportFileError",
    "InvalidInputError",
    "NotFoundError",
    "WakegraphError",
]


class WakegraphError(Exception):
    """Base of every error that wakegraph raises on purpose. `str(error)` is one line for the user."""

    exit_code: int = 1


class InvalidInputError(WakegraphError):
    """An argument is not acceptable: nothing was written."""

    exit_code = 2


class NotFoundError(WakegraphError):
    """A named snapshot, project or artifact does not exist, or not where the caller may look."""

    exit_code = 3


class ConflictError(WakegraphError):
    """The request is well formed but contradicts what is stored (a cycle, other content under the same id)."""

    exit_code = 4


class AccessDeniedError(WakegraphError):
    """The caller may not do this: read-only mode, a missing scope."""

    exit_code = 5


class DatabaseError(WakegraphError):
    """The database answered, but it cannot be used as it is (version, schema, foreign data, rights)."""

    exit_code = 6


class DatabaseUnavailableError(DatabaseError):
    """The database could not be reached in time."""

    exit_code = 7


class EngineError(WakegraphError):
    """The local engine could not be fetched, started or stopped."""

    exit_code = 8


class ConfigurationError(WakegraphError):
    """A setting has a value that cannot be used."""

    exit_code = 2


class ImportFileError(WakegraphError):
    """A file to import has faults: nothing was written.

    Attributes:
        problems: one line of text for every fault, each starting with its line number.
    """

    exit_code = 2

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
