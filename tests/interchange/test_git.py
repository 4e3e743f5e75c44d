"""Histories of git repositories, made here with everything that is odd in them."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from wakegraph.app import Wakegraph
from wakegraph.errors import InvalidInputError
from wakegraph.interchange.git import History

pytestmark = pytest.mark.db

START = 1_700_000_000


class Repository:
    """A git repository; each commit is a minute after the one before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.time = START
        path.mkdir()
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str | bytes, stdin: bytes = b"") -> str:
        identity = {
            "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org", "GIT_AUTHOR_DATE": f"{self.time} +0200",
            "GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.org",
            "GIT_COMMITTER_DATE": f"{self.time} +0200",
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
        }  # fmt: skip
        done = subprocess.run(
            ["git", "-C", str(self.path), "-c", "protocol.file.allow=always", *arguments],
            env={**os.environ, **identity}, input=stdin, capture_output=True, check=True,
        )  # fmt: skip
        return done.stdout.decode("utf-8", "replace").strip()

    def commit(self, message: str | bytes, *paths: str | bytes, at: int | None = None) -> str:
        self.time = self.time + 60 if at is None else at
        for path in paths:
            target = self.path / os.fsdecode(path)
            target.parent.mkdir(exist_ok=True)
            with target.open("ab") as file:
                file.write(os.urandom(8).hex().encode() + b"\n")
        self.git("add", "-A")
        raw = message.encode() if isinstance(message, str) else message
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "-F", "-", stdin=raw)
        return self.head()

    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def commit_raw(self, message: bytes) -> str:
        """A commit whose message git would not write by itself."""
        header = f"tree {self.git('rev-parse', 'HEAD^{tree}')}\nparent {self.head()}\n"
        people = f"author Ann <a@b> {self.time} +0000\ncommitter Ann <a@b> {self.time} +0000\n\n"
        made = self.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=(header + people).encode() + message)
        self.git("update-ref", "HEAD", made)
        return made


@pytest.fixture
def repository(tmp_path: Path, new_project: Callable[[], str]) -> Repository:
    """A repository in a folder that is named like a project of this test."""
    return Repository(tmp_path / new_project())


async def imported(wake: Wakegraph, repository: Repository, **options: Any) -> dict[str, Any]:
    """Import, and return the details of all commits by hash."""
    result = await wake.interchange.import_git(repository.path, **options)
    assert result.project == options.get("project", repository.path.name)
    hashes = repository.git("rev-list", "HEAD").split()
    assert result.read == len(hashes)
    found = {}
    for start in range(0, len(hashes), 100):
        for detail in await wake.snapshots.get(hashes[start : start + 100], project=result.project):
            found[detail.id] = detail
    return found


def primary(detail: Any) -> tuple[str, str]:
    cause = next(link for link in detail.caused_by if link.primary)
    return cause.id, cause.origin.value


async def test_a_commit_becomes_a_snapshot(wake: Wakegraph, repository: Repository) -> None:
    first = repository.commit("Start", "a.py")
    second = repository.commit(
        "Fix the parser\nfor good\n\nIt read too much.\n\nSigned-off-by: Ann", "a.py", "dir/b.py"
    )
    found = await imported(wake, repository)
    detail = found[second]
    assert detail.summary == detail.title == "Fix the parser for good"
    assert detail.content == "Fix the parser\nfor good\n\nIt read too much.\n\nSigned-off-by: Ann"
    assert detail.rationale == "It read too much."
    assert (detail.author, detail.action_type.value, detail.source.value) == ("Ann", "file_edit", "import")
    assert detail.created_at == datetime.fromtimestamp(START + 120, UTC)
    assert detail.about == ["a.py", "dir/b.py"]
    assert detail.metadata == {"author_email": "ann@example.org", "authored_at": "2023-11-15T00:15:20+02:00"}
    assert primary(detail) == (first, "inferred")
    assert [(link.id, link.origin.value) for link in detail.depends_on] == [(first, "imported")]
    assert found[first].caused_by == []
    assert found[first].causal_role.value == "root"


async def test_the_cause_is_the_latest_ancestor_that_touched_most_of_the_same_paths(
    wake: Wakegraph, repository: Repository
) -> None:
    both = repository.commit("both", "x", "y")
    one = repository.commit("one", "x")
    other = repository.commit("other", "z")
    again = repository.commit("x and y", "x", "y", "new")
    late = repository.commit("z and x", "z", "x")
    alone = repository.commit("nobody's", "w")
    found = await imported(wake, repository)
    assert primary(found[again]) == (both, "inferred")
    assert primary(found[late]) == (again, "inferred")
    assert primary(found[other]) == (one, "inferred")
    assert primary(found[alone]) == (late, "inferred")


