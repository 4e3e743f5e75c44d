"""What an answer shows of other projects: nothing, unless the caller may see them and the call does not name one."""

from __future__ import annotations

import pytest
from causality.graphs import START, Drawing

from wakegraph.app import Wakegraph
from wakegraph.errors import NotFoundError
from wakegraph.graph.driver import Graph
from wakegraph.models import Caller
from wakegraph.snapshots.naming import Key


@pytest.fixture
async def joined(graph: Graph, project: str, other_project: str) -> tuple[str, str]:
    """a1 <- b1 <- b2 <- a2 <- a3, where the b are in another project; a3 also depends on b2."""
    await Drawing(project, ["a1", "a2", "a3"], causes=[("a3", "a2")]).write(graph)
    await Drawing(
        other_project,
        ["secret1", "secret2", "secret3"],
        causes=[("secret1", f"{project}::a1"), ("secret2", "secret1")],
        supersedes=[("secret3", f"{project}::a2")],
    ).write(graph)
    await Drawing(
        project,
        [],
        causes=[("a2", f"{other_project}::secret2")],
        dependencies=[("a3", f"{other_project}::secret2")],
    ).write(graph)
    return project, other_project


async def test_a_call_that_names_a_project_shows_nothing_of_others(wake: Wakegraph, joined: tuple[str, str]) -> None:
    mine, other = joined
    causality = wake.causality
    chain = await causality.chain("a3", project=mine)
    assert [(s.id, s.leads_elsewhere) for s in chain.steps] == [("a2", True), ("a3", False)]
    assert (chain.length, chain.distinct_roots, chain.other_causes) == (2, 1, 0)
    ancestry = await causality.ancestry("a3", project=mine)
    assert [(n.id, n.leads_elsewhere) for n in ancestry.nodes] == [("a3", True), ("a2", True)]
    assert (ancestry.total, ancestry.truncated) == (2, False)
    impact = await causality.impact("a1", project=mine)
    assert [(n.id, n.leads_elsewhere) for n in impact.nodes] == [("a1", True)]
    reasoning = await causality.reasoning("a2", project=mine)
    assert "No cause of it can be shown here." in reasoning.text
    assert reasoning.leads_elsewhere
    answers = [
        chain,
        ancestry,
        impact,
        reasoning,
        await causality.reasoning("a3", project=mine),
        await causality.explore("a2", direction="both", project=mine),
        await causality.stats(mine),
        await causality.validate(mine),
    ]
    for answer in answers:
        text = answer.model_dump_json()
        assert "secret" not in text
        assert other not in text


async def test_a_call_without_a_project_goes_wherever_the_caller_may(wake: Wakegraph, joined: tuple[str, str]) -> None:
    mine, other = joined
    chain = await wake.causality.chain(f"{mine}::a3")
    assert [s.id for s in chain.steps] == ["a1", "secret1", "secret2", "a2", "a3"]
    assert [ref.id for ref in chain.steps[3].superseded_by] == ["secret3"]
    limited = Caller(projects=frozenset({mine}))
    chain = await wake.causality.chain(f"{mine}::a3", caller=limited)
    assert [(s.id, s.leads_elsewhere) for s in chain.steps] == [("a2", True), ("a3", False)]
    assert chain.steps[0].superseded_by == []
    impact = await wake.causality.impact(f"{mine}::a1")
    assert {n.id: n.distance for n in impact.nodes} == {"a1": 0, "secret1": 1, "secret2": 2, "a2": 3, "a3": 3}
    for name in ("secret1", f"{other}::secret1"):
        with pytest.raises(NotFoundError):
            await wake.causality.chain(name, caller=limited)


async def test_a_project_the_caller_may_not_see_does_not_exist(wake: Wakegraph, joined: tuple[str, str]) -> None:
    mine, other = joined
    limited = Caller(projects=frozenset({mine}))
    causality = wake.causality
    messages = []
    for call in (
        causality.stats(other, caller=limited),
        causality.validate(other, caller=limited),
        causality.classify(other, caller=limited),
        causality.recalculate_roles(other, caller=limited),
        causality.chain("a3", project=other, caller=limited),
        causality.why_about("x", project=other, caller=limited),
    ):
        with pytest.raises(NotFoundError) as caught:
            await call
        messages.append(str(caught.value))
    assert not [m for m in messages if "secret" in m]
    assert await causality.classify([Key(other, "secret1")], caller=limited) == {}


async def test_chains_are_counted_inside_the_project(wake: Wakegraph, joined: tuple[str, str]) -> None:
    mine, other = joined
    found = await wake.causality.stats(mine)
    assert (found.snapshots, found.max_chain_length, found.leaves) == (3, 2, 1)
    assert found.by_role.model_dump() == {"root": 1, "branch": 0, "link": 1, "leaf": 1, "isolated": 0}
    assert (await wake.causality.stats(other)).max_chain_length == 0


async def test_a_cycle_through_another_project_is_found_from_both(
    wake: Wakegraph, graph: Graph, joined: tuple[str, str]
) -> None:
    mine, other = joined
    assert (await wake.causality.validate(mine)).causal_cycles == []
    await Drawing(mine, [], causes=[("a1", "a3")], start=START).write(graph)
    found = await wake.causality.validate(mine)
    assert ([g.ids for g in found.causal_cycles], found.ok) == ([["a1", "a2", "a3"]], False)
    assert [g.ids for g in (await wake.causality.validate(other)).causal_cycles] == [["secret1", "secret2"]]
