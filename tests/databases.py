"""The Neo4j of a test run: the one that is named, else a container, else the local engine."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wakegraph.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
IMAGE = "neo4j:2026.08.1-community"


@dataclass(frozen=True)
class Choice:
    """What the run uses, and the words for it in the header."""

    kind: str
    text: str


def forget_own_environment() -> None:
    """Take the developer's own settings out of the environment, so that they neither help nor harm a test."""
    for name in list(os.environ):
        if name.startswith(("WAKEGRAPH_", "NEO4J_")) and not name.startswith("WAKEGRAPH_TEST_"):
            del os.environ[name]


@cache
def choose() -> Choice:
    uri = os.environ.get("WAKEGRAPH_TEST_URI")
    if uri:
        return Choice("given", f"{uri} (WAKEGRAPH_TEST_URI)")
    if _docker_answers():
        return Choice("container", f"a container of {_image()} (a Docker engine answers)")
    return Choice("engine", f"the local engine in {test_home()} (no WAKEGRAPH_TEST_URI, no Docker engine)")


def test_home() -> Path:
    """The engine's home: kept between runs, since its artifacts need not be fetched each time."""
    return Path(os.environ.get("WAKEGRAPH_TEST_HOME", ROOT / ".test-home")).absolute()


@asynccontextmanager
async def database() -> AsyncIterator[Settings]:
    """The chosen database while the run lasts, as settings that lead to it. Stops what it started."""
    kind = choose().kind
    opened = {"given": _given, "container": _container, "engine": _engine}[kind]
    async with opened() as settings:
        yield settings


@asynccontextmanager
async def _given() -> AsyncIterator[Settings]:
    yield _settings(
        os.environ["WAKEGRAPH_TEST_URI"],
        os.environ.get("WAKEGRAPH_TEST_USERNAME", "neo4j"),
        os.environ.get("WAKEGRAPH_TEST_PASSWORD", ""),
        os.environ.get("WAKEGRAPH_TEST_DATABASE"),
    )


@asynccontextmanager
async def _container() -> AsyncIterator[Settings]:
    from testcontainers.community.neo4j import Neo4jContainer

    with Neo4jContainer(_image(), password="wakegraph-test") as container:
        yield _settings(container.get_connection_url(), "neo4j", "wakegraph-test", "neo4j")


@asynccontextmanager
async def _engine() -> AsyncIterator[Settings]:
    from wakegraph import engine
    from wakegraph.app import engine_config

    home = Settings(home=test_home(), engine_idle_seconds=120, engine_archive=False)
    if version := os.environ.get("WAKEGRAPH_TEST_ENGINE_VERSION"):
        home = home.model_copy(update={"engine_version": version})
    config = engine_config(home)
    endpoint = await engine.ensure(config, None)
    try:
        yield _settings(endpoint.uri, endpoint.username, endpoint.password, endpoint.database)
    finally:
        await engine.stop(config)


def _settings(uri: str, username: str, password: str, database: str | None) -> Settings:
    return Settings(
        neo4j_uri=uri,
        neo4j_username=username,
        neo4j_password=password,  # type: ignore[arg-type]  # pydantic makes it a secret
        neo4j_database=database or "neo4j",
        home=test_home(),
    )


def _image() -> str:
    return os.environ.get("WAKEGRAPH_TEST_IMAGE", IMAGE)


def _docker_answers() -> bool:
    import docker
    from docker.errors import DockerException

    # A client that finds no engine leaves its socket to the garbage collector, which would blame the first test.
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):
        try:
            with closing(docker.from_env(timeout=3)) as client:
                return bool(client.ping())
        except DockerException:
            return False
        finally:
            gc.collect()
