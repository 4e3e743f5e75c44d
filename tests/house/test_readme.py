"""The README tells the truth: its code runs, its tables are complete, its console shows real output."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import tomllib
from pathlib import Path

import pytest

from wakegraph.cli import main
from wakegraph.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
TOUR = re.search(r"<!-- tour -->\n```console\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def readme_env(settings: Settings, project: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment of a reader whose project is the test's."""
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    monkeypatch.setenv("WAKEGRAPH_NEO4J_URI", settings.neo4j_uri or "")
    monkeypatch.setenv("WAKEGRAPH_NEO4J_USERNAME", settings.neo4j_username)
    monkeypatch.setenv("WAKEGRAPH_NEO4J_PASSWORD", password)
    monkeypatch.setenv("WAKEGRAPH_NEO4J_DATABASE", settings.neo4j_database or "")
    monkeypatch.setenv("WAKEGRAPH_PROJECT", project)
    return project


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
async def test_example_runs(number: int, readme_env: str) -> None:
    code = compile(EXAMPLES[number], f"README example {number}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    running = eval(code, {})
    if inspect.iscoroutine(running):
        await running


def test_tour_shows_real_output(
    readme_env: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert TOUR
    for name, value in re.findall(r"^\$ export (\w+)=(\w+)$", TOUR[1], re.MULTILINE):
        monkeypatch.setenv(name, value)
    saves = 0
    for block in re.split(r"^\$ wakegraph ", TOUR[1], flags=re.MULTILINE)[1:]:
        command, _, expected = block.partition("\n")
        words = shlex.split(command)
        if words[0] == "save":
            words += ["--now", f"2026-01-15T12:0{saves}:00Z", "--no-detect-dependencies"]
            saves += 1
        assert main(words) == 0
        assert capfd.readouterr().out.replace(readme_env, "tour") == expected, command


def test_dialogue_is_that_of_the_tools() -> None:
    tools = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    dialogue = README.partition("<!-- dialogue -->\n```text\n")[2].partition("```")[0]
    said = ""
    for line in dialogue.splitlines():
        if line.startswith("→ "):
            name, _, call = line.removeprefix("→ ").partition(" ")
            section = tools.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
            assert f"```json\n{call}\n```" in section, line
            said = section.partition(f"```json\n{call}\n```")[2].partition("```json")[0]
        else:
            assert line in said.splitlines(), line


def test_tools_and_commands_are_complete() -> None:
    from wakegraph.cli.commands import app

    tools = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    connect = README.partition("## Connect your agent")[2].partition("\n## ")[0]
    listed = set(re.findall(r"`([a-z_]+)`", "".join(re.findall(r"^\|.*", connect, re.MULTILINE))))
    assert listed == set(re.findall(r"^## ([a-z_]+)$", tools, re.MULTILINE))
    assert f"{len(listed)} tools" in connect
    layers = README.partition("## Three layers")[2].partition("\n## ")[0]
    rows = "".join(line.rpartition(" | ")[2] for line in re.findall(r"^\|.*", layers, re.MULTILINE))
    assert set(re.findall(r"`([a-z-]+)`", rows)) == {name for name in app if not name.startswith("-")}


def test_dependency_table_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [re.split(r"[<>=;\[ ]", line)[0] for line in project["dependencies"]]
    table = README.partition("## Dependencies")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\w-]+) \| (.+) \|$", table, re.MULTILINE)
    assert [name for name, _ in rows if name not in {"package", "---"}] == wanted


def test_every_dependency_is_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "wakegraph").rglob("*.py"))
    for line in project["dependencies"]:
        module = re.split(r"[<>=;\[ ]", line)[0].replace("-", "_")
        if module != "neo4j_rust_ext":  # replaces parts of the driver by itself
            assert re.search(rf"^\s*(from|import) {module}\b", sources, re.MULTILINE), line


def test_settings_table_is_that_of_the_settings() -> None:
    from tools.settings_table import table

    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    shown = page.partition("<!-- settings -->\n")[2].partition("<!-- /settings -->")[0]
    assert shown == table(), "run `python -m tools.settings_table`"
