"""Write the table of settings into docs/settings.md: `python -m tools.settings_table`."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import SecretStr
from pydantic_core import PydanticUndefined

from wakegraph.settings import Settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"


def table() -> str:
    """All settings, in their order: name, default, meaning."""
    rows = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        default = "" if field.default is None or field.default is PydanticUndefined else _shown(field.default)
        default = "the user's data folder" if name == "home" else default
        rows.append(f"| `WAKEGRAPH_{name.upper()}` | {default} | {field.description or ''} |")
    return "\n".join(rows) + "\n"


def _shown(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return "" if isinstance(value, SecretStr) else f"`{text}`"


if __name__ == "__main__":
    old = PAGE.read_text(encoding="utf-8")
    new = re.sub(r"(<!-- settings -->\n).*?(<!-- /settings -->)", rf"\1{table()}\2", old, flags=re.DOTALL)
    PAGE.write_text(new, encoding="utf-8")
