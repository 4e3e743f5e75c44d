"""Make the demo's data from a file of decision facts: `python tools/demo_data.py pep-decisions.jsonl`.

Keeps header facts and the links that mean something; mere mentions are left out. The result is the same for the same
input.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[1] / "wakegraph" / "demo" / "pep-decisions.jsonl.gz"


def main(source: Path) -> None:
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    lines = []
    for row in rows:
        del row["references"]
        lines.append(json.dumps({key: value for key, value in row.items() if value}, ensure_ascii=False))
    TARGET.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), compresslevel=9, mtime=0))
    print(f"{len(rows)} decisions, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
