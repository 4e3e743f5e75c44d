"""Finding snapshots by words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.generate import read_shape
from benchmarks.load import fill
from benchmarks.plans import profiled, recorded
from wakegraph.app import Wakegraph
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph
from wakegraph.graph.lucene import TERM_LIMIT, user_query
from wakegraph.models import Caller, MemoryTier
from wakegraph.snapshots import searching
from wakegraph.snapshots.models import SearchPage
from wakegraph.snapshots.searching import QUERY_LIMIT, excerpt_of

pytestmark = pytest.mark.db

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


async def save(wake: Wakegraph, project: str, name: str, content: str, **facts: object) -> None:
    facts = {"created_at": NOW - timedelta(days=2), "detect_dependencies": False, "now": NOW} | facts
    await wake.snapshots.save(content, project=project, id=name, **facts)  # type: ignore[arg-type]


def ids(page: SearchPage) -> list[str]:
    return [hit.snapshot.id for hit in page.hits]


# The queries of which one database or another is known to choke, and some more.
HARD = [
    *("/b testing", "foo/bar", "C++", "tb-", "(x", '"unbalanced', "node:", "a AND", "NOT", "*", "?", "~", "^2"),
    *("[1 TO", "\\", "&&", "!x", "emoji 🎉", "日本語", "+project:x", "title:a", "{a TO b}", "a~0.5", "\\u0041", '\\"'),
    *(
        "OR OR OR",
        "a^",
        '""',
        "'",
        "ⅷ",
        "²",
        "e\u0301",
        "\u200d",
        "a\u2028b",
        "x*y*",
        "**",
        "a:*",
        "-",
        "\ufeff",
        "<!--",
    ),
    *("a " * 5_000, "x" * 10_000, '"' + "a " * 4_000 + '"', " ".join(f"w{i}*" for i in range(900)), "(" * 10_000),
]


@pytest.mark.parametrize("text", HARD, ids=lambda text: repr(text[:12]))
async def test_any_text_is_a_query(wake: Wakegraph, project: str, text: str) -> None:
    page = await wake.snapshots.search(text[:QUERY_LIMIT], all_projects=True, limit=1)
    assert page.query == text[:QUERY_LIMIT]
    assert all(hit.relevance > 0 for hit in page.hits)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=60)
    | st.text('ab*" \\+-&|!(){}[]^~?:/.TONDR', min_size=1, max_size=40)
)
async def test_no_text_breaks_the_index(wake: Wakegraph, text: str) -> None:
    if text.strip():
        await wake.snapshots.search(text, all_projects=True, limit=1)


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000"])
async def test_a_blank_query_is_refused(wake: Wakegraph, project: str, text: str) -> None:
    with pytest.raises(InvalidInputError, match="query is empty"):
        await wake.snapshots.search(text, project=project)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"limit": 0}, "from 1 to 100"),
        ({"limit": 101}, "from 1 to 100"),
        ({"limit": "5"}, "from 1 to 100"),
        ({"limit": 5.5}, "from 1 to 100"),
        ({"limit": -1}, "from 1 to 100"),
        ({"limit": 10**9}, "from 1 to 100"),
        ({"tier": "HOT"}, "ACTIVE, RECENT, ARCHIVED, EXPIRED"),
        ({"action_type": "thought"}, "conversation, decision"),
        ({"since": "yesterday"}, "ISO 8601"),
        ({"cursor": "abc"}, "cursor 'abc'"),
        ({"cursor": "eyJpZCI6MX0"}, "not one of this list"),
        ({"cursor": "[[[["}, "not one of this list"),
        ({"all_projects": True}, "contradict"),
    ],
)
async def test_a_bad_argument_is_refused(wake: Wakegraph, project: str, facts: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        await wake.snapshots.search("x", project=project, **facts)  # type: ignore[arg-type]


async def test_a_query_that_is_too_long_says_so(wake: Wakegraph, project: str) -> None:
    with pytest.raises(InvalidInputError, match="10,001 characters; the limit is 10,000"):
        await wake.snapshots.search("x" * 10_001, project=project)


async def test_an_unknown_project_says_what_there_is(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "a", "walnut")
    with pytest.raises(NotFoundError, match=f"similar names: .*{project}"):
        await wake.snapshots.search("walnut", project=f"{project}x")
    assert (await wake.snapshots.search("hazel", project=project)).hits == []


async def test_punctuation_is_literal_or_nothing(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "path", "edit wakegraph/graph/driver.py first")
    await save(wake, project, "party", "party 🎉 time")
    await save(wake, project, "asia", "日本語の文章")
    for query in ("wakegraph/graph/driver.py", "driver.py!", "(driver.py"):
        assert ids(await wake.snapshots.search(query, project=project))[0] == "path", query
    assert ids(await wake.snapshots.search("🎉", project=project)) == ["party"]
    assert ids(await wake.snapshots.search("日本", project=project)) == ["asia"]
    nothing = await wake.snapshots.search("?!", project=project)
    assert nothing.hits == []
    assert nothing.notes == ["the query holds nothing that the index keeps: letters, digits, emoji"]


async def test_a_phrase_must_occur_and_a_star_completes_a_word(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "both", "the retry queue is bounded")
    await save(wake, project, "apart", "the queue has a retry budget")
    await save(wake, project, "longer", "queueing theory")
    assert set(ids(await wake.snapshots.search("retry queue", project=project))) == {"both", "apart"}
    assert ids(await wake.snapshots.search('"retry queue" theory', project=project)) == ["both"]
    assert set(ids(await wake.snapshots.search("queue*", project=project))) == {"both", "apart", "longer"}
    assert set(ids(await wake.snapshots.search("Queuei*", project=project))) == {"longer"}
    assert set(ids(await wake.snapshots.search("que*ue", project=project))) == set()


async def test_words_beyond_the_limit_are_left_out_and_counted(wake: Wakegraph, project: str) -> None:
    text = " ".join(f"word{i}" for i in range(TERM_LIMIT + 7))
    page = await wake.snapshots.search(text, all_projects=True)
    assert "7 more were left out" in page.notes[0]


async def test_other_words_in_quotes_do_not_reach_the_query_parser() -> None:
    assert user_query('a" OR project:"b').lucene == '"a" +"OR project:" "b"'
    assert user_query("x* (y").lucene == 'x* "(y"'


@pytest.mark.parametrize(
    ("filters", "alone"),
    [
        ({"tag": "rare"}, "wanted"),
        ({"action_type": "decision"}, "wanted"),
        ({"author": "ann"}, "wanted"),
        ({"session": "s-1"}, "wanted"),
        ({"about": "a.py"}, "wanted"),
        ({"tier": "EXPIRED"}, "wanted"),
        ({"until": NOW - timedelta(days=100)}, "wanted"),
    ],
)
async def test_filters_hold_before_the_limit(
    wake: Wakegraph, project: str, monkeypatch: pytest.MonkeyPatch, filters: dict[str, object], alone: str
) -> None:
    monkeypatch.setattr(searching, "_READS", (2, 5, 2**31 - 1))
    for number in range(20):
        await save(wake, project, f"common-{number}", "kestrel kestrel kestrel")
    facts = {"tags": ["rare"], "action_type": "decision", "author": "ann", "session": "s-1", "about": ["a.py"]}
    await save(
        wake, project, "wanted", f"kestrel {'and much else ' * 50}", created_at=NOW - timedelta(days=200), **facts
    )
    page = await wake.snapshots.search("kestrel", project=project, limit=5, now=NOW, **filters)  # type: ignore[arg-type]
    assert ids(page) == [alone]
    assert (page.total, page.total_is_exact, page.has_more) == (1, True, False)


async def test_a_search_in_one_project_shows_nothing_of_another(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    for number in range(30):
        await save(wake, project, f"a-{number}", "osprey osprey osprey")
    await save(wake, other_project, "b", f"osprey {'and much else ' * 30}")
    page = await wake.snapshots.search("osprey", project=other_project, limit=5)
    assert (ids(page), page.total) == (["b"], 1)
    limited = Caller(projects=frozenset({other_project}))
    page = await wake.snapshots.search("osprey", all_projects=True, limit=100, caller=limited)
    assert (ids(page), page.total) == (["b"], 1)
    with pytest.raises(NotFoundError):
        await wake.snapshots.search("osprey", project=project, caller=limited)
    both = await wake.snapshots.search("osprey", all_projects=True, limit=100)
    assert both.total == 31


async def test_the_weight_of_the_tier_changes_the_order(wake: Wakegraph, project: str) -> None:
    ages = {"active": 0.1, "recent": 5, "archived": 48, "expired": 24 * 60}
    for name, hours in ages.items():
        await save(wake, project, name, "merlin", created_at=NOW - timedelta(hours=hours))
    page = await wake.snapshots.search("merlin", project=project, now=NOW)
    assert ids(page) == list(ages)
    assert [hit.tier_weight for hit in page.hits] == [1.2, 1.1, 1.0, 0.8]
    assert all(hit.score == hit.relevance * hit.tier_weight for hit in page.hits)
    assert [hit.snapshot.memory_tier for hit in page.hits] == list(MemoryTier)
    assert page.tier_weights.by_tier() == {"ACTIVE": 1.2, "RECENT": 1.1, "ARCHIVED": 1.0, "EXPIRED": 0.8}
    later = await wake.snapshots.search("merlin", project=project, now=NOW + timedelta(days=90))
    assert {hit.tier_weight for hit in later.hits} == {0.8}
    assert ids(later) == list(ages), "of equals the newest comes first"


async def test_a_less_relevant_hit_of_a_better_tier_is_not_missed(
    wake_at: Callable[..., Wakegraph], project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index knows nothing of tiers: the best hits by weight may be the last ones by relevance."""
    wake = wake_at(NOW, tier_weight_active=10.0)
    for number in range(12):
        await save(wake, project, f"old-{number:02}", f"harrier {'filling ' * number}")
    await save(wake, project, "new", f"harrier {'filling ' * 40}", created_at=NOW)
    whole = ids(await wake.snapshots.search("harrier", project=project, limit=100))
    assert whole[0] == "new"
    monkeypatch.setattr(searching, "_READS", (1, 3, 2**31 - 1))
    for limit in range(1, 14):
        page = await wake.snapshots.search("harrier", project=project, limit=limit)
        assert ids(page) == whole[:limit]
        assert page.has_more is (limit < 13)