async def test_trailers_state_causes(wake: Wakegraph, repository: Repository, other_project: str) -> None:
    await wake.snapshots.save("we decided", project=other_project, id="decision one")
    first = repository.commit("first", "a")
    second = repository.commit("second", "b")
    third = repository.commit(f"third\n\nCaused-By: {first[:10]}\ncaused-by: {other_project}::decision one", "b")
    fourth = repository.commit(f"fourth\n\nCaused-By: {third[:8]} (the remark)\nCaused-By: nothing-known", "c")
    result = await wake.interchange.import_git(repository.path)
    assert [note.partition(": ")[2] for note in result.notes] == [
        "Caused-By 'nothing-known' is no commit of this history and no stored snapshot"
    ]
    details = {d.id: d for d in await wake.snapshots.get([third, fourth], project=None)}
    causes = [(link.id, link.origin.value, link.primary) for link in details[third].caused_by]
    assert causes[0] == (first, "stated", True)
    assert set(causes[1:]) == {("decision one", "stated", False), (second, "inferred", False)}
    assert [(link.id, link.origin.value) for link in details[fourth].caused_by] == [(third, "stated")]


async def test_odd_names_and_messages_survive(wake: Wakegraph, repository: Repository) -> None:
    repository.git("config", "log.showRoot", "false")
    repository.git("config", "core.quotePath", "true")
    names = [b"a\nb", b"tab\there", b'quo"te', "äöü 漢字".encode(), b"caf\xe9", b"-dash", b" lead", b"\\back", b"a::b"]
    odd = repository.commit("Odd names\r\n\r\nand line ends", *names)
    broken = repository.commit_raw(b"Gr\xfc\xdfe\n\nno UTF-8 \xff \xed\xa0\xbd")
    empty = repository.commit("")
    nothing = repository.commit("Nothing touched")
    latin = repository.git("config", "i18n.commitEncoding", "ISO-8859-1")
    latin = repository.commit("Grüße".encode("latin-1"), "x")
    found = await imported(wake, repository)
    assert sorted(found[odd].about) == sorted(
        ["a\nb", "tab\there", 'quo"te', "äöü 漢字", r"caf\xe9", "-dash", " lead", "\\back", "a::b"]
    )
    assert (found[odd].summary, found[odd].rationale) == ("Odd names", "and line ends")
    assert (found[broken].summary, found[broken].rationale) == (r"Gr\xfc\xdfe", r"no UTF-8 \xff \xed\xa0\xbd")
    assert found[empty].summary == f"(commit {empty[:10]} without a message)"
    assert found[nothing].about == []
    assert primary(found[nothing]) == (empty, "inferred")
    assert found[latin].summary == "Grüße"
    again = await wake.interchange.import_git(repository.path)
    assert (again.created, again.unchanged, again.links_created, again.artifacts) == (0, 5, 0, 0)
    first = io.BytesIO()
    await wake.interchange.export_jsonl(first, project=repository.path.name)
    result = await wake.interchange.import_jsonl(io.BytesIO(first.getvalue()))
    assert result.unchanged == 5


async def test_merges_renames_and_submodules(wake: Wakegraph, repository: Repository, tmp_path: Path) -> None:
    base = repository.commit("base", "a", "old name")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit("side", "b")
    repository.git("checkout", "-q", "main")
    main = repository.commit("main", "a")
    repository.time += 60
    repository.git("merge", "-q", "-m", "merge", "side")
    merge = repository.git("rev-parse", "HEAD")
    repository.git("mv", "old name", "new name")
    rename = repository.commit("rename")
    after = repository.commit("after", "b", "new name")
    library = Repository(tmp_path / "library")
    library.commit("lib", "f")
    repository.git("submodule", "--quiet", "add", str(library.path), "vendored")
    submodule = repository.commit("submodule")
    found = await imported(wake, repository)
    assert primary(found[side]) == primary(found[main]) == (base, "inferred")
    assert {link.id for link in found[merge].depends_on} == {main, side}
    assert found[merge].about == []
    assert primary(found[merge]) == (main, "inferred")
    assert found[rename].about == ["new name", "old name"]
    assert primary(found[rename]) == (base, "inferred")
    assert primary(found[after]) == (rename, "inferred")
    assert found[submodule].about == [".gitmodules", "vendored"]
    validation = await wake.causality.validate(repository.path.name)
    assert validation.causal_cycles == []


