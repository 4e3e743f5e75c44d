"""Other memories and notations on the command line: export prov, import memory-json, import sqlite."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from prov.model import ProvDocument, ProvEntity

from tests.cli.conftest import Run


def test_provenance_goes_to_a_file_or_standard_output(run: Run, project: str, tmp_path: Path) -> None:
    run("save", "text", "--id", "one", "--project", project, "--author", "ann")
    told = run("export", "prov", "out.provn", "--format", "provn", "--project", project)
    assert told.out.startswith(f"1 snapshots, 1 authors and 0 links of {project} written")
    raw = (tmp_path / "out.provn").read_bytes()
    assert len(list(ProvDocument.deserialize(io.BytesIO(raw), format="provn").get_records(ProvEntity))) == 1
    assert run("export", "prov", "--format", "provn", "--project", project).out.encode() == raw
    assert run("export", "prov", "o.json", "--json", "--project", project).json()["format"] == "json"
    assert "give the export a file" in run("export", "prov", "--json", "--project", project).error()


def test_memory_file_from_a_file_and_from_stdin(run: Run, project: str, tmp_path: Path) -> None:
    lines = [
        {"type": "entity", "name": "Outage", "entityType": "event", "observations": ["of Monday"]},
        {"type": "entity", "name": "Retry", "entityType": "decision", "observations": []},
        {"type": "relation", "from": "Outage", "to": "Retry", "relationType": "led to"},
        {"type": "relation", "from": "Retry", "to": "Outage", "relationType": "mentions"},
    ]
    raw = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "memory.jsonl").write_text(raw, encoding="utf-8")
    told = run("import", "memory-json", "memory.jsonl", "--project", project).out
    assert told.startswith(f"2 snapshots and 1 links created in {project}")
    assert "relation type 'mentions' says nothing of causes" in told
    again = run("import", "memory-json", "-", "--project", project, "--json", stdin=raw.encode()).json()
    assert (again["read"], again["created"], again["unchanged"], again["links_created"]) == (4, 0, 2, 0)
    assert [step["id"] for step in run("chain", "Retry", "--project", project, "--json").json()["steps"]] == [
        "Outage",
        "Retry",
    ]
    wrong = run("import", "memory-json", "-", "--project", project, stdin=b'{"id": "x"}\n')
    assert (wrong.code, "holds no line of the MCP memory server" in wrong.error()) == (2, True)


def test_database_file(run: Run, project: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "wake.db")) as database:
        database.execute(
            "CREATE TABLE context_snapshots (id TEXT PRIMARY KEY, project TEXT, summary TEXT, caused_by TEXT)"
        )
        rows = [("a", project, "first", None), ("b", project, "second", "a"), ("c", project, "third", "gone")]
        database.executemany("INSERT INTO context_snapshots VALUES (?, ?, ?, ?)", rows)
        database.commit()
    refused = run("import", "sqlite", "wake.db")
    assert "line 3: caused_by names 'gone'" in refused.error()
    told = run("import", "sqlite", "wake.db", "--skip-bad").out
    assert told.startswith(f"3 snapshots and 1 links created in {project}")
    assert "left out: line 3: caused_by names" in told
    assert "no timestamp: dated to the import" in told
    assert run("import", "sqlite", "wake.db", "--skip-bad", "--json").json()["unchanged"] == 3
    (tmp_path / "wake.sql").write_text("CREATE TABLE context_snapshots (id TEXT);", encoding="utf-8")
    assert "load it with `sqlite3 wake.db < wake.sql` first" in run("import", "sqlite", "wake.sql").error()
