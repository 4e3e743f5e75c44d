"""Figures as JSON and as a Markdown table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def write(found: dict[str, Any], folder: Path) -> list[Path]:
    """Write `figures.json` and `figures.md` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "figures.json", folder / "figures.md"]
    paths[0].write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    paths[1].write_text(markdown(found), encoding="utf-8")
    return paths


def markdown(found: dict[str, Any]) -> str:
    """One table a benchmark, the machine first."""
    parts = ["# Benchmarks", "", *_facts(found["machine"]), ""]
    for title, rows in found.items():
        if title != "machine":
            parts += [f"## {title.replace('_', ' ').capitalize()}", "", *_table(rows), ""]
    return "\n".join(parts).rstrip() + "\n"


def _facts(facts: dict[str, Any]) -> list[str]:
    return [f"- {name.replace('_', ' ')}: {value}" for name, value in facts.items()]


def _table(rows: list[dict[str, Any]]) -> list[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = ["| " + " | ".join(name.replace("_", " ") for name in names) + " |", "|" + " --- |" * len(names)]
    return lines + ["| " + " | ".join(_shown(row.get(name)) for name in names) + " |" for row in rows]


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, (int, float)) else str(value)
