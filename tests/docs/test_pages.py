"""The documentation tells the truth: its commands run and print what it shows, its links lead somewhere."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS, PARSED_ONLY, ROOT, adapted, blocks, lines, pages, plain, rendered, write_files
from wakegraph.cli import main
from wakegraph.cli.commands import app
from wakegraph.graph.driver import Graph
from wakegraph.mcp.guarded import run_guarded
from wakegraph.settings import Settings

PAGES = pages()
# Made by a tool and compared below, or of a feature whose own tests run what they show.
TESTED_ELSEWHERE = {"cli.md", "browser.md", "view.md", "refresh.md", "tools.md", "mcp.md"}
STORIES = [page for page in PAGES if blocks(page) and page.name not in TESTED_ELSEWHERE]

# Programs of others that a page may call.
FOREIGN = {"docker", "sqlite3", "npx", "pip", "make"}


def names(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(DOCS)) for page in pages]


@pytest.fixture
def reader(
    settings: Settings,
    project: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> Callable[[list[str]], str]:
    """Runs commands as a reader would whose project is the test's, one minute after the other."""
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    monkeypatch.setenv("WAKEGRAPH_NEO4J_URI", settings.neo4j_uri or "")
    monkeypatch.setenv("WAKEGRAPH_NEO4J_USERNAME", settings.neo4j_username)
    monkeypatch.setenv("WAKEGRAPH_NEO4J_PASSWORD", password)
    monkeypatch.setenv("WAKEGRAPH_HOME", str(settings.home))
    monkeypatch.setenv("WAKEGRAPH_PROJECT", project)
    monkeypatch.chdir(tmp_path)
    minutes = count()

    def run(words: list[str]) -> str:
        if words[0] in PARSED_ONLY:
            app.parse_args(words, exit_on_error=False, print_error=False)
            return ""
        words = adapted(words, project, minutes)
        capfd.readouterr()
        code = main(words)
        out, err = capfd.readouterr()
        assert code == 0 or words[0] == "doctor", f"{words}: {err}"
        return plain(out, project)

    return run


@pytest.mark.db
@pytest.mark.parametrize("page", STORIES, ids=names(STORIES))
async def test_what_a_page_shows_happens(
    page: Path, reader: Callable[[list[str]], str], tmp_path: Path, project: str, graph: Graph
) -> None:
    # Commands have an event loop of their own, hence the threads.
    write_files(page, tmp_path, project)
    if not blocks(page, "console"):
        await asyncio.to_thread(reader, ["save", "Something to work with"])
    # Written anew with the outputs of now, the page must come out as it is.
    assert await asyncio.to_thread(rendered, page, reader) == page.read_text(encoding="utf-8")
    for words in (words for block in blocks(page, "sh") for words in lines(block)):
        await asyncio.to_thread(run_line, words, reader)
    for block in blocks(page, "cypher"):
        # As query_graph of the MCP server runs it: what it refuses, a page must not show.
        answer = await run_guarded(graph, block.text, parameters(project), limit=100)
        assert answer["rows"], f"finds nothing in the page's own graph:\n{block.text}"
    for block in blocks(page, "python"):
        running = eval(compile(block.text, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), {})
        if inspect.iscoroutine(running):
            await running


def parameters(project: str) -> dict[str, str]:
    return {"project": project, "id": "alert", "ref": "ops/alerts.yml"}


@pytest.mark.db
async def test_queries_of_the_cookbook_read_no_more_than_their_project(project: str, graph: Graph) -> None:
    for block in blocks(DOCS / "cookbook.md", "cypher"):
        async with graph.session("READ") as session:
            result = await session.run(f"EXPLAIN {block.text}", parameters(project))
            plan = (await result.consume()).plan
        assert plan is not None
        assert not {name for name in operators(plan) if name.endswith("Scan")}, block.text


def operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", []):
        yield from operators(child)


def run_line(words: list[str], reader: Callable[[list[str]], str]) -> None:
    """Run a line of a shell: ours as it is, of others only what it sets for us."""
    while words and (words[0] == "export" or "=" in words[0]):
        if words[0] != "export":
            check_setting(words[0].partition("=")[0])
        words = words[1:]
    if words and words[0] == "wakegraph":
        reader(words[1:])
    else:
        assert not words or words[0] in FOREIGN, words


def check_setting(name: str) -> None:
    """A variable that a page sets is one of ours, or of the compose file."""
    ours = {f"WAKEGRAPH_{field.upper()}" for field in Settings.model_fields}
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert name in ours or f"${{{name}" in compose or name.startswith("NEO4J_"), f"nothing reads {name}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=[*names(PAGES), "of the project"])
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            text = file.read_text(encoding="utf-8")
            headings = {
                re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
                for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
            }
            assert anchor in headings, f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_commands_in_prose_and_in_files_of_others_have_their_options(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    quoted = re.findall(r"`wakegraph ([a-z][^`\n]*)`", text)
    scheduled = re.findall(r"(?:^ {4}|/|\* +)wakegraph ([a-z][^`\n]*)$", text, re.MULTILINE)
    for line in quoted + [line.partition(" >")[0] for line in scheduled]:
        words = shlex.split(line)
        # A word in capitals stands for a value, and a command may be named without its arguments.
        if any(word.startswith("-") for word in words) and "..." not in line:
            app.parse_args(words, exit_on_error=False, print_error=False)


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_settings_and_commands_that_are_named_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in set(re.findall(r"\bWAKEGRAPH_[A-Z_0-9]*[A-Z0-9]\b", text)):
        check_setting(name)
    for words in set(re.findall(r"`wakegraph ([a-z][\w-]*)(?: ([a-z][\w-]*))?", text)):
        group = app[words[0]]
        if words[0] in {"import", "export", "engine", "schema"} and words[1]:
            assert group[words[1]]


def test_picture_is_that_of_the_demo() -> None:
    from tools.picture import PICTURE, svg

    assert PICTURE.read_text(encoding="utf-8") == svg(), "run `python -m tools.picture`"
    assert "](docs/chain.svg)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_relation_types_are_those_of_the_import() -> None:
    from tools.docs_relations import PAGE, table

    assert table() in PAGE.read_text(encoding="utf-8"), "run `python -m tools.docs_relations`"


def test_command_reference_is_that_of_the_commands() -> None:
    from tools.docs_cli import PAGE, reference

    assert PAGE.read_text(encoding="utf-8") == reference(), "run `python -m tools.docs_cli`"


def test_every_page_is_reached_from_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    decisions = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    for page in PAGES:
        if page.name == "README.md":
            continue
        listing = decisions if page.parent.name == "decisions" else index
        assert f"({page.name})" in listing, f"no index links to {page.relative_to(DOCS)}"


def test_decisions_are_short_and_alike() -> None:
    for page in sorted((DOCS / "decisions").glob("0*.md")):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Why", "Decision", "What follows"], page.name
        assert len(text.splitlines()) < 50, page.name
