"""Pin the requirements: names, versions, markers and hashes, for every platform and Python that wakegraph supports.

Run by `make lock` in an environment that has uv. The files hold no address: where packages come from is the business of
whoever installs them.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST_PYTHON = "3.11"
HEADER = "# Made by `make lock` from pyproject.toml.\n"


def pin(target: str, *arguments: str) -> None:
    """Write `requirements/<target>.txt`."""
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"),
        *("--python-version", OLDEST_PYTHON, "--no-header", "--no-annotate", "--upgrade"),
        *("pyproject.toml", *arguments),
    ]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    lines = [line for line in done.stdout.splitlines(keepends=True) if not line.startswith("-")]
    (ROOT / "requirements" / f"{target}.txt").write_text(HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    pin("runtime")
    pin("dev", "--group", "dev", "--constraint", "requirements/runtime.txt")
