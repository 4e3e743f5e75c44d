"""Write the reference of the command line, docs/cli.md: `python -m tools.docs_cli`."""

from __future__ import annotations

import re
from pathlib import Path

from wakegraph.cli.commands import app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cli.md"

INTRODUCTION = """\
# The command line

Made from the commands themselves by `python -m tools.docs_cli`; `wakegraph COMMAND --help` says the same.

Where a command takes an `ID`, it takes an id, a unique beginning of one of 8 characters or more, or `PROJECT::ID`. `-`
stands for standard input or output. An error is one line on stderr and an exit code.

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 1 | `validate`, `doctor` or `schema status` found something wrong |
| 2 | an argument, a file or a setting cannot be used; nothing was written |
| 3 | a snapshot, project or reference does not exist |
| 4 | it contradicts what is stored: a cycle, other content under the same id |
| 5 | not allowed, such as writing in read-only mode |
| 6, 7 | the database cannot be used; it cannot be reached |
| 8 | the local engine could not be fetched, started or stopped |
| 70 | a defect of wakegraph |
| 130, 141 | interrupted; the reader of the output went away |

`refresh` has [codes of its own](refresh.md).

## Options of most commands

These options are understood by every command that works on the database and are not repeated below:

"""
# Said once, above all commands. A command that means something else by one of them keeps its line.
COMMON = ("--project, -p STR", "--json", "--plain", "--now STR")


def reference() -> str:
    """The whole page."""
    text = app.generate_docs()
    body = text[text.index("## wakegraph import\n") :]
    common = {line for name in COMMON for line in _most_frequent(body, name)}
    lines = [line for line in body.splitlines() if line not in common]
    body = "\n".join(lines)
    body = re.sub(r"\*\*Parameters\*\*:\n\n+(?=#|\Z)", "", body + "\n")
    body = re.sub(r"(?m)^\*\*Commands\*\*:\n\n(\* .*\n)+\n?", "", body)
    body = re.sub(r"\n{3,}", "\n\n", body).replace("**Parameters**:", "**Options**:")
    return INTRODUCTION + "".join(f"{line}\n" for line in sorted(common)) + "\n" + body.strip() + "\n"


def _most_frequent(body: str, name: str) -> list[str]:
    lines = re.findall(rf"^\* `{re.escape(name)}`: .*$", body, re.MULTILINE)
    return sorted(set(lines), key=lines.count)[-1:]


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
