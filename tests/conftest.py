"""Fixtures of all rooms: the database of the run, projects of one test, a clock that stands still."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from databases import choose, database, forget_own_environment

from wakegraph.graph import schema
from wakegraph.graph.driver import Graph, Target
from wakegraph.settings import Settings

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph

forget_own_environment()

# One statement a label, each with predicates that its index can answer: the database may hold much else.
_REMOVE = [
    f"MATCH {node} WHERE n.project = $project AND n.{key} IS NOT NULL CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS"
    for node, key in (("(n:Snapshot)", "created_at"), ("(n:Artifact)", "ref"), ("(n:WakegraphTombstone)", "id"))
]


def pytest_report_header() -> str:
    return f"database: {choose().text}"


class Clock:
    """A clock that shows what it was set to: `clock()`, `clock.set(...)`, `clock.advance(hours=1)`."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        return self.moment

    def set(self, moment: datetime) -> datetime:
        self.moment = moment
        return moment

    def advance(self, **parts: float) -> datetime:
        return self.set(self.moment + timedelta(**parts))


@pytest.fixture
def clock() -> Clock:
    """A settable clock that starts at a fixed time."""
    return Clock(datetime(2026, 1, 15, 12, 0, tzinfo=UTC))


@pytest.fixture(scope="session")
async def settings() -> AsyncIterator[Settings]:
    """Settings that lead to the database of the run."""
    async with database() as settings:
        yield settings


@pytest.fixture(scope="session")
async def wake(settings: Settings) -> AsyncIterator[Wakegraph]:
    """The memory on the database of the run, with the real clock."""
    from wakegraph.app import Wakegraph

    async with Wakegraph.open(settings) as wake:
        yield wake


@pytest.fixture(scope="session")
async def graph(settings: Settings) -> AsyncIterator[Graph]:
    """The database itself, with the schema in it, without any service."""

    async def find() -> Target:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return Target(settings.neo4j_uri or "", settings.neo4j_username, password, settings.neo4j_database)

    async def prepare(graph: Graph) -> None:
        await schema.prepare(graph, now=datetime.now(UTC), read_only=False)

    graph = Graph(find, prepare)
    yield graph
    await graph.close()


@pytest.fixture
async def wake_at(settings: Settings) -> AsyncIterator[Callable[..., Wakegraph]]:
    """Opens memories with a clock and settings of their own: `wake_at(clock, read_only=True)`; closed afterwards."""
    from wakegraph.app import Wakegraph

    async with AsyncExitStack() as stack:

        def opened(clock: Callable[[], datetime] | datetime, **overrides: Any) -> Wakegraph:
            read = (lambda: clock) if isinstance(clock, datetime) else clock
            opened = Wakegraph(Settings.model_validate({**dict(settings), **overrides}), clock=read)
            stack.push_async_callback(opened.close)
            return opened

        yield opened


@pytest.fixture
async def new_project(graph: Graph) -> AsyncIterator[Callable[..., str]]:
    """Makes names of projects that nobody else uses, or takes one; what they hold is removed afterwards."""
    names: list[str] = []

    def make(name: str | None = None) -> str:
        names.append(name or f"test-{uuid4().hex[:12]}")
        return names[-1]

    yield make
    async with graph.session("WRITE") as session:
        for name in names:
            for statement in _REMOVE:
                await (await session.run(statement, project=name)).consume()
            await (await session.run("MATCH (p:WakegraphProject {name: $project}) DELETE p", project=name)).consume()


@pytest.fixture
def project(new_project: Callable[..., str]) -> str:
    """The name of a project of this test alone."""
    return new_project()


@pytest.fixture
def other_project(new_project: Callable[..., str]) -> str:
    """A second project of this test alone."""
    return new_project()
