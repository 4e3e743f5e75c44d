"""The command line on the database of the run: in this process for most tests, as a process for some."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from wakegraph.cli import main
from wakegraph.settings import Settings


@dataclass(frozen=True)
class Done:
    """A command that ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        assert self.err == ""
        return json.loads(self.out)

    def error(self) -> str:
        """The one line on stderr."""
        assert self.code != 0
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("wakegraph: ")
        return lines[0]


Run = Callable[..., Done]


@pytest.fixture
def cli_env(settings: Settings) -> Mapping[str, str]:
    """Environment of a command that uses the database of the run."""
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    return {
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_USERNAME": settings.neo4j_username,
        "WAKEGRAPH_NEO4J_PASSWORD": password,
        "WAKEGRAPH_NEO4J_DATABASE": settings.neo4j_database or "",
        "WAKEGRAPH_HOME": str(settings.home),
    }


@pytest.fixture
def run(
    cli_env: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> Run:
    """Run a command in this process, outside of any repository: `run("save", "text", "--json")`."""
    monkeypatch.chdir(tmp_path)
    for name, value in cli_env.items():
        monkeypatch.setenv(name, value)

    def run(*words: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capfdbinary.readouterr()
        code = main(words)
        out, err = capfdbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return run


@pytest.fixture
def spawn(cli_env: Mapping[str, str], tmp_path: Path) -> Run:
    """Run a command as a process of its own."""

    def spawn(*words: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "wakegraph", *words],
            input=stdin,
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, **cli_env, **(env or {})},
            timeout=60,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    return spawn
