"""The shipped decisions as records of the JSONL interchange."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any

__all__ = ["PROJECT", "decisions", "records"]

PROJECT = "demo-peps"
"""The project that the demo fills; not `peps`, which an import of that repository fills."""


def decisions() -> Iterator[dict[str, Any]]:
    """The shipped decisions as snapshots, links included, in the order of their numbers."""
    packed = files("wakegraph.demo").joinpath("pep-decisions.jsonl.gz").read_bytes()
    return records([json.loads(line) for line in gzip.decompress(packed).decode().splitlines()])


def records(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Turn header facts into snapshots.

    Args:
        rows: objects with `id`, `title`, `type`, `status`, `created`, and optionally `resolved`, `python_version`,
            `authors`, `requires`, `replaces`, `superseded_by`.

    Yields:
        One record of the JSONL interchange for each row.
    """
    rows = list(rows)
    replaced = _replaced(rows)
    for row in rows:
        older = [{"id": name, "origin": "imported"} for name in replaced[row["id"]]]
        authors = row.get("authors", [])
        yield {
            "project": PROJECT,
            "id": row["id"],
            "content": row["title"],
            "action_type": "decision",
            "tags": [row["type"], row["status"]],
            "author": authors[0] if authors else None,
            "author_type": "human",
            "created_at": f"{row['created']}T00:00:00Z",
            "metadata": {
                name: row[name] for name in ("type", "status", "python_version", "resolved", "authors") if row.get(name)
            },
            "caused_by": older,
            "supersedes": [link["id"] for link in older],
            "depends_on": [{"id": name, "origin": "imported"} for name in row.get("requires", [])],
        }


def _replaced(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What each decision replaces. Both ends may say so, and often only one does; a link said twice is one link."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for row in rows:
        for older in row.get("replaces", []):
            found[row["id"]][older] = None
    for row in rows:
        for newer in row.get("superseded_by", []):
            found[newer][row["id"]] = None
    return defaultdict(list, {newer: list(older) for newer, older in found.items()})
