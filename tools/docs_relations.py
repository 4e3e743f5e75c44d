"""Write the table of relation types into docs/migration.md: `python -m tools.docs_relations`."""

from __future__ import annotations

import re
from pathlib import Path

from wakegraph.interchange.memory_json import RELATION_TYPES
from wakegraph.models import LinkType

PAGE = Path(__file__).resolve().parents[1] / "docs" / "migration.md"


def table() -> str:
    """Link, types that lead its way, types that lead the other way."""
    rows = [
        "| becomes | types from effect to cause, from what needs, from the newer | types the other way round |",
        "| --- | --- | --- |",
        *(f"| `{kind.value}` | {_names(kind, forward=True)} | {_names(kind, forward=False)} |" for kind in LinkType),
    ]
    return "\n".join(rows) + "\n"


def _names(kind: LinkType, *, forward: bool) -> str:
    return ", ".join(
        f"`{name}`" for name, meaning in RELATION_TYPES.items() if (meaning.type, meaning.forward) == (kind, forward)
    )


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    new = re.sub(r"(<!-- relations -->\n).*?(<!-- /relations -->)", rf"\1{table()}\2", old, flags=re.DOTALL)
    PAGE.write_text(new, encoding="utf-8")