async def test_a_resolved_conflict_is_about_what_it_changed(wake: Wakegraph, repository: Repository) -> None:
    repository.commit("base", "a")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit("side", "a")
    repository.git("checkout", "-q", "main")
    repository.commit("main", "a")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "-q", "side")
    merge = repository.commit("merge", "a")
    assert side in repository.git("rev-list", "--parents", "-1", merge)
    found = await imported(wake, repository)
    assert found[merge].about == ["a"]


async def test_only_ancestors_are_causes(wake: Wakegraph, repository: Repository) -> None:
    """What was made on another line of history at the same time explains nothing here, whatever the clock says."""
    base = repository.commit("base", "a")
    repository.git("checkout", "-q", "-b", "side")
    side = repository.commit("side", "a")
    repository.git("checkout", "-q", "main")
    main = repository.commit("main", "a", at=START + 300)
    before = await imported(wake, repository)
    assert primary(before[main]) == (base, "inferred")
    repository.git("merge", "-q", "-s", "ours", "-m", "join", "side")
    after = await imported(wake, repository)
    assert primary(after[main]) == (base, "inferred")
    assert primary(after[side]) == (base, "inferred")


async def test_new_commits_are_added_and_the_result_is_that_of_one_run(
    wake: Wakegraph, repository: Repository, project: str
) -> None:
    for number in range(12):
        repository.commit(f"c{number}", f"f{number % 5}", f"g{number % 3}")
        if number % 4 == 0:
            repository.git("checkout", "-q", "-b", f"b{number}")
        if number in {5, 9}:
            await wake.interchange.import_git(repository.path)
            repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "-s", "ours", "-m", "join", "b0", "b4", "b8")
    result = await wake.interchange.import_git(repository.path)
    assert result.unchanged > 0
    assert (await wake.interchange.import_git(repository.path)).links_created == 0
    await wake.interchange.import_git(repository.path, project=project)
    steps, once = io.BytesIO(), io.BytesIO()
    await wake.interchange.export_jsonl(steps, project=repository.path.name)
    await wake.interchange.export_jsonl(once, project=project)

    def facts(data: bytes, name: str) -> list[Any]:
        rows = [json.loads(line.replace(name.encode(), b"P")) for line in data.splitlines()]
        for row in rows:
            for key in ("caused_by", "depends_on"):
                row[key] = sorted((link["id"], link["origin"]) for link in row.get(key, []))
        return rows

    assert facts(steps.getvalue(), repository.path.name) == facts(once.getvalue(), project)


async def test_wrong_clocks(wake: Wakegraph, repository: Repository) -> None:
    now = datetime.fromtimestamp(START + 1000, UTC)
    first = repository.commit("first", "a")
    future = repository.commit("from the future", "a", at=START + 10**8)
    past = repository.commit("back in time", "a", at=START - 10**8)
    result = await wake.interchange.import_git(repository.path, now=now)
    assert len(result.notes) == 1
    assert "in the future" in result.notes[0]
    found = await imported(wake, repository, now=now + timedelta(days=1))
    assert found[future].created_at == found[first].created_at
    assert found[future].metadata["committed_at"] == f"@{START + 10**8}"
    assert found[past].created_at == datetime.fromtimestamp(START - 10**8, UTC)
    assert primary(found[past]) == (future, "inferred")


async def test_a_shallow_clone(wake: Wakegraph, repository: Repository, tmp_path: Path, project: str) -> None:
    for number in range(5):
        repository.commit(f"c{number}", "a")
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth", "2", repository.path.as_uri(), str(shallow))
    result = await wake.interchange.import_git(shallow, project=project)
    assert (result.read, result.links_created) == (2, 2)


async def test_where_there_is_no_history(wake: Wakegraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInputError, match="is not a folder"):
        await wake.interchange.import_git(tmp_path / "nothing")
    with pytest.raises(InvalidInputError, match="is not a git repository"):
        await wake.interchange.import_git(tmp_path)
    empty = Repository(tmp_path / "empty")
    with pytest.raises(InvalidInputError, match="has no commits yet"):
        await wake.interchange.import_git(empty.path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInputError, match="the program git was not found"):
        await wake.interchange.import_git(empty.path)


def test_a_damaged_repository_is_said_in_one_line(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "damaged")
    first = repository.commit("first", "a")
    repository.commit("second", "a")
    tree = repository.git("rev-parse", f"{first}^{{tree}}")
    (repository.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    history = History.open(repository.path)
    with pytest.raises(InvalidInputError, match=r"git could not read the history of .*damaged"):
        list(history.commits())
