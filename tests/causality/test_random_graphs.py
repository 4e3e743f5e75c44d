"""Random graphs, cyclic ones too: the database agrees with the plainest Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from causality.graphs import Drawing
from causality.reference import distances, mutual_groups, primary_chain, roles, turned
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wakegraph.app import Wakegraph
from wakegraph.graph.driver import Graph


@dataclass(frozen=True)
class Links:
    nodes: list[str]
    causes: list[tuple[str, str]]
    stated: list[tuple[str, str]]
    detected: list[tuple[str, str]]


@st.composite
def graphs(draw: st.DrawFn) -> Links:
    count = draw(st.integers(1, 9))
    nodes = [f"n{i}" for i in range(count)]
    pairs = st.tuples(*[st.integers(0, count - 1)] * 2)
    causes = draw(st.lists(pairs.filter(lambda p: p[0] != p[1]), unique=True, max_size=14))
    acyclic = list(dict.fromkeys((nodes[max(p)], nodes[min(p)]) for p in causes))
    depends = draw(st.lists(pairs, unique=True, max_size=10))
    cut = draw(st.integers(0, len(depends)))
    named = [(nodes[a], nodes[b]) for a, b in depends]
    return Links(nodes, acyclic, named[:cut], named[cut:])


@given(drawn=graphs(), data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_answers_agree_with_the_reference(
    wake: Wakegraph, graph: Graph, new_project: Callable[[], str], drawn: Links, data: st.DataObject
) -> None:
    project = new_project()
    hunches = [(a, b, {"origin": "detected", "gap_seconds": 1.0}) for a, b in drawn.detected]
    await Drawing(project, drawn.nodes, drawn.causes, [*drawn.stated, *hunches]).write(graph)
    asked = data.draw(st.sampled_from(drawn.nodes))
    followed = drawn.causes + drawn.stated
    causality = wake.causality

    for include, links in ((False, followed), (True, followed + drawn.detected)):
        ancestry = await causality.ancestry(asked, project=project, include_detected=include)
        assert {n.id: n.distance for n in ancestry.nodes} == distances(asked, links)
        impact = await causality.impact(asked, project=project, include_detected=include)
        assert {n.id: n.distance for n in impact.nodes} == distances(asked, turned(links))
        both = await causality.explore(asked, direction="both", depth=99, project=project, include_detected=include)
        union = distances(asked, turned(links))
        for node, distance in distances(asked, links).items():
            union[node] = min(distance, union.get(node, distance))
        assert {n.id: n.distance for n in both.nodes} == union
        inside = Counter((a, b) for a, b in links if a in union and b in union)
        assert Counter((e.source, e.target) for e in both.edges) == inside
        assert [n.distance for n in both.nodes] == sorted(union.values())

    primary: dict[str, str] = {}
    for effect, cause in drawn.causes:
        primary.setdefault(effect, cause)
    expected = primary_chain(asked, primary)
    chain = await causality.chain(asked, project=project)
    assert [s.id for s in chain.steps] == expected[::-1]
    others = {c for e, c in drawn.causes if e in expected} - set(expected)
    assert chain.other_causes == len(others)
    ancestors = distances(asked, drawn.causes)
    with_cause = {effect for effect, _ in drawn.causes}
    assert chain.distinct_roots == len(set(ancestors) - with_cause)

    role = roles(drawn.nodes, drawn.causes)
    assert {k.id: v.value for k, v in (await causality.classify(project)).items()} == role
    assert await causality.recalculate_roles(project) == 0

    stats = await causality.stats(project)
    assert {k: v for k, v in stats.by_role.model_dump().items() if v} == Counter(role.values())
    lengths = [len(primary_chain(node, primary)) for node in drawn.nodes if role[node] == "leaf"]
    assert stats.leaves == len(lengths)
    assert stats.max_chain_length == max(lengths, default=0)
    assert stats.mean_chain_length == (sum(lengths) / len(lengths) if lengths else 0)
    assert (stats.with_causes, stats.snapshots) == (len(with_cause), len(drawn.nodes))
    assert (stats.stated_dependencies, stats.detected_dependencies) == (len(drawn.stated), len(drawn.detected))

    report = await causality.validate(project)
    assert [g.ids for g in report.dependency_groups] == mutual_groups(drawn.nodes, drawn.stated)
    linked = {node for link in followed + drawn.detected for node in link}
    assert report.unlinked == [node for node in drawn.nodes if node not in linked]
    assert (report.causal_cycles, report.primary_faults, report.time_inversions) == ([], [], [])
    assert report.ok
