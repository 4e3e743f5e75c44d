"""What a backup holds comes back exactly as it was, or not at all."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wakegraph.app import Wakegraph
from wakegraph.backup.service import Backup
from wakegraph.errors import AccessDeniedError, ConflictError, ImportFileError, InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph
from wakegraph.models import Caller, Scope

pytestmark = pytest.mark.db

DUMP_NODES = """
MATCH (n:Snapshot|Artifact|WakegraphTombstone|WakegraphProject)
WHERE n.project = $project OR n.name = $project
RETURN labels(n) AS labels, properties(n) AS properties
"""
DUMP_LINKS = """
MATCH (a:Snapshot {project: $project})-[r]->(b)
RETURN a.id AS source, type(r) AS type, coalesce(b.id, b.ref) AS target, b.project AS project,
  properties(r) AS properties
"""
WIPE = """
MATCH (n:Snapshot|Artifact|WakegraphTombstone|WakegraphProject)
WHERE n.project = $project OR n.name = $project
DETACH DELETE n
"""


async def dump(graph: Graph, project: str) -> list[str]:
    async with graph.session("READ") as session:
        nodes = await (await session.run(DUMP_NODES, project=project)).data()
        links = await (await session.run(DUMP_LINKS, project=project)).data()
    return sorted(repr(sorted(row.items(), key=lambda item: item[0])) for row in _plain(nodes + links))


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(value[key]) for key in sorted(value)}
    return [_plain(item) for item in value] if isinstance(value, list) else str(value)


async def wipe(graph: Graph, project: str) -> None:
    async with graph.session("WRITE") as session:
        await (await session.run(WIPE, project=project)).consume()


async def fill(wake: Wakegraph, project: str) -> None:
    save = wake.snapshots.save
    await save("root \U0001f333 \r\n first", id="a", project=project, tags=["x", "y"], metadata={"n": 10**20, "f": 0.1})
    await save("second", id="b", project=project, caused_by=["a"], about=["src/x.py", "src/y.py"], session="s1")
    await save("third", id="c", project=project, caused_by=["b", "a"], depends_on=["a"], supersedes=["b"])
    await save("gone", id="d", project=project, caused_by=["a"])
    await wake.snapshots.delete("d", project=project, confirm=True, author="me")
    await wake.snapshots.link("c", project=project, caused_by=["a"], primary=True, rationale="because")


@pytest.fixture
def backup(graph: Graph, wake: Wakegraph) -> Backup:
    return Backup(graph, wake.settings)


async def test_a_restored_graph_equals_the_one_that_was_saved(
    wake: Wakegraph, backup: Backup, graph: Graph, project: str, tmp_path: Path
) -> None:
    await fill(wake, project)
    before = await dump(graph, project)
    saved = await backup.backup(tmp_path / "all.backup", projects=[project])
    await wipe(graph, project)
    restored = await backup.restore(tmp_path / "all.backup")
    assert await dump(graph, project) == before
    assert restored == saved
    await backup.backup(tmp_path / "again.backup", projects=[project])
    assert (tmp_path / "again.backup").read_bytes() == (tmp_path / "all.backup").read_bytes()
    assert (saved.snapshots, saved.tombstones, saved.references) == (3, 1, 2)


async def test_the_same_graph_gives_the_same_bytes(
    wake: Wakegraph, backup: Backup, project: str, tmp_path: Path
) -> None:
    await fill(wake, project)
    for name in ("one", "two"):
        await backup.backup(tmp_path / name, projects=[project])
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


async def test_a_project_that_holds_snapshots_is_not_restored_into(
    wake: Wakegraph, backup: Backup, graph: Graph, project: str, tmp_path: Path
) -> None:
    await fill(wake, project)
    await backup.backup(tmp_path / "b", projects=[project])
    before = await dump(graph, project)
    with pytest.raises(ConflictError, match=project):
        await backup.restore(tmp_path / "b")
    assert await dump(graph, project) == before


async def test_an_interrupted_restore_is_finished_by_the_same_file(
    wake: Wakegraph, backup: Backup, graph: Graph, project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(wake, project)
    before = await dump(graph, project)
    await backup.backup(tmp_path / "b", projects=[project])
    await wipe(graph, project)
    write = Backup._write_batch

    async def stop_at_links(self: Backup, kind: str, rows: list[object], digest: str) -> None:
        if kind.startswith("link"):
            raise KeyboardInterrupt
        await write(self, kind, rows, digest)

    monkeypatch.setattr(Backup, "_write_batch", stop_at_links)
    with pytest.raises(KeyboardInterrupt):
        await backup.restore(tmp_path / "b")
    monkeypatch.undo()
    await backup.restore(tmp_path / "b")
    assert await dump(graph, project) == before


async def test_a_link_into_a_project_that_is_not_in_the_file_is_left_out(
    wake: Wakegraph, backup: Backup, project: str, other_project: str, tmp_path: Path
) -> None:
    await wake.snapshots.save("there", id="x", project=other_project)
    await wake.snapshots.save("here", id="y", project=project, caused_by=[f"{other_project}::x"], cross_project=True)
    assert (await backup.backup(tmp_path / "b", projects=[project])).links == 0
    assert (await backup.backup(tmp_path / "c", projects=[project, other_project])).links == 1


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda _: b"not gzip", "is not a wakegraph backup"),
        (lambda raw: raw[:-10], "cut off"),
        (lambda raw: gzip.compress(gzip.decompress(raw).replace(b"second", b"sekond")), "does not match its digest"),
        (lambda raw: gzip.compress(b"\n".join(gzip.decompress(raw).split(b"\n")[:-2]) + b"\n"), "cut off after"),
        (lambda raw: gzip.compress(gzip.decompress(raw) + b'["project",{}]\n'), "goes on after its end"),
        (lambda _: gzip.compress(b'["wakegraph_backup",99]\n'), "format 99"),
        (lambda _: gzip.compress(b"[1\n"), "not one of a backup"),
    ],
)
async def test_a_file_that_is_not_a_whole_backup_is_refused(
    wake: Wakegraph,
    backup: Backup,
    graph: Graph,
    project: str,
    tmp_path: Path,
    spoil: Callable[[bytes], bytes],
    reason: str,
) -> None:
    await fill(wake, project)
    await backup.backup(tmp_path / "b", projects=[project])
    await wipe(graph, project)
    (tmp_path / "b").write_bytes(spoil((tmp_path / "b").read_bytes()))
    with pytest.raises(ImportFileError, match=reason):
        await backup.restore(tmp_path / "b")
    assert await dump(graph, project) == []


async def test_what_cannot_be_done_says_so(backup: Backup, tmp_path: Path, graph: Graph, wake: Wakegraph) -> None:
    with pytest.raises(NotFoundError, match="'no-such-project'"):
        await backup.backup(tmp_path / "b", projects=["no-such-project"])
    with pytest.raises(ImportFileError, match="cannot be read"):
        await backup.restore(tmp_path / "missing")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        await backup.backup(tmp_path / "no" / "folder", projects=[])
    for caller in (Caller(scopes=frozenset({Scope.READ})), Caller(projects=frozenset({"p"}))):
        with pytest.raises(AccessDeniedError):
            await backup.backup(tmp_path / "b", caller=caller)
    read_only = Backup(graph, wake.settings.model_copy(update={"read_only": True}))
    with pytest.raises(AccessDeniedError, match="read-only"):
        await read_only.restore(tmp_path / "b")
    assert not list(tmp_path.glob("*b*"))


def test_times_keep_their_microseconds(tmp_path: Path) -> None:
    from wakegraph.backup.files import read_backup, verify_backup, writing

    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
    with writing(tmp_path / "b") as writer:
        writer.write("snapshot", {"created_at": moment, "recent_accesses": [moment]})
        writer.close()
    verify_backup(tmp_path / "b")
    assert list(read_backup(tmp_path / "b")) == [("snapshot", {"created_at": moment, "recent_accesses": [moment]})]
