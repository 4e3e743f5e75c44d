"""Reads the pages of the documentation and runs what they show."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_BLOCK = re.compile(
    r"^(?:<!-- (?P<kind>file|sqlite): (?P<name>[\w.-]+) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_SECONDS = re.compile(r"\(\d+\.\d s\)")

# What is read for its options only, each with its reason.
PARSED_ONLY = {
    "browser": "opens a window",
    "demo": "brings up an engine of its own",
    "engine": "is about the local engine, which a test run may not use",
    "refresh": "of all projects would change those of other tests",
    "restore": "needs a database without the project",
    "serve": "runs until it is stopped",
    "setup": "brings up an engine of its own",
    "token": "is there for HTTP, and needs no database",
    "view": "runs until it is stopped",
}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page; `file` names what it is the content of."""

    language: str
    text: str
    kind: str | None
    file: str | None


def pages() -> list[Path]:
    """All pages, the decisions included."""
    return sorted(DOCS.rglob("*.md"))


def blocks(page: Path, language: str | None = None) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    every = [Block(m["language"], m["text"], m["kind"], m["name"]) for m in found]
    return [block for block in every if language in {None, block.language}]


def commands(block: Block) -> Iterator[tuple[list[str], str]]:
    """The commands of a console block, as words after `wakegraph`, with the output shown."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        words = shlex.split(line, comments=True)
        assert words[0] == "wakegraph", f"a console block shows wakegraph only, not {line!r}"
        yield words[1:], shown


def lines(block: Block) -> Iterator[list[str]]:
    """The commands of a sh block, as words; continued lines are one."""
    for line in block.text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words:
            yield words


def adapted(words: list[str], project: str, minutes: Iterator[int]) -> list[str]:
    """A command as it is run for a page: saves a minute apart, nothing of other projects."""
    words = [word.replace("shop::", f"{project}::") for word in words]
    if words[0] == "save":
        return [*words, "--now", f"2026-01-15T12:{next(minutes):02}:00Z", "--no-detect-dependencies"]
    return [*words, "--project", project] if words[0] == "backup" else words


def write_files(page: Path, folder: Path, project: str) -> None:
    """Make the files that the blocks of a page are the content of, with the project of the test for `shop`."""
    for block in blocks(page):
        text = block.text.replace("'shop'", f"'{project}'")
        if block.kind == "file":
            (folder / str(block.file)).write_text(text, encoding="utf-8")
        elif block.kind == "sqlite":
            with closing(sqlite3.connect(folder / str(block.file))) as database:
                database.executescript(text)


def plain(text: str, project: str) -> str:
    """An output as a page shows it: the project is `shop`, everything takes 0.1 s."""
    return _SECONDS.sub("(0.1 s)", text.replace(project, "shop"))


def rendered(page: Path, run: Callable[[list[str]], str]) -> str:
    """The page with the outputs of its console blocks as they are now; blocks without any output keep none."""
    text = page.read_text(encoding="utf-8")
    for block in blocks(page, "console"):
        new = ""
        shows = any(shown.strip() for _, shown in commands(block))
        parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
        for part, (words, _) in zip(parts, commands(block), strict=True):
            output = run(words)
            new += f"$ {part.partition(chr(10))[0]}\n" + (output if shows else "")
        text = text.replace(block.text, new, 1)
    return text
