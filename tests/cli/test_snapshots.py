"""save, link, load, get, update, delete, projects on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


def save(run: Run, project: str, id: str, *words: str) -> None:  # noqa: A002
    assert run("save", f"content of {id}", "--id", id, "--project", project, *words).code == 0


def test_save_prints_the_id_in_a_pipe(run: Run, project: str) -> None:
    done = run("save", "keep the log", "--project", project, "--id", "first")
    assert (done.code, done.out) == (0, "first\n")
    assert done.err == f"wakegraph: the project {project!r} is new\n" or "; similar names: " in done.err
    again = run("save", "keep the log", "--project", project, "--id", "first")
    assert (again.code, again.out, again.err) == (0, "first\n", "")
    utc = run("save", "x", "--project", project, "--created-at", "2026-01-01T00:00:00")
    assert "taken as UTC" in utc.err
    assert utc.err.count("\n") == 1


def test_save_takes_every_parameter(run: Run, project: str) -> None:
    save(run, project, "cause")
    save(run, project, "second cause")
    save(run, project, "needed")
    save(run, project, "old")
    answer = run(
        *("save", "the text", "--project", project, "--id", "x", "--summary", "short", "--tag", "a", "--tags", "b"),
        *("--action-type", "decision", "--rationale", "because", "--caused-by", "cause"),
        *("--caused-by=second cause", "--depends-on", "needed", "--supersedes", "old", "--about", "src/a.py"),
        *("--about", "issue 4", "--author", "ann", "--author-type", "human", "--session", "monday", "--metadata"),
        *('{"k": [1, "ü"]}', "--created-at", "2026-01-31T12:00:00+02:00", "--no-detect-dependencies", "--json"),
    ).json()
    assert answer["already_saved"] is False
    assert answer["detected"] == []
    shown = run("get", "x", "--project", project, "--json").json()
    assert shown["content"] == "the text"
    assert shown["summary"] == "short"
    assert shown["tags"] == ["a", "b"]
    assert shown["action_type"] == "decision"
    assert shown["rationale"] == "because"
    assert [link["id"] for link in shown["caused_by"]] == ["cause", "second cause"]
    assert [link["primary"] for link in shown["caused_by"]] == [True, False]
    assert [(link["id"], link["origin"]) for link in shown["depends_on"]] == [("needed", "stated")]
    assert [link["id"] for link in shown["supersedes"]] == ["old"]
    assert sorted(shown["about"]) == ["issue 4", "src/a.py"]
    assert (shown["author"], shown["author_type"], shown["session"]) == ("ann", "human", "monday")
    assert shown["source"] == "cli"
    assert shown["metadata_json"] == '{"k":[1,"ü"]}'
    assert shown["created_at"] == "2026-01-31T10:00:00Z"


def test_content_comes_from_stdin_exactly(run: Run, project: str) -> None:
    text = "ünï\n\tsecond line \n"
    run("save", "-", "--project", project, "--id", "x", stdin=text.encode())
    assert run("get", "x", "--project", project, "--json").json()["content"] == text


def test_content_comes_from_a_file(run: Run, project: str, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("from a file", encoding="utf-8")
    run("save", "--file", "note.txt", "--project", project, "--id", "x")
    assert run("get", "x", "--project", project, "--json").json()["content"] == "from a file"


def test_text_after_two_dashes_may_look_like_an_option(run: Run, project: str) -> None:
    run("save", "--project", project, "--id", "x", "--", "--not-an-option")
    assert run("get", "x", "--project", project, "--json").json()["content"] == "--not-an-option"


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (["save"], b"", "give the text once"),
        (["save", "a", "--file", "b"], b"", "give the text once"),
        (["save", "--file", "missing.txt"], b"", "'missing.txt' cannot be read: No such file"),
        (["save", "-"], b"\xff", "standard input is not UTF-8 (byte 0)"),
        (["save", "-"], b"", "content is empty"),
        (["save", " \n "], b"", "content is empty"),
        (["save", "x", "--metadata", "{"], b"", "--metadata is not JSON"),
        (["save", "x", "--metadata", "[1]"], b"", "metadata must be a JSON object"),
        (["save", "x", "--action-type", "whim"], b"", "use one of conversation, decision"),
        (["save", "x", "--created-at", "soon"], b"", "'soon' is not a time"),
        (["save", "x", "--id", "a::b"], b"", "'::'"),
        (["save", "x", "--taag", "y"], b"", "Unknown option: --taag"),
        (["save", "x", "y"], b"", "unexpected argument 'y'"),
        (["load", "--limit", "many"], b"", "Invalid value for --limit"),
        (["get"], b"", "no snapshot was named"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    run: Run, project: str, words: list[str], stdin: bytes, said: str
) -> None:
    done = run(*words, "--project", project, stdin=stdin)
    assert said in done.error()
    assert done.code == 2


def test_unknown_snapshot_is_exit_code_3(run: Run, project: str) -> None:
    save(run, project, "x")
    done = run("get", "nope", "--project", project)
    assert "'nope'" in done.error()
    assert done.code == 3


def test_cycle_is_exit_code_4_and_names_both_ends(run: Run, project: str) -> None:
    save(run, project, "a")
    save(run, project, "b", "--caused-by", "a")
    done = run("link", "a", "--caused-by", "b", "--project", project)
    assert f"{project}::a" in done.error()
    assert f"{project}::b" in done.error()
    assert done.code == 4


def test_links_are_made_and_removed(run: Run, project: str) -> None:
    for name in ("a", "b"):
        save(run, project, name, "--no-detect-dependencies")
    made = run("link", "b", "--caused-by", "a", "--rationale", "so", "--project", project, "--json").json()
    assert [change["change"] for change in made["links"]] == ["created"]
    assert {role["id"]: role["causal_role"] for role in made["roles"]} == {"a": "root", "b": "leaf"}
    assert "unchanged: b CAUSED_BY a" in run("link", "b", "--caused-by", "a", "--project", project).out
    assert "removed: b CAUSED_BY a" in run("link", "b", "--caused-by", "a", "--remove", "--project", project).out


def test_reading_on_the_command_line_is_not_access(run: Run, project: str) -> None:
    save(run, project, "x")
    run("get", "x", "--project", project)
    run("load", "--project", project)
    run("why", "x", "--project", project)
    assert run("get", "x", "--project", project, "--json").json()["access_count"] == 0


def test_get_prints_one_object_for_one_id_and_a_list_for_more(run: Run, project: str) -> None:
    save(run, project, "a")
    save(run, project, "b")
    assert run("get", "a", "--project", project, "--json").json()["id"] == "a"
    assert [one["id"] for one in run("get", "b", "a", "--project", project, "--json").json()] == ["b", "a"]


def test_tier_is_that_of_the_time_asked_for(run: Run, project: str) -> None:
    save(run, project, "x", "--created-at", "2026-01-01T00:00:00Z")
    for now, tier in [
        ("2026-01-01T00:59:00Z", "ACTIVE"),
        ("2026-01-01T01:00:00Z", "RECENT"),
        ("2026-03-01", "EXPIRED"),
    ]:
        assert run("get", "x", "--project", project, "--json", "--now", now).json()["memory_tier"] == tier


def test_load_pages_through_a_project(run: Run, project: str) -> None:
    for number in range(5):
        save(run, project, f"n{number}", "--created-at", f"2026-01-0{number + 1}")
    first = run("load", "--project", project, "--limit", "3", "--json").json()
    rest = run("load", "--project", project, "--limit", "3", "--cursor", first["next_cursor"], "--json").json()
    assert [one["id"] for one in first["snapshots"] + rest["snapshots"]] == ["n4", "n3", "n2", "n1", "n0"]


def test_lists_in_a_pipe_are_one_tab_separated_line_each(run: Run, project: str) -> None:
    run("save", "line one\nline two\ttabbed \x1b[31mred", "--id", "x", "--project", project)
    line = run("load", "--project", project).out
    assert line.count("\n") == 1
    assert line.split("\t")[0] == "x"
    assert "\x1b" not in run("get", "x", "--project", project).out


def test_update_changes_what_may_change(run: Run, project: str) -> None:
    save(run, project, "x", "--tag", "old")
    answer = run("update", "x", "--tag", "new", "--summary", "s", "--project", project, "--json").json()
    assert (answer["tags"], answer["summary"], answer["content"]) == (["new"], "s", "content of x")
    assert run("update", "x", "--no-tags", "--project", project, "--json").json()["tags"] == []


def test_delete_is_a_dry_run_until_confirmed_and_is_remembered(run: Run, project: str) -> None:
    save(run, project, "a")
    save(run, project, "b", "--caused-by", "a")
    dry = run("delete", "a", "--project", project, "--json").json()
    assert dry["deleted"] is False
    assert [orphan["id"] for orphan in dry["orphans"]] == ["b"]
    assert run("delete", "a", "--project", project, "--confirm", "--author", "ann", "--json").json()["deleted"]
    assert "by ann" in run("get", "a", "--project", project).error()


def test_projects_are_listed(run: Run, project: str) -> None:
    save(run, project, "a")
    listed = {info["project"]: info["snapshots"] for info in run("projects", "--json").json()}
    assert listed[project] == 1
    assert f"{project}\t1\t" in run("projects").out


def test_default_project_is_the_setting_then_the_repository(
    run: Run, project: str, other_project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    folder = tmp_path / project / "inner"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(folder.parent)], check=True)
    monkeypatch.chdir(folder)
    assert run("save", "x", "--json").json()["snapshot"]["project"] == project
    monkeypatch.setenv("WAKEGRAPH_PROJECT", other_project)
    assert run("save", "x", "--json").json()["snapshot"]["project"] == other_project


def test_no_project_at_all_says_what_to_do(run: Run) -> None:
    assert "WAKEGRAPH_PROJECT" in run("save", "x").error()
