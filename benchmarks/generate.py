"""Projects of any size with the shapes of real ones.

The shape comes from a sample in the interchange format (JSONL, plain or gzip): which snapshot is caused by which, and
what depends on what. A copy of the sample is laid after the other until the size is reached, each copy with links of
its own and its first snapshot caused by the last one of the copy before. Access histories are drawn with a fixed seed:
most snapshots are never read, some a few times, few very often, which is what access logs look like.

Without a sample a small built-in rule makes the shape: nine of ten snapshots are caused by one of the eight before
them, the nearer the likelier.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from wakegraph.memory.tiers import HOUR_MS, epoch_ms

END = datetime(2026, 6, 1, tzinfo=UTC)
END_MS = epoch_ms(END)
BATCH = 5_000
ACTIONS = ("conversation", "decision", "file_edit", "tool_use", "research")


@dataclass(frozen=True)
class Shape:
    """Links of a sample: for each snapshot its cause and its dependencies, as positions before it."""

    causes: list[int | None]
    dependencies: list[list[int]]
    name: str

    def __len__(self) -> int:
        return len(self.causes)


def read_shape(path: Path | None) -> Shape:
    """The shape of a sample file, or the built-in one."""
    if path is None:
        return _built_in()
    raw = path.read_bytes()
    rows = [json.loads(line) for line in (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).splitlines()]
    place = {row["id"]: position for position, row in enumerate(rows)}
    causes = [place[row["caused_by"][0]] if row.get("caused_by") else None for row in rows]
    dependencies = [[place[end] for end in row.get("depends_on", [])] for row in rows]
    return Shape(causes, dependencies, path.name)


def _built_in() -> Shape:
    rng = np.random.default_rng(1)
    causes: list[int | None] = [None]
    dependencies: list[list[int]] = [[]]
    for position in range(1, 2_000):
        back = int(min(rng.geometric(0.4), position, 8))
        causes.append(position - back if rng.random() < 0.9 else None)
        wanted = rng.integers(max(position - 30, 0), position, rng.integers(0, 4))
        dependencies.append(sorted({int(one) for one in wanted}))
    return Shape(causes, dependencies, "built-in rule")


def rows(shape: Shape, project: str, size: int, days: float = 400.0) -> Iterator[list[dict[str, Any]]]:
    """Batches of snapshots in the order of their creation.

    Each has `properties`, times as epoch milliseconds, and `cause` and `dependencies` as ids.
    """
    rng = np.random.default_rng(2)
    step = days * 24 * HOUR_MS / size
    batch: list[dict[str, Any]] = []
    for number in range(size):
        copy, position = divmod(number, len(shape))
        start = copy * len(shape)
        cause = shape.causes[position]
        before = start - 1 if position == 0 and copy else None
        created = END_MS - int((size - number) * step)
        batch.append(
            {
                "properties": _properties(rng, project, number, created),
                "cause": _id(before if cause is None else start + cause),
                "dependencies": [_id(start + end) for end in shape.dependencies[position]],
            }
        )
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _id(number: int | None) -> str | None:
    return None if number is None else f"s{number:08d}"


def _properties(rng: np.random.Generator, project: str, number: int, created_ms: int) -> dict[str, Any]:
    summary = f"snapshot {number}: files changed in module {number % 97}"
    count, times = _accesses(rng, created_ms) if rng.random() < 0.4 else (0, [])
    return {
        "project": project,
        "id": _id(number),
        "content": summary,
        "summary": summary,
        "title": summary,
        "tags": [f"module-{number % 97}"],
        "action_type": ACTIONS[number % len(ACTIONS)],
        "created": created_ms,
        "count": count,
        "times": times,
    }


def _accesses(rng: np.random.Generator, created_ms: int) -> tuple[int, list[int]]:
    count = int(min(rng.zipf(1.7), 500))
    ages = (END_MS - created_ms) * rng.random(min(count, 16)) ** 3
    return count, np.sort(END_MS - ages.astype(np.int64)).tolist()
