"""The files for Neo4j Browser, its address, and the labels its style sheet goes by."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from wakegraph.app import Wakegraph
from wakegraph.browser.address import browser_address, first_query, guessed_base
from wakegraph.browser.kit import QUERIES, favourites, favourites_zip, style, write_kit
from wakegraph.browser.paint import Paint
from wakegraph.errors import AccessDeniedError, InvalidInputError
from wakegraph.graph.driver import Graph
from wakegraph.graph.queries import cypher_root

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


async def story(wake: Wakegraph, project: str) -> None:
    """A root with two effects, a leaf, an orphan, a dated-back cause, a dependency, a superseding decision."""
    later = {"late": 9}
    rows = [("root", []), ("left", ["root"]), ("right", ["root"]), ("end", ["left"]), ("alone", []), ("late", [])]
    for number, (id_, causes) in enumerate([*rows, ("early", ["late"])]):
        await wake.snapshots.save(
            f"The one called {id_}",
            project=project,
            id=id_,
            caused_by=causes,
            depends_on=["root"] if id_ == "end" else [],
            supersedes=["left"] if id_ == "right" else [],
            about=["src/app.py"] if id_ == "end" else [],
            created_at=START + timedelta(hours=later.get(id_, number)),
            detect_dependencies=False,
        )
    await wake.propagation.refresh(project=project)


def test_every_query_of_the_folder_is_in_the_kit() -> None:
    there = {path.name.removesuffix(".cypher") for path in cypher_root().joinpath("browser").iterdir()}
    assert there - {"wakegraph.grass"} == set(QUERIES)


def test_a_favourite_starts_with_its_title_and_says_which_parameters_to_set() -> None:
    titles = [favourite.title for favourite in favourites()]
    assert len(set(titles)) == len(titles)
    for favourite in favourites():
        assert favourite.text.startswith(f"// {favourite.title}\n")
        assert "// params" not in favourite.text
        for name in favourite.params:
            assert re.search(rf":param .*\b{name}\b", favourite.text), (favourite.name, name)


def test_the_archive_is_one_folder_of_queries_and_always_the_same() -> None:
    with zipfile.ZipFile(io.BytesIO(favourites_zip())) as archive:
        names = archive.namelist()
        assert names[0] == "wakegraph/01-whole-project.cypher"
        assert all(re.fullmatch(r"wakegraph/\d\d-[a-z-]+\.cypher", name) for name in names)
        assert archive.read(names[0]).decode().startswith("// A whole project")
    assert favourites_zip() == favourites_zip()


def test_the_kit_is_written_over_an_older_one(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "kit"
    assert [path.name for path in write_kit(folder)] == ["wakegraph-favourites.zip", "wakegraph.grass"]
    assert write_kit(folder)[1].read_text(encoding="utf-8") == style()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="cannot be written"):
        write_kit(tmp_path / "file")


def test_the_style_sheet_is_of_the_form_that_browser_reads() -> None:
    # Its reader knows no comments, and ends a value at the next semicolon.
    rules = re.fullmatch(
        r"(?:(?:node|relationship)(?:\.\w+)? \{\n(?:  [a-z-]+: [^;{}]*(?:\{\w+\})?[^;{}]*;\n)+\}\n\n?)+", style()
    )
    assert rules
    paint = cypher_root().joinpath("paint", "paint.cypher").read_text(encoding="utf-8")
    styled = set(re.findall(r"node\.((?:Role|Score)\w+)", style()))
    assert styled == set(re.findall(r"'((?:Role|Score)\w+)'", paint))


@pytest.mark.db
async def test_each_query_answers(wake: Wakegraph, graph: Graph, project: str) -> None:
    await story(wake, project)
    given = {"project": project, "id": "root", "ref": "src/app.py"}
    async with graph.session("READ") as session:
        for favourite in favourites():
            wanted = {name: given[name] for name in favourite.params}
            if favourite.name in {"why_this", "all_causes"}:
                wanted["id"] = "end"
            result = await session.run(favourite.text, wanted)
            assert await result.values(), favourite.name


@pytest.mark.db
async def test_painting_writes_role_and_band_and_nothing_else(wake: Wakegraph, graph: Graph, project: str) -> None:
    await story(wake, project)
    paint = Paint(graph, wake.settings)
    before = await wake.snapshots.get(["root", "alone"], project=project)
    assert await paint.paint(project) == 7
    assert await paint.paint(project) == 0
    assert await wake.snapshots.get(["root", "alone"], project=project) == before
    assert await labels(graph, project, "root") >= {"Snapshot", "RoleRoot"}
    assert await labels(graph, project, "alone") >= {"Snapshot", "RoleIsolated"}
    await wake.snapshots.link("alone", project=project, caused_by=["end"])
    assert await paint.paint(project) == 2
    assert await labels(graph, project, "alone") & {"RoleIsolated", "RoleLeaf"} == {"RoleLeaf"}
    assert await paint.unpaint(project) == 7
    assert await labels(graph, project, "root") == {"Snapshot"}


@pytest.mark.db
async def test_painting_is_refused_in_read_only_mode(wake: Wakegraph, graph: Graph, project: str) -> None:
    paint = Paint(graph, wake.settings.model_copy(update={"read_only": True}))
    with pytest.raises(AccessDeniedError):
        await paint.paint(project)
    with pytest.raises(AccessDeniedError):
        await paint.unpaint(project)


async def labels(graph: Graph, project: str, id_: str) -> set[str]:
    async with graph.session("READ") as session:
        result = await session.run(
            "MATCH (s:Snapshot {project: $project, id: $id}) RETURN labels(s) AS labels", project=project, id=id_
        )
        record = await result.single()
        assert record is not None
        return set(record["labels"])


@pytest.mark.parametrize(
    ("uri", "base"),
    [
        ("bolt://127.0.0.1:17687", "http://127.0.0.1:7474/browser/"),
        ("neo4j://db.example", "http://db.example:7474/browser/"),
        ("neo4j+s://db.example:7687", "https://db.example:7473/browser/"),
        ("bolt+ssc://[::1]:7687", "https://[::1]:7473/browser/"),
    ],
)
def test_the_browser_of_a_server_is_taken_to_be_on_its_usual_port(uri: str, base: str) -> None:
    assert guessed_base(uri) == base


@pytest.mark.parametrize("uri", ["http://db.example:7474", "db.example", "bolt://"])
def test_what_is_no_database_address_has_no_browser(uri: str) -> None:
    with pytest.raises(InvalidInputError, match="database address"):
        guessed_base(uri)


def test_the_address_fills_in_the_connection_and_the_query_but_no_password() -> None:
    address = browser_address(
        "http://h:1/browser/", "neo4j+s://db.example", username="a b", database="wake", query=first_query("my & app")
    )
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert parameters["dbms"] == "neo4j+s://a%20b@db.example:7687"
    assert parameters["db"] == "wake"
    assert parameters["cmd"] == "edit"
    assert parameters["arg"] == first_query("my & app")


@pytest.mark.db
async def test_first_query_shows_what_is_linked_before_what_is_not(wake: Wakegraph, graph: Graph, project: str) -> None:
    await story(wake, project)
    for number in range(30):
        await wake.snapshots.save(
            f"alone {number}",
            project=project,
            created_at=START + timedelta(days=1, minutes=number),
            detect_dependencies=False,
        )
    async with graph.session("READ") as session:
        rows = [dict(row) async for row in await session.run(first_query(project))]
    assert len({row["s"]["id"] for row in rows}) == 30
    assert {"left", "right", "end"} <= {row["s"]["id"] for row in rows if row["cause"] is not None}


@pytest.mark.db
@pytest.mark.parametrize(
    "name", ["it's", 'a"b\\', "x' RETURN 1 //", "🦊 & %41 + #", "\u202eabc", r"\u0027 x", r"\\u0027 x", "\\' x"]
)
async def test_any_project_name_stays_inside_the_quotes(graph: Graph, name: str) -> None:
    query = first_query(name)
    assert not set("&%+#") & set(query)  # Neo4j Browser decodes its address more than once
    literal = re.search(r"\{project: ('.*')\}", query)
    assert literal
    async with graph.session("READ") as session:
        record = await (await session.run(f"RETURN {literal[1]} AS name")).single()
        assert record is not None
        assert record["name"] == name
