"""The page to go on from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph
from wakegraph.models import ActionType, Caller
from wakegraph.resume import page, service
from wakegraph.resume.models import ResumeItem

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)


class Story:
    """Saves snapshots a minute apart."""

    def __init__(self, wake: Wakegraph, project: str) -> None:
        self.wake, self.project, self.minutes = wake, project, 0

    async def save(self, name: str, **facts: object) -> None:
        self.minutes += 1
        created = NOW + timedelta(minutes=self.minutes)
        facts = {"created_at": created, "now": created, "detect_dependencies": False} | facts
        await self.wake.snapshots.save(f"content of {name}", project=self.project, id=name, **facts)  # type: ignore[arg-type]


@pytest.fixture
async def story(wake: Wakegraph, project: str) -> Story:
    """Ann decides and edits; Bob does two things afterwards."""
    story = Story(wake, project)
    await story.save("goal", author="ann", action_type="decision", session="monday")
    await story.save("plan", author="ann", action_type="decision", caused_by=["goal"], session="monday")
    await story.save("edit", author="ann", action_type="file_edit", caused_by=["plan"], rationale="the plan says so")
    await story.save("open", author="ann", action_type="decision", session="monday")
    await story.save("old", author="ann", action_type="decision")
    await story.save("new", author="ann", supersedes=["old"], caused_by=["edit"])
    await story.save("bob-1", author="bob", caused_by=["edit"])
    await story.save("bob-2", author="bob", action_type="decision")
    return story


async def test_what_others_saved_says_by_what_it_was_superseded(story: Story) -> None:
    await story.save("bob-3", author="bob", supersedes=["bob-1"])
    found = await story.wake.resume.resume_work(project=story.project, author="ann")
    newer = {item.id: [ref.id for ref in item.superseded_by] for item in found.changed_by_others}
    assert newer == {"bob-3": [], "bob-2": [], "bob-1": ["bob-3"]}
    (line,) = [line for line in found.text.splitlines() if line.startswith("- bob-1 (")]
    assert "; superseded by bob-3)" in line


async def test_it_goes_on_where_the_author_ended(story: Story) -> None:
    found = await story.wake.resume.resume_work(project=story.project, author="ann")
    assert found.chain is not None
    assert [step.id for step in found.chain.steps] == ["goal", "plan", "edit", "new"]
    assert [item.id for item in found.open_decisions] == ["bob-2", "open"]
    assert [item.id for item in found.changed_by_others] == ["bob-2", "bob-1"]
    assert found.since == NOW + timedelta(minutes=6)
    for name in ("goal", "plan", "edit", "new", "open", "bob-1", "bob-2"):
        assert f"- {name} (" in found.text
    assert "the plan says so" in found.text
    assert not found.truncated
    assert not found.new_project


async def test_a_session_leads_to_where_it_ended(story: Story) -> None:
    found = await story.wake.resume.resume_work(project=story.project, session="monday")
    assert found.chain is not None
    assert found.chain.id == "open"
    unknown = await story.wake.resume.resume_work(project=story.project, session="tuesday")
    assert unknown.chain is not None
    assert unknown.chain.id == "bob-2", "an unknown session of an unknown author is where anybody ended"


async def test_without_an_author_nothing_is_by_others(story: Story) -> None:
    found = await story.wake.resume.resume_work(project=story.project)
    assert found.changed_by_others == []
    assert found.since is None
    assert "Saved by others" not in found.text


async def test_who_never_saved_sees_what_all_others_did(story: Story) -> None:
    found = await story.wake.resume.resume_work(project=story.project, author="eve")
    assert found.changed_by_others_count == 8
    assert found.chain is not None
    assert found.chain.id == "bob-2"


async def test_predictions_are_the_stored_ones_and_name_what_holds(story: Story, graph: Graph) -> None:
    assert (await story.wake.resume.resume_work(project=story.project)).predictions == []
    async with graph.session("WRITE") as session:
        query = "UNWIND $ids AS id MATCH (s:Snapshot {project: $p, id: id}) SET s.prediction_score = size(id) / 10.0"
        await (await session.run(query, p=story.project, ids=["goal", "old", "edit"])).consume()
    found = await story.wake.resume.resume_work(project=story.project)
    assert [(item.id, item.prediction_score) for item in found.predictions] == [("goal", 0.4), ("edit", 0.4)]


async def test_a_project_that_holds_nothing_says_how_to_begin(
    wake: Wakegraph, project: str, new_project: Callable[..., str]
) -> None:
    twin = new_project(f"{project}-twin")
    await wake.snapshots.save("one", project=twin)
    found = await wake.resume.resume_work(project=project)
    assert found.new_project
    assert twin in found.similar_projects
    assert f"project {project} holds no snapshot yet" in found.text
    assert twin in found.text
    assert "rationale" in found.text


async def test_another_project_is_only_a_marker(wake: Wakegraph, project: str, other_project: str) -> None:
    await wake.snapshots.save("secret cause", project=other_project, id="secret")
    await wake.snapshots.save(
        "visible", project=project, id="visible", caused_by=[f"{other_project}::secret"], cross_project=True
    )
    limited = Caller(projects=frozenset({project}))
    for found in (
        await wake.resume.resume_work(project=project),
        await wake.resume.resume_work(project=project, caller=limited),
    ):
        assert "secret" not in found.model_dump_json()
        assert other_project not in found.model_dump_json()
        assert found.chain is not None
        assert found.chain.steps[0].leads_elsewhere
    with pytest.raises(NotFoundError):
        await wake.resume.resume_work(project=other_project, caller=limited)


async def test_the_default_project_follows_links_everywhere(
    wake_at: Callable[..., Wakegraph], wake: Wakegraph, project: str, other_project: str
) -> None:
    await wake.snapshots.save("cause", project=other_project, id="cause")
    await wake.snapshots.save(
        "effect", project=project, id="effect", caused_by=[f"{other_project}::cause"], cross_project=True
    )
    found = await wake_at(NOW, project=project).resume.resume_work()
    assert f"{other_project}::cause" in found.text


async def test_a_long_chain_shows_its_root_and_its_end(wake: Wakegraph, project: str) -> None:
    story = Story(wake, project)
    for number in range(30):
        await story.save(f"step-{number:02}", caused_by=[f"step-{number - 1:02}"] if number else [])
    found = await wake.resume.resume_work(project=project)
    assert found.chain is not None
    assert found.chain.length == 30
    lines = [line for line in found.text.splitlines() if "step-" in line or "between" in line]
    assert "step-29" in lines[1]
    assert lines[-2] == "  ... 21 steps between ..."
    assert "step-00" in lines[-1]


@pytest.mark.parametrize("budget", [1, 20, 60, 120, 250, 500, 2000])
async def test_the_text_keeps_to_its_budget(story: Story, budget: int) -> None:
    found = await story.wake.resume.resume_work(project=story.project, author="ann", budget_tokens=budget)
    assert len(found.text) <= 4 * budget
    assert found.truncated is (budget < 250)


@pytest.mark.parametrize("budget", [0, -1, 100_001, "5", 2.5])
async def test_a_budget_out_of_range_is_refused(wake: Wakegraph, project: str, budget: object) -> None:
    with pytest.raises(InvalidInputError, match=r"budget_tokens .* from 1 to 100000"):
        await wake.resume.resume_work(project=project, budget_tokens=budget)  # type: ignore[arg-type]


async def test_no_project_at_all_is_an_error(wake: Wakegraph) -> None:
    with pytest.raises(InvalidInputError, match="WAKEGRAPH_PROJECT"):
        await wake.resume.resume_work()


async def test_it_says_the_same_twice_and_counts_no_access(story: Story) -> None:
    first = await story.wake.resume.resume_work(project=story.project, author="ann")
    second = await story.wake.resume.resume_work(project=story.project, author="ann")
    assert first == second
    assert all(
        detail.access_count == 0 for detail in await story.wake.snapshots.get(["goal", "new"], project=story.project)
    )


async def test_it_looks_at_the_newest_only(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_WINDOW", 2)
    found = await story.wake.resume.resume_work(project=story.project, author="ann")
    assert found.looked_at == 2
    assert [item.id for item in found.open_decisions] == ["bob-2"]
    assert found.changed_by_others_count == 2
    assert found.since is None


@given(st.lists(st.text(max_size=80), max_size=12), st.integers(1, 400))
def test_the_page_is_bounded_and_gives_every_section_its_share(titles: list[str], budget: int) -> None:
    items = [
        ResumeItem(id=f"id-{n}", project="p", title=title, action_type=ActionType.DECISION, created_at=NOW)
        for n, title in enumerate(titles)
    ]
    facts = page.Facts("p", "ann", None, [], None, items, len(items), NOW, items, len(items), items)
    text, truncated = page.write(facts, budget)
    assert len(text) <= 4 * budget
    assert truncated or text.count("\n- id-") == 3 * len(items)
