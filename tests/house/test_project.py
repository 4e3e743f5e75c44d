"""The project's files: nothing of one machine in them, a wheel that is whole, a compose file that is safe."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from cyclopts import App

from wakegraph.cli.commands import app

ROOT = Path(__file__).resolve().parents[2]

# Written in pieces, so that this file does not hold what it looks for.
FORBIDDEN = [
    "/wo" + r"rk/(main|shared|\.)",
    "/ro" + r"ot\b(?!/)",
    r"/tmp/w" + "g",
    "py" + r"pi\.org",
    "python" + "hosted",
    "repo1?\\.mav" + r"en",
    "mav" + r"en\.org",
    "registry\\.np" + "m",
    "crates" + r"\.io",
]


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


def test_no_file_names_a_machine_or_a_registry() -> None:
    pattern = re.compile("|".join(FORBIDDEN))
    found = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", "ignore")
        found += [f"{path.relative_to(ROOT)}: {hit.group()}" for hit in pattern.finditer(text)]
    assert not found


@pytest.mark.parametrize("name", ["runtime", "dev"])
def test_requirements_are_pinned_by_hash_and_hold_no_address(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if entry and not entry.startswith("#")]
    for entry in entries:
        assert re.match(r"[\w.-]+(\[[\w,-]+\])?==[\w.!+]+ ", entry), entry
        assert "--hash=sha256:" in entry
    assert "://" not in text


def test_wheel_carries_statements_and_data(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {f"wakegraph/{path.relative_to(ROOT)}" for path in (ROOT / "cypher").rglob("*.cypher")}
    wanted |= {"wakegraph/py.typed", "wakegraph/demo/pep-decisions.jsonl.gz", "wakegraph/demo/README.md"}
    wanted |= {str(path.relative_to(ROOT)) for path in (ROOT / "wakegraph").rglob("*.py")}
    assert wanted <= names
    assert all(name.startswith(("wakegraph/", "wakegraph-")) for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.startswith("wakegraph/engine/locks/") for name in names)


@pytest.fixture(scope="module")
def compose() -> dict[str, object]:
    loaded = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def test_compose_file_is_safe(compose: dict[str, dict[str, dict[str, object]]]) -> None:
    neo4j = compose["services"]["neo4j"]
    assert re.fullmatch(r"neo4j:\$\{NEO4J_TAG:-[\d.]+-community\}", str(neo4j["image"]))
    environment = neo4j["environment"]
    assert isinstance(environment, dict)
    assert re.fullmatch(r"neo4j/\$\{WAKEGRAPH_NEO4J_PASSWORD:\?[^}]+\}", environment["NEO4J_AUTH"])
    ports = neo4j["ports"]
    assert isinstance(ports, list)
    assert len(ports) == 2
    assert all(str(port).startswith("127.0.0.1:") for port in ports)
    check = neo4j["healthcheck"]
    assert isinstance(check, dict)
    assert "cypher-shell" in check["test"][1]
    volumes = neo4j["volumes"]
    assert isinstance(volumes, list)
    [volume] = volumes
    name, _, target = str(volume).partition(":")
    assert target == "/data"
    assert name in compose["volumes"]


def commands(parent: App, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    for name in parent:
        if name.startswith("-"):
            continue
        command = parent[name]
        yield (*path, name), command
        yield from commands(command, (*path, name))


COMMANDS = dict(commands(app))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_command_and_parameter_has_help(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    assert command.help, path
    if command.default_command is None:
        return
    arguments = command.assemble_argument_collection()
    if path != ("serve",):  # what it writes is the protocol
        assert {"--json", "--project", "--plain"} <= {name for argument in arguments for name in argument.names}
    for argument in arguments:
        if argument.show and argument.parse:
            assert argument.parameter.help, f"{' '.join(path)} {argument.name}"
