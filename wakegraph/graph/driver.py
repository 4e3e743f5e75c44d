"""The connection: one driver, opened on first use, with every failure turned into one clear line."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

from wakegraph.errors import (
    ConflictError,
    DatabaseError,
    DatabaseUnavailableError,
    NotFoundError,
    WakegraphError,
)
from wakegraph.graph.queries import Statement, statement
from wakegraph.graph.times import from_graph

if TYPE_CHECKING:
    from neo4j import AsyncDriver, AsyncManagedTransaction, AsyncResult, AsyncSession

__all__ = ["Graph", "Row", "Span", "Target", "Transaction", "translate"]

Row = dict[str, Any]
P = ParamSpec("P")
T = TypeVar("T")

Span = Callable[[str, Mapping[str, Any]], AbstractContextManager[object]]
"""Surrounds the run of a statement, given its name and its parameters: for traces."""

MINIMUM_SERVER = (5, 26)
_SCHEMES = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where the database is.

    Attributes:
        uri: Bolt or Neo4j address.
        username: user name; the password is never shown.
        database: name of the database, or None for the user's home database.
        alive: tells without I/O whether the server is still the one that was found; a local engine that has gone
            makes the next call look for it again.
        hint: what the user can do when the server cannot be reached.
    """

    uri: str
    username: str
    password: str = field(repr=False)
    database: str | None = None
    alive: Callable[[], bool] = field(default=lambda: True, repr=False)
    hint: str = "check that it runs there"


