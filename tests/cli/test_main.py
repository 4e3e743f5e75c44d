"""The program itself: help, usage errors, interruption, defects."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from wakegraph.cli import main


def test_help_without_a_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "chain: The causal chain of a snapshot" in capfd.readouterr().out


@pytest.mark.parametrize("words", [["--version"], ["impact", "--help"], ["import"], ["engine", "status", "--help"]])
def test_help_and_version_need_no_database(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capfd.readouterr().out.strip()


def test_unknown_command_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["frobnicate"]) == 2
    assert capfd.readouterr().err == "wakegraph: there is no command 'frobnicate' (see `wakegraph --help`)\n"


def test_defect_is_one_line_and_a_trace_only_when_debugging(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise KeyError("first\nsecond")

    monkeypatch.setattr("wakegraph.cli.session.load_settings", broken)
    assert main(["projects"]) == 70
    error = capfd.readouterr().err
    assert error.count("\n") == 1
    assert "please report it (KeyError: 'first\\nsecond')" in error
    monkeypatch.setenv("WAKEGRAPH_LOG_LEVEL", "DEBUG")
    assert main(["projects"]) == 70
    assert "Traceback" in capfd.readouterr().err


def test_setting_that_cannot_be_used_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAKEGRAPH_RETRY_TIME", "soon")
    assert main(["projects"]) == 2
    assert "WAKEGRAPH_RETRY_TIME 'soon' cannot be used" in capfd.readouterr().err
    monkeypatch.setenv("WAKEGRAPH_LOG_LEVEL", "LOUD")
    assert main(["projects"]) == 2


def test_interrupt_leaves_no_trace(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wakegraph.cli.session.load_settings", interrupted)
    assert main(["projects"]) == 130
    assert capfd.readouterr() == ("", "")


def _heed_ctrl_c() -> None:
    """A test run that is a job in the background would hand down that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_a_running_command(cli_env: Mapping[str, str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "wakegraph", "save", "-", "--project", "never-made"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, **cli_env},
        preexec_fn=_heed_ctrl_c,  # noqa: PLW1509  this process forks nothing else meanwhile
    )
    assert process.stdin is not None
    process.stdin.write(b"x" * 500_000)  # more than a pipe holds: it returns when the command is reading
    time.sleep(0.3)  # so that it waits for more
    process.send_signal(signal.SIGINT)
    process.wait(timeout=20)  # with its input still open, as on a terminal
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_reader_that_goes_away_is_no_error(run: Run, cli_env: Mapping[str, str], project: str, tmp_path: Path) -> None:
    run("save", "x" * 500_000, "--id", "big", "--project", project)
    process = subprocess.Popen(
        [sys.executable, "-m", "wakegraph", "get", "big", "--project", project],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, **cli_env},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(1)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=20) == 141


def test_help_loads_neither_driver_nor_numpy_nor_the_server() -> None:
    code = "import sys; from wakegraph.cli import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stderr.split())
    assert not loaded & {"neo4j", "numpy", "fastmcp", "pydantic", "jpype", "wakegraph.models"}


def test_real_process_saves_and_answers(spawn: Run, project: str) -> None:
    assert spawn("save", "ein Text", "--id", "ä", "--project", project).out == "ä\n"
    assert spawn("get", "ä", "--project", project, "--json").json()["content"] == "ein Text"


def test_output_survives_a_terminal_that_knows_only_ascii(spawn: Run, project: str) -> None:
    spawn("save", "größer → besser", "--id", "x", "--project", project)
    done = spawn("impact", "x", "--project", project, env={"PYTHONIOENCODING": "ascii"})
    assert done.code == 0
    assert "gr\\xf6\\xdfer" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["save", "x", "--metadata", "{"], "--metadata is not JSON"),
        (["update", "x", "--metadata", "{"], "--metadata is not JSON"),
        (["load", "--now", "soon"], "--now 'soon' is not a time"),
        (["save"], "give the text once"),
    ],
)
def test_arguments_are_checked_before_the_database_is_needed(
    words: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WAKEGRAPH_NEO4J_URI", "bolt://127.0.0.1:9")
    assert main(words) == 2
    assert said in capfd.readouterr().err


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"WAKEGRAPH_NEO4J_PASSWORD": "wrong"}, "refused the user name or password"),
        ({"WAKEGRAPH_NEO4J_DATABASE": "nosuch"}, "has no database 'nosuch'"),
        ({"WAKEGRAPH_NEO4J_URI": "bolt://127.0.0.1:9", "WAKEGRAPH_CONNECTION_TIMEOUT": "1"}, "cannot be reached"),
        ({"WAKEGRAPH_NEO4J_URI": "nonsense"}, "address 'nonsense' cannot be used"),
    ],
)
def test_database_that_cannot_be_used_is_one_line(spawn: Run, env: dict[str, str], said: str) -> None:
    done = spawn("projects", env=env)
    assert said in done.error()
    assert done.code in {6, 7}
    assert "Traceback" not in done.err
