"""Homes with all artifacts in them, without fetching them again: hard links to those of the test run's own home."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from databases import test_home

from wakegraph import engine
from wakegraph.engine.config import Layout

VERSIONS = ("2026.08.1", "5.26.30")


def link_tree(source: Path, target: Path) -> None:
    shutil.copytree(source, target, copy_function=os.link, ignore=shutil.ignore_patterns(".staging", "launch-*"))


@pytest.fixture(scope="session")
async def artifacts() -> Path:
    """A home with the artifacts of both versions and the Java runtime."""
    home = test_home()
    for version in VERSIONS:
        await engine.prefetch(engine.EngineConfig(home, version))
    return home


@pytest.fixture
async def make_config(artifacts: Path) -> AsyncIterator[Callable[..., engine.EngineConfig]]:
    """Makes settings of engines in homes of their own, on the same disk; stops and removes them afterwards."""
    made: list[engine.EngineConfig] = []
    with tempfile.TemporaryDirectory(dir=artifacts, prefix="tëst home ") as folder:

        def make(**settings: object) -> engine.EngineConfig:
            home = Path(folder) / f"nr {len(made)}"
            for name in ("jars", "java"):
                link_tree(artifacts / name, home / name)
            values = {"home": home, "archive": False, "heap_mb": 384, "page_cache_mb": 32, "offline": True, **settings}
            made.append(engine.EngineConfig(**values))  # type: ignore[arg-type]
            return made[-1]

        yield make
        for config in made:
            await engine.stop(config)


@pytest.fixture
def layout_of() -> Callable[[engine.EngineConfig], Layout]:
    return Layout
