"""import and export on the command line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path

from tests.cli.conftest import Run

LINES = [
    {"id": "a", "content": "first", "created_at": "2026-01-01T00:00:00Z"},
    {"id": "b", "content": "second", "created_at": "2026-01-02T00:00:00Z", "caused_by": ["a"]},
]


def jsonl(*lines: object) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_import_from_a_file_and_from_stdin(run: Run, project: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(jsonl(*LINES)))
    first = run("import", "jsonl", "in.jsonl.gz", "--project", project, "--json").json()
    assert (first["created"], first["links_created"]) == (2, 1)
    again = run("import", "jsonl", "-", "--project", project, "--json", stdin=jsonl(*LINES)).json()
    assert (again["created"], again["unchanged"]) == (0, 2)
    assert "0 snapshots and 0 links created" in run("import", "jsonl", "in.jsonl.gz", "--project", project).out


def test_faulty_file_is_refused_with_its_line_numbers(run: Run, project: str) -> None:
    faulty = jsonl(*LINES, {"id": "c", "content": "x", "caused_by": ["nowhere"]}) + b"{broken\n"
    one = run("import", "jsonl", "-", "--project", project, stdin=jsonl({"content": 1}))
    assert "line 1" in one.error()
    assert one.code == 2
    more = run("import", "jsonl", "-", "--project", project, stdin=faulty)
    assert more.code == 2
    assert "line 3: caused_by names 'nowhere'" in more.error()
    assert "; line 4: it is not JSON" in more.error()
    skipped = run("import", "jsonl", "-", "--skip-bad", "--project", project, stdin=faulty)
    assert skipped.code == 0
    assert "left out: line 4" in skipped.out


def test_a_time_without_offset_is_taken_as_utc_and_that_is_said(run: Run, project: str) -> None:
    lines = jsonl(LINES[0], {"id": "n", "content": "x", "created_at": "2026-01-01T00:00:00"})
    answer = run("import", "jsonl", "-", "--project", project, "--json", stdin=lines).json()
    assert answer["notes"] == ["1 times had no offset and were taken as UTC, first in line 2"]
    assert "taken as UTC" in run("import", "jsonl", "-", "--project", project, stdin=lines).out


def test_export_goes_to_stdout_or_a_file(run: Run, project: str, tmp_path: Path) -> None:
    run("import", "jsonl", "-", "--project", project, stdin=jsonl(*LINES))
    out = run("export", "jsonl", "--project", project).out
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", "b"]
    told = run("export", "jsonl", "out.jsonl", "--project", project, "--json").json()
    assert (told["snapshots"], told["links"]) == (2, 1)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == out
    assert "2 snapshots and 1 links" in run("export", "jsonl", "out.jsonl", "--project", project).out
    assert "give the export a file" in run("export", "jsonl", "--project", project, "--json").error()


def test_history_of_a_repository(run: Run, project: str, tmp_path: Path) -> None:
    repository = tmp_path / project
    repository.mkdir()

    def git(*words: str, day: int = 1) -> None:
        identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")
        env = {**os.environ, "GIT_COMMITTER_DATE": f"2026-01-{day:02}T00:00:00Z"}
        subprocess.run(["git", "-C", str(repository), *identity, *words], check=True, capture_output=True, env=env)

    git("init")
    for day, text in enumerate(("one", "two"), start=1):
        (repository / "file.txt").write_text(text, encoding="utf-8")
        git("add", "file.txt")
        git("commit", "-m", f"Say {text}", day=day)
    done = run("import", "git", str(repository))
    assert done.code == 0, done.err
    assert f"2 snapshots and 2 links created in {project}" in done.out
    steps = run("why", "file.txt", "--project", project, "--json").json()["chains"][0]["steps"]
    assert [step["title"] for step in steps] == ["Say one", "Say two"]
    assert "inferred link" in run("why", "file.txt", "--project", project).out
