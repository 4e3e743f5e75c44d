"""`wakegraph resume`, as a hook runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from wakegraph.app import Wakegraph
from wakegraph.settings import Settings

pytestmark = pytest.mark.process


def resume(settings: Settings, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    known = {
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_PASSWORD": password,
        "WAKEGRAPH_NEO4J_DATABASE": settings.neo4j_database or "",
    }
    command = [sys.executable, "-m", "wakegraph", "resume", *words]
    return subprocess.run(
        command, env={**os.environ, **known, **environment}, capture_output=True, text=True, check=False, timeout=120
    )


async def test_it_prints_the_page(wake: Wakegraph, settings: Settings, project: str) -> None:
    await wake.snapshots.save("we keep it small", project=project, id="small", action_type="decision", author="ann")
    expected = await wake.resume.resume_work(project=project, author="ann")
    done = resume(settings, "--project", project, "--author", "ann")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{expected.text}\n", "")
    page = json.loads(resume(settings, "--json", WAKEGRAPH_PROJECT=project, WAKEGRAPH_AUTHOR="ann").stdout)
    assert page == expected.model_dump(mode="json", by_alias=False)


def test_a_project_that_holds_nothing_is_no_error(settings: Settings, project: str) -> None:
    done = resume(settings, "--project", project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "holds no snapshot yet" in done.stdout


def test_a_database_that_is_not_there_is_one_line(settings: Settings, project: str) -> None:
    done = resume(settings, "--project", project, WAKEGRAPH_NEO4J_URI="bolt://127.0.0.1:9", WAKEGRAPH_RETRY_TIME="0.2")
    assert done.returncode == 7
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "bolt://127.0.0.1:9 cannot be reached" in done.stderr
