"""The class archive: made when the engine has stopped by itself, used by the next start, never in the way."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from wakegraph import engine
from wakegraph.engine.config import Layout

pytestmark = pytest.mark.engine


async def archive_of(config: engine.EngineConfig, seconds: float) -> Path:
    folder = Layout(config).archives
    for _ in range(int(seconds * 10)):
        found = list(folder.glob("*.aot"))
        if found and not list(folder.glob("training-*")):
            return found[0]
        await asyncio.sleep(0.1)
    raise AssertionError("no archive was made")


async def test_the_second_start_uses_an_archive_and_a_damaged_one_is_no_harm(
    make_config: Callable[..., engine.EngineConfig],
) -> None:
    idle = make_config(archive=True, idle_seconds=1)
    await engine.ensure(idle)
    archive = await archive_of(idle, 600)
    config = replace(idle, idle_seconds=600)
    assert archive.stat().st_size > 50_000_000

    endpoint = await engine.ensure(config)
    if sys.platform == "linux":
        assert str(archive) in Path(f"/proc/{endpoint.pid}/maps").read_text()
    await engine.stop(config)
    assert archive.exists()

    with archive.open("r+b") as file:
        file.truncate(10_000_000)
    assert (await engine.ensure(config)).alive()