class Transaction:
    """A transaction in progress, handed to the functions given to `Graph.read_in` and `Graph.write_in`."""

    __slots__ = ("_span", "_tx")

    def __init__(self, tx: AsyncManagedTransaction, span: Span) -> None:
        self._tx = tx
        self._span = span

    async def run(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run the statement `name` and return its rows, times as UTC datetimes."""
        stated = _checked(name, parameters)
        with self._span(name, parameters):
            return await _rows(await self._tx.run(stated.text, parameters))

    async def one(self, name: str, /, **parameters: Any) -> Row | None:
        """Run a statement that returns at most one row."""
        rows = await self.run(name, **parameters)
        return rows[0] if rows else None


class Graph:
    """The database as the services see it.

    Args:
        find: finds the database; called on first use and again when the target is no longer alive.
        prepare: called once for each new target before anything else runs on it (server version, schema).
        connection_timeout: seconds to wait for a connection.
        retry_time: seconds that the driver retries a failed transaction.
        pool_size: connections at the most.

    Attributes:
        span: surrounds the run of each statement; by default nothing does.
    """

    def __init__(
        self,
        find: Callable[[], Awaitable[Target]],
        prepare: Callable[[Graph], Awaitable[None]] | None = None,
        *,
        connection_timeout: float = 5.0,
        retry_time: float = 15.0,
        pool_size: int = 50,
    ) -> None:
        self._find = find
        self._prepare = prepare
        self._connection_timeout = connection_timeout
        self._retry_time = retry_time
        self._pool_size = pool_size
        self._driver: AsyncDriver | None = None
        self._target: Target | None = None
        self._opening = asyncio.Lock()
        self.span: Span = _untraced

    @property
    def target(self) -> Target | None:
        """The database in use, None before the first call."""
        return self._target

    async def close(self) -> None:
        """Close all connections. The graph opens again on next use."""
        driver, self._driver, self._target = self._driver, None, None
        if driver is not None:
            await driver.close()

    async def ready(self) -> Target:
        """Open the connection now and return the database in use.

        Raises:
            DatabaseError: it cannot be used; the line says why and what to do.
        """
        await self._open()
        assert self._target is not None  # noqa: S101  set together with the driver
        return self._target

    async def read(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one statement in a read transaction (routed to a reader, retried when that is safe)."""
        return await self._alone("READ", name, parameters)

    async def read_one(self, name: str, /, **parameters: Any) -> Row | None:
        """Like `read`, for a statement that returns at most one row."""
        rows = await self.read(name, **parameters)
        return rows[0] if rows else None

    async def write(self, name: str, /, **parameters: Any) -> list[Row]:
        """Run one statement in a write transaction. It is committed when this returns."""
        return await self._alone("WRITE", name, parameters)

    async def write_one(self, name: str, /, **parameters: Any) -> Row | None:
        """Like `write`, for a statement that returns at most one row."""
        rows = await self.write(name, **parameters)
        return rows[0] if rows else None

    async def read_in(
        self, work: Callable[Concatenate[Transaction, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work(transaction, ...)` in one read transaction. It may run more than once."""
        return await self._managed("READ", work, *args, **kwargs)

    async def write_in(
        self, work: Callable[Concatenate[Transaction, P], Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run `work(transaction, ...)` in one write transaction: all of it or nothing. It may run more than once."""
        return await self._managed("WRITE", work, *args, **kwargs)

    @asynccontextmanager
    async def session(self, access: str, *, fetch_size: int = 1_000) -> AsyncIterator[AsyncSession]:
        """A driver session in the right database, for the few callers that need their own transaction.

        Args:
            access: `READ` or `WRITE`.
            fetch_size: records that the database sends before it is asked for more.
        """
        driver = await self._open()
        assert self._target is not None  # noqa: S101  set together with the driver
        async with driver.session(
            database=self._target.database,
            default_access_mode=access,
            fetch_size=fetch_size,
            bookmark_manager=driver.execute_query_bookmark_manager,
        ) as session:
            yield session

    async def _alone(self, access: str, name: str, parameters: dict[str, Any]) -> list[Row]:
        """Run one statement in a transaction of its own, whose beginning takes no round trip."""
        from neo4j import RoutingControl

        stated = _checked(name, parameters)
        with self._translated():
            driver = await self._open()
            assert self._target is not None  # noqa: S101  set together with the driver
            with self.span(name, parameters):
                return await driver.execute_query(
                    stated.text,
                    parameters,
                    routing_=RoutingControl.READ if access == "READ" else RoutingControl.WRITE,
                    database_=self._target.database,
                    result_transformer_=_rows,
                )

    async def _managed(
        self,
        access: str,
        work: Callable[Concatenate[Transaction, P], Awaitable[T]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        async def run(tx: AsyncManagedTransaction) -> T:
            return await work(Transaction(tx, self.span), *args, **kwargs)

        with self._translated():
            async with self.session(access) as session:
                execute = session.execute_read if access == "READ" else session.execute_write
                return await execute(run)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turns whatever goes wrong into one clear line."""
        try:
            yield
        except WakegraphError:
            raise
        except Exception as error:
            raise translate(error, self._target) from error

    async def _open(self) -> AsyncDriver:
        if self._driver is not None and self._target is not None and self._target.alive():
            return self._driver
        async with self._opening:
            if self._driver is not None and self._target is not None and self._target.alive():
                return self._driver
            await self.close()
            await self._connect(await self._find())
            assert self._driver is not None  # noqa: S101  set by _connect
            return self._driver

    async def _connect(self, target: Target) -> None:
        from neo4j import AsyncGraphDatabase
        from neo4j.exceptions import ConfigurationError as DriverConfigurationError

        from wakegraph import __version__

        _check_address(target.uri)
        try:
            driver = AsyncGraphDatabase.driver(
                target.uri,
                auth=(target.username, target.password),
                user_agent=f"wakegraph/{__version__}",
                notifications_min_severity="OFF",
                liveness_check_timeout=30,
                connection_timeout=self._connection_timeout,
                connection_acquisition_timeout=self._connection_timeout + self._retry_time,
                max_transaction_retry_time=self._retry_time,
                initial_retry_delay=0.05,
                max_connection_pool_size=self._pool_size,
            )
        except (ValueError, DriverConfigurationError) as error:
            raise _bad_address(target.uri, _first_line(error)) from None
        try:
            await _check_server(driver, target)
            if self._prepare is not None:
                await self._prepare(self._attached(driver, target))
        except BaseException:
            await driver.close()
            raise
        # Only now: a call that comes meanwhile must not use a database that is not prepared yet.
        self._driver, self._target = driver, target

    @classmethod
    def _attached(cls, driver: AsyncDriver, target: Target) -> Graph:
        """A graph on a connection that is open already, for its preparation."""

        async def gone() -> Target:
            raise DatabaseUnavailableError(f"the database at {target.uri} went away while it was being prepared")

        graph = cls(gone)
        graph._driver, graph._target = driver, target
        return graph


def _untraced(name: str, parameters: Mapping[str, Any]) -> AbstractContextManager[object]:  # noqa: ARG001
    return nullcontext()


async def _rows(result: AsyncResult) -> list[Row]:
    # Not record.data(): it copies every list once more before the times are turned.
    return [from_graph(dict(record)) async for record in result]


def _checked(name: str, parameters: Mapping[str, Any]) -> Statement:
    stated = statement(name)
    if stated.params != parameters.keys():
        difference = sorted(stated.params ^ parameters.keys())
        raise TypeError(f"{name}.cypher and its caller disagree about the parameters {difference}")
    return stated


def _check_address(uri: str) -> None:
    """Refuse what the driver would take for something else: other protocols, a missing host, a password in the address.

    Raises:
        DatabaseError: it is no address of a database; the line never shows a password.
    """
    try:
        parts = urlsplit(uri)
        host, user, _ = parts.hostname, parts.username, parts.port
    except ValueError as error:
        raise _bad_address(uri, str(error)) from None
    if user is not None:
        bare = f"{parts.scheme}://...@{parts.netloc.rpartition('@')[2]}"
        raise _bad_address(bare, "user name and password belong into WAKEGRAPH_NEO4J_USERNAME and ..._PASSWORD")
    if parts.scheme not in _SCHEMES or not host:
        raise _bad_address(uri, "it is not a Bolt address" if host else "it names no host")


def _bad_address(uri: str, why: str) -> DatabaseError:
    return DatabaseError(
        f"database address {uri!r} cannot be used: {why}; use bolt://HOST:PORT or neo4j://HOST:PORT "
        "(bolt+s and neo4j+s for TLS)"
    )


async def _check_server(driver: AsyncDriver, target: Target) -> None:
    try:
        async with driver.session(database=target.database, default_access_mode="READ") as session:
            result = await session.run(statement("schema/ping").text)
            summary = await result.consume()
    except Exception as error:
        raise translate(error, target) from error
    version = summary.server.agent.partition("/")[2]
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if len(numbers) == 2 and numbers < MINIMUM_SERVER:
        minimum = ".".join(map(str, MINIMUM_SERVER))
        raise DatabaseError(
            f"the server at {target.uri} is Neo4j {version}; wakegraph needs {minimum} or newer: upgrade the server"
        )


def translate(error: BaseException, target: Target | None) -> WakegraphError:
    """Turn a driver error into one line that names the address and never the password.

    Raises:
        BaseException: the error itself, when it is none of the database's.
    """
    from neo4j.exceptions import Neo4jError

    if isinstance(error, WakegraphError):
        return error
    where = target.uri if target else "its address"
    known = _connection_error(error, target, where)
    if known is not None:
        return known
    if isinstance(error, Neo4jError):
        return _answered_error(error.code or "", target, where, _first_line(error))
    raise error


def _connection_error(error: BaseException, target: Target | None, where: str) -> DatabaseError | None:
    from neo4j import exceptions as driver_errors

    if isinstance(error, driver_errors.AuthError):
        user = target.username if target else "?"
        return DatabaseError(
            f"the server at {where} refused the user name or password of {user!r}: "
            "set WAKEGRAPH_NEO4J_USERNAME and WAKEGRAPH_NEO4J_PASSWORD"
        )
    if isinstance(error, driver_errors.IncompleteCommit):
        return DatabaseUnavailableError(
            f"the connection to {where} broke during the commit, so it is not known whether the write happened: "
            "read it back, or repeat it with the same id"
        )
    lost = (driver_errors.ServiceUnavailable, driver_errors.SessionExpired, OSError, TimeoutError)
    if isinstance(error, lost):
        hint = target.hint if target else "check that it runs"
        return DatabaseUnavailableError(f"the database at {where} cannot be reached ({_first_line(error)}): {hint}")
    if isinstance(error, driver_errors.DriverError):
        return DatabaseUnavailableError(f"the database at {where} cannot be used: {_first_line(error)}")
    return None


def _answered_error(code: str, target: Target | None, where: str, text: str) -> WakegraphError:
    if "DatabaseNotFound" in code:
        name = target.database if target else None
        return DatabaseError(
            f"the server at {where} has no database {name!r}: set WAKEGRAPH_NEO4J_DATABASE to one that it has"
        )
    if "EntityNotFound" in code:
        return NotFoundError("a snapshot of this request was deleted meanwhile: nothing was written; look it up again")
    if "OutOfMemory" in code:
        return DatabaseError(
            f"the server at {where} has not enough memory for this request, nothing was written: ask for less, or give "
            "Neo4j more heap (WAKEGRAPH_ENGINE_HEAP_MB for the local engine, else server.memory.heap.max_size)"
        )
    if "ConstraintValidationFailed" in code:
        return ConflictError(f"another write was first, nothing was written: {text}")
    if any(part in code for part in ("Forbidden", "AccessMode", "ReadOnly", "NotALeader")):
        return DatabaseError(f"the server at {where} refused the write, nothing was written: {text}")
    return DatabaseError(f"the server at {where} answered {code}: {text}")


def _first_line(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(message).strip().splitlines()[0][:300]
