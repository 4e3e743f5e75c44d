"""Full-text queries: any text is a valid one, and only ever words to look for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.graph.driver import Graph
from wakegraph.graph.lucene import any_of, in_projects, quoted, salient_words, words

SEARCH = """
CALL db.index.fulltext.queryNodes('snapshot_text', $query, {limit: 100}) YIELD node, score
WHERE node.project = $project
RETURN node.id AS id, score ORDER BY id
"""
TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60),
    st.text(alphabet='+-&|!(){}[]^"~*?:\\/ aZ9ANDORNT', max_size=40),
)


async def search(graph: Graph, query: str, project: str) -> list[Any]:
    async with graph.session("READ") as session:
        result = await session.run(SEARCH, {"query": query, "project": project})
        return [(record["id"], record["score"]) async for record in result]


@given(text=TEXTS)
@example(text="AND OR NOT")
@example(text='"')
@example(text="\\")
@example(text="project:other")
@example(text="a*b? [x TO y] {z} (")
@example(text="/regex/ ~2 ^4 && || !")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_any_text_is_a_valid_query(graph: Graph, text: str) -> None:
    await graph.ready()
    for query in (quoted(text), any_of(words(text)), in_projects(any_of(salient_words(text, 6)), [text])):
        if query:
            await search(graph, query, "no such project")


async def test_words_of_a_text_are_found_whatever_signs_they_hold(wake: Wakegraph, project: str) -> None:
    texts = {
        "path": "edited wakegraph/graph/lucene.py",
        "operators": "this AND that OR NOT (other)",
        "chinese": "我们决定使用图数据库",
        "accents": "décision prise à l'unanimité",
        "quote": 'she said "ship it" \\o/',
    }
    for id_, text in texts.items():
        await wake.snapshots.save(text, id=id_, project=project, detect_dependencies=False)
    graph = wake.graph
    for text, found in {
        "lucene.py": "path",
        "graph/lucene.py": "path",
        "NOT": "operators",
        "数据库": "chinese",
        "DÉCISION prise": "accents",
        '"ship it"': "quote",
    }.items():
        query = in_projects(quoted(text), [project])
        assert [id_ for id_, _ in await search(graph, query, project)] == [found], text


async def test_narrowing_to_a_project_leaves_the_ranking_alone(wake: Wakegraph, new_project: Callable[[], str]) -> None:
    project, other = new_project(), new_project()
    for name in (project, other):
        for number in range(3):
            content = "apple " * (number + 1) + "pear"
            await wake.snapshots.save(content, id=f"s{number}", project=name, detect_dependencies=False)
    plain = await search(wake.graph, any_of(["apple"]), project)
    narrow = await search(wake.graph, in_projects(any_of(["apple"]), [project]), project)
    assert {id_ for id_, _ in narrow} == {"s0", "s1", "s2"}
    assert dict(narrow) == pytest.approx(dict(plain), rel=0.02)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("... !? --", []),
        ("we use the queue of queue.py, see PEP-484", ["queue.py", "PEP-484", "queue"]),
        ("Words words WORDS word", ["WORDS"]),
        ("x" * 101, []),
        ("的 图数据库", ["图数据库", "的"]),
    ],
)
def test_salient_words_are_names_first_then_long_ones(text: str, found: list[str]) -> None:
    assert salient_words(text, 6) == found


@given(st.text())
def test_words_hold_no_spaces_and_come_once(text: str) -> None:
    found = words(text)
    assert len({word.casefold() for word in found}) == len(found)
    assert not [word for word in found if word.split() != [word]]
