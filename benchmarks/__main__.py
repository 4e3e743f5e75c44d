"""All figures of the layers and of the MCP server from one command.

    python -m benchmarks [--sizes 10000,100000] [--sample FILE.jsonl.gz] [--out bench-out] [--only NAME ...]

The database is that of the environment (WAKEGRAPH_NEO4J_URI, ...), else the local engine. Everything is written into
projects whose names start with `bench-`, which are removed afterwards. A million snapshots want a server with 3 GB of
heap and take the better part of an hour: `--sizes 10000,100000,1000000`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.agents import start_up, stdio_latency
from benchmarks.generate import Shape, read_shape
from benchmarks.latency import latency
from benchmarks.load import fill, remove
from benchmarks.machine import describe
from benchmarks.refresh import refresh, scoring_alone, small_beside_large
from benchmarks.report import markdown, write
from wakegraph import Wakegraph

WARM = "bench-warm-up"
STEADY = 100_000
PARTS = ("scoring", "refresh", "latency", "neighbour", "start-up", "stdio")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Benchmarks of the layers and of the MCP server."
    )
    parser.add_argument("--sizes", default="10000,100000", help="snapshots, separated by commas")
    parser.add_argument("--sample", type=Path, help="a JSONL file whose links give the shape")
    parser.add_argument("--out", type=Path, default=Path("bench-out"), help="folder of the results")
    parser.add_argument("--rounds", type=int, default=3, help="of each refresh; more where there are few snapshots")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="parts to run")
    return parser.parse_args()


async def main(given: argparse.Namespace) -> None:
    sizes = sorted(int(size) for size in given.sizes.split(","))
    shape = read_shape(given.sample)
    async with Wakegraph.open() as wake:
        found: dict[str, Any] = {"machine": {**await describe(wake), "shape": shape.name}}
        if "scoring" in given.only:
            _keep(found, "scoring_alone", [scoring_alone()])
        if "refresh" in given.only:
            await _warm_up(wake, shape)
        for size in sizes:
            await _one_project(wake, shape, size, size == sizes[-1], given, found)
            if "refresh" in given.only:
                await _hundred_projects(wake, shape, size, _rounds(given, size), found)
        if "start-up" in given.only:
            _keep(found, "start_up", await start_up(wake))
    paths = write(found, given.out)
    print(markdown(found))
    print(f"written to {' and '.join(map(str, paths))}")


async def _warm_up(wake: Wakegraph, shape: Shape) -> None:
    """The server plans its statements and compiles its own code in the first runs, which are not counted."""
    await fill(wake, shape, WARM, 10_000)
    await refresh(wake, 10_000, [WARM], 10)
    await remove(wake, WARM)


def _rounds(given: argparse.Namespace, size: int) -> int:
    """A refresh of few snapshots is over in half a second, so that it takes more of them to know anything."""
    return max(int(given.rounds), STEADY // size)


async def _one_project(
    wake: Wakegraph, shape: Shape, size: int, largest: bool, given: argparse.Namespace, found: dict[str, Any]
) -> None:
    project = f"bench-{size}"
    await fill(wake, shape, project, size)
    if "refresh" in given.only:
        _keep(found, "refresh", [await refresh(wake, size, [project], _rounds(given, size))])
    if "latency" in given.only:
        _keep(found, "latency", await latency(wake, project, size))
    if "neighbour" in given.only and largest:
        _keep(found, "small_beside_large", [await small_beside_large(wake, shape, project, size)])
    if "stdio" in given.only:
        _keep(found, "stdio_latency", await stdio_latency(wake, project, size))
    await remove(wake, project)


async def _hundred_projects(wake: Wakegraph, shape: Shape, size: int, rounds: int, found: dict[str, Any]) -> None:
    names = [f"bench-{size}-{number}" for number in range(100)]
    for name in names:
        await fill(wake, shape, name, size // 100)
    _keep(found, "refresh", [await refresh(wake, size, names, rounds)])
    for name in names:
        await remove(wake, name)


def _keep(found: dict[str, Any], title: str, rows: list[dict[str, Any]]) -> None:
    """Add rows to the figures, and show them: a long run is to be seen at work."""
    found.setdefault(title, []).extend(rows)
    for row in rows:
        print(title, json.dumps(row), file=sys.stderr, flush=True)


if __name__ == "__main__":
    asyncio.run(main(arguments()))
