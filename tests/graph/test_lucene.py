"""Queries of the full-text index: whatever the text, the index takes them."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.causality.suggest import suggest_causes
from wakegraph.graph.lucene import TERM_LIMIT, in_projects, quoted, salient_words, user_query

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=80)
SYNTAX = st.text('ab1*" \\+-&|!(){}[]^~?:/.TONDR_\u200d\u0301', max_size=60)


@given(TEXT | SYNTAX)
def test_quotes_of_a_text_never_end_its_phrase(text: str) -> None:
    inside = quoted(text)[1:-1].replace("\\\\", "").replace('\\"', "")
    assert '"' not in inside
    assert "\\" not in inside


@given(TEXT | SYNTAX)
def test_outside_quotes_are_only_stars_signs_and_words(text: str) -> None:
    outside = "".join(user_query(text).lucene.replace("\\\\", "").replace('\\"', "").split('"')[::2])
    for piece in outside.replace("(+", " ").replace(")", " ").split():
        assert piece == "+" or piece.endswith("*") or piece.startswith("+"), outside


@given(st.lists(TEXT, max_size=200))
def test_a_query_is_bounded(texts: list[str]) -> None:
    query = user_query(" ".join(texts))
    assert len(query.terms) <= TERM_LIMIT
    assert (query.ignored > 0) <= (len(query.terms) == TERM_LIMIT)


def test_projects_narrow_a_query_that_is_there() -> None:
    assert in_projects("", ["a"]) == ""
    assert in_projects('"x"', None) == '"x"'
    assert in_projects('"x"', []) == '"x"'
    assert in_projects('"x"', ["a", 'b"']) == '+(project:"a" project:"b\\"")^0 +("x")'
    assert in_projects('"x"', [str(n) for n in range(51)]) == '"x"'


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXT | SYNTAX, name=TEXT.filter(bool))
async def test_no_text_or_project_breaks_a_suggestion(wake: Wakegraph, text: str, name: str) -> None:
    assert len(salient_words(text, 6)) <= 6
    found = await suggest_causes(
        wake.graph, project=name, exclude_id=None, text=text, session=None, about=[text], created_at=datetime.now(UTC)
    )
    assert len(found) <= 3
