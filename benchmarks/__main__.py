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
from benchmarks.generate import read_shape
from benchmarks.latency import latency
from benchmarks.machine import describe
from benchmarks.refresh import refresh, scoring_alone, small_beside_large
from benchmarks.report import markdown, write
from wakegraph import Wakegraph

PARTS = ("scoring", "refresh", "latency", "neighbour", "start-up", "stdio")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Benchmarks of the layers and of the MCP server."
    )
    parser.add_argument("--sizes", default="10000,100000", help="snapshots, separated by commas")
    parser.add_argument("--sample", type=Path, help="a JSONL file whose links give the shape")
    parser.add_argument("--out", type=Path, default=Path("bench-out"), help="folder of the results")
    parser.add_argument("--rounds", type=int, default=3, help="of each refresh")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=PARTS, help="parts to run")
    return parser.parse_args()


async def main(given: argparse.Namespace) -> None:
    sizes = [int(size) for size in given.sizes.split(",")]
    shape = read_shape(given.sample)
    async with Wakegraph.open() as wake:
        found: dict[str, Any] = {"machine": {**await describe(wake), "shape": shape.name}}
        if "scoring" in given.only:
            found["scoring_alone"] = scoring_alone()
            _say(found["scoring_alone"])
        if "refresh" in given.only:
            found["refresh"] = []
            for size, projects in [*((size, 1) for size in sizes), (max(sizes), 100)]:
                found["refresh"].append(await refresh(wake, shape, size, projects, given.rounds))
                _say(found["refresh"][-1])
        if "latency" in given.only:
            found["latency"] = []
            for size in sorted({min(sizes), max(sizes)}):
                found["latency"].append(await latency(wake, shape, size))
                _say(found["latency"][-1])
        if "neighbour" in given.only:
            found["small_beside_large"] = await small_beside_large(wake, shape, max(sizes))
            _say(found["small_beside_large"])
        if "start-up" in given.only:
            found["start_up"] = await start_up(wake)
            _say({"start_up": found["start_up"]})
        if "stdio" in given.only:
            found["stdio_latency"] = []
            for size in sizes:
                found["stdio_latency"].append(await stdio_latency(wake, shape, size))
                _say(found["stdio_latency"][-1])
    paths = write(found, given.out)
    print(markdown(found))
    print(f"written to {' and '.join(map(str, paths))}")


def _say(result: dict[str, Any]) -> None:
    print(json.dumps(result), file=sys.stderr, flush=True)


if __name__ == "__main__":
    asyncio.run(main(arguments()))