async def test_the_memory_of_a_search_does_not_grow_with_its_hits(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    """Collected, some hundred thousand hits exceed the memory of a transaction, and the search fails."""
    peaks = []
    for name, size in ((project, 300), (other_project, 6_000)):
        await fill(wake, read_shape(None), name, size)
        with recorded(wake.graph) as statements:
            page = await wake.snapshots.search("module", project=name)
        assert (page.total, page.total_is_exact) == (size, True)
        text, parameters = statements[-1]
        peaks.append((await profiled(wake, text, parameters))["args"]["GlobalMemory"])
    assert peaks[1] < 1.5 * peaks[0]


async def test_what_was_superseded_ranks_last_and_says_by_what(
    wake: Wakegraph, project: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await save(wake, project, "old", "buzzard buzzard buzzard buzzard")
    await save(wake, project, "new", f"buzzard {'in many more words ' * 20}", supersedes=["old"])
    for reads in (searching._READS, (1, 2**31 - 1)):
        monkeypatch.setattr(searching, "_READS", reads)
        page = await wake.snapshots.search("buzzard", project=project)
        assert ids(page) == ["new", "old"]
        assert page.hits[1].relevance > page.hits[0].relevance
        assert [ref.id for ref in page.hits[1].superseded_by] == ["new"]
        first = await wake.snapshots.search("buzzard", project=project, limit=1)
        assert ids(first) == ["new"]
        assert ids(await wake.snapshots.search("buzzard", project=project, limit=1, cursor=first.next_cursor)) == [
            "old"
        ]


async def walk(wake: Wakegraph, query: str, project: str, limit: int) -> list[str]:
    found: list[str] = []
    cursor = None
    while True:
        page = await wake.snapshots.search(query, project=project, limit=limit, cursor=cursor, now=NOW)
        found += ids(page)
        cursor = page.next_cursor
        assert page.has_more is (cursor is not None)
        if cursor is None:
            return found


@pytest.mark.parametrize("limit", [1, 3, 7, 100])
async def test_pages_are_the_whole_list(
    wake: Wakegraph, project: str, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    for number in range(17):
        hours = (0.5, 12, 100, 24 * 40)[number % 4]
        superseding = [f"s-{number - 3:02}"] if number in {5, 11} else []
        created = NOW - timedelta(hours=hours)
        await save(
            wake, project, f"s-{number:02}", "falcon " * (1 + number % 3), created_at=created, supersedes=superseding
        )
    whole = ids(await wake.snapshots.search("falcon", project=project, limit=100, now=NOW))
    assert len(whole) == 17
    assert set(whole[-2:]) == {"s-02", "s-08"}
    monkeypatch.setattr(searching, "_READS", (2, 4, 2**31 - 1))
    assert await walk(wake, "falcon", project, limit) == whole


async def test_pages_neither_repeat_nor_miss_what_was_there_while_others_write(wake: Wakegraph, project: str) -> None:
    for number in range(12):
        await save(wake, project, f"s-{number:02}", f"hobby {'more ' * number}")
    found: list[str] = []
    cursor = None
    for step in range(20):
        page = await wake.snapshots.search("hobby", project=project, limit=2, cursor=cursor, now=NOW)
        found += ids(page)
        cursor = page.next_cursor
        if cursor is None:
            break
        # Every one of these moves the relevance of all others.
        await save(wake, project, f"w-{step:02}", f"hobby {'something else ' * 9}", created_at=NOW - timedelta(days=60))
    old = [name for name in found if name.startswith("s-")]
    assert sorted(old) == [f"s-{number:02}" for number in range(12)]
    assert len(set(found)) == len(found)


async def test_the_excerpt_shows_the_match_even_at_the_end_of_a_long_text(wake: Wakegraph, project: str) -> None:
    await save(wake, project, "long", f"{'lorem ipsum dolor ' * 1_100}the kingfisher dives.")
    await save(wake, project, "tagged", "nothing here", tags=["kingfisher"])
    await save(wake, project, "why", "nothing there", rationale="because the kingfisher said so")
    page = await wake.snapshots.search("kingfisher", project=project)
    excerpts = {hit.snapshot.id: hit.excerpt for hit in page.hits}
    assert excerpts.keys() == {"long", "tagged", "why"}
    assert all("kingfisher" in text for text in excerpts.values())
    assert excerpts["long"].startswith("... ")
    assert excerpts["long"].endswith("dives.")
    assert len(excerpts["long"]) <= 320


def test_the_excerpt_is_where_most_of_the_words_are() -> None:
    text = "alpha " + "x " * 500 + "alpha beta gamma " + "y " * 500 + "beta"
    assert "alpha beta gamma" in excerpt_of([text], user_query("beta gamma alpha").terms)


@given(st.text(max_size=2_000), st.text(max_size=50))
def test_an_excerpt_is_bounded_whatever_the_text(text: str, query: str) -> None:
    terms = user_query(query).terms
    if terms:
        assert len(excerpt_of([text, query], terms)) <= 310


async def test_what_is_deleted_is_not_found(wake: Wakegraph, project: str, graph: Graph) -> None:
    await save(wake, project, "gone", "peregrine")
    await wake.snapshots.delete("gone", project=project, confirm=True)
    assert ids(await wake.snapshots.search("peregrine", project=project)) == []
