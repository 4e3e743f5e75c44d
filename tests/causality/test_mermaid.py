"""Flowcharts: any text gives lines of the same few shapes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wakegraph.causality.mermaid import to_mermaid
from wakegraph.causality.models import GraphNode, Subgraph
from wakegraph.models import CausalRole, Direction, Edge, LinkType, MemoryTier, Origin, SnapshotRef

TEXT = r"(?:[\w ]|#\d+;)+"
SHAPES = [
    r"flowchart TD",
    rf'  n\d+\["{TEXT}<br/>{TEXT}(?:<br/>superseded by {TEXT})?"\]',
    r"  n\d+ (?:==>|-->|-\.->)(?:\|(?:imported|inferred|detected)\|)? n\d+",
    r'  n\d+ -\.- n\d+x\(\["another project"\]\)',
    r"  classDef (?:root|branch|link|leaf|isolated) [\w:#,]+",
    r"  class n\d+(?:,n\d+)* (?:root|branch|link|leaf|isolated)",
    r"  style n0 stroke-width:4px",
]


def node(id_: str, **more: Any) -> GraphNode:
    values: dict[str, Any] = {
        "id": id_,
        "project": "p",
        "distance": 0,
        "title": "title",
        "summary": "summary",
        "action_type": "decision",
        "causal_role": CausalRole.LINK,
        "memory_tier": MemoryTier.ACTIVE,
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        **more,
    }
    return GraphNode(**values)


def subgraph(nodes: list[GraphNode], edges: list[Edge]) -> Subgraph:
    return Subgraph(
        id="a",
        project="p",
        direction=Direction.BOTH,
        include_detected=True,
        nodes=nodes,
        edges=edges,
        truncated=False,
        total=len(nodes),
    )


def edge(source: str, target: str, **more: Any) -> Edge:
    values: dict[str, Any] = {"type": LinkType.CAUSED_BY, "origin": Origin.STATED, **more}
    return Edge(source=source, source_project="p", target=target, target_project="p", **values)


@given(st.lists(st.tuples(st.text(), st.text(min_size=1)), min_size=1, max_size=5))
def test_any_text_gives_a_chart_of_known_shapes(texts: list[tuple[str, str]]) -> None:
    nodes = [
        node(f"{i}{id_}", title=title, superseded_by=[SnapshotRef(id=id_, project="p")], leads_elsewhere=True)
        for i, (title, id_) in enumerate(texts)
    ]
    edges = [edge(nodes[0].id, other.id) for other in nodes]
    for line in to_mermaid(subgraph(nodes, edges)).removesuffix("\n").split("\n"):
        assert any(re.fullmatch(shape, line) for shape in SHAPES), line


def test_a_chart_shows_roles_kinds_of_links_and_what_is_a_guess() -> None:
    nodes = [
        node("a", causal_role=CausalRole.LEAF, title='say "hi" [x]; #1 `end`'),
        node("b", causal_role=CausalRole.ROOT),
        node("c", causal_role=CausalRole.ROOT, leads_elsewhere=True),
    ]
    edges = [
        edge("a", "b", primary=True),
        edge("a", "c", primary=False, origin=Origin.INFERRED),
        edge("b", "c", type=LinkType.DEPENDS_ON, origin=Origin.DETECTED),
    ]
    assert to_mermaid(subgraph(nodes, edges)) == (
        "flowchart TD\n"
        '  n0["say #34;hi#34; #91;x#93;#59; #35;1 #96;end#96;<br/>a"]\n'
        '  n1["title<br/>b"]\n'
        '  n2["title<br/>c"]\n'
        "  n1 ==> n0\n"
        "  n2 -->|inferred| n0\n"
        "  n2 -.->|detected| n1\n"
        '  n2 -.- n2x(["another project"])\n'
        "  classDef root fill:#d9f2d9,stroke:#2e7d32,color:#111111\n"
        "  class n1,n2 root\n"
        "  classDef leaf fill:#f5d9f0,stroke:#8e2f7d,color:#111111\n"
        "  class n0 leaf\n"
        "  style n0 stroke-width:4px\n"
    )


def test_long_titles_are_cut() -> None:
    chart = to_mermaid(subgraph([node("a", title="x" * 500)], []))
    assert "x" * 59 + "#8230;" in chart
    assert "x" * 60 not in chart


def test_what_mermaid_would_still_find_after_decoding_is_parted_and_directions_are_not_steered() -> None:
    chart = to_mermaid(subgraph([node("a", title="C:\\new fa:fa-car $$x$$ \u202egnp.exe")], []))
    shown = re.sub(r"#(\d+);", lambda hit: chr(int(hit[1])), chart)
    assert "C:\\\u200bnew fa:\u200bfa-car $\u200b$x$\u200b$ \ufffdgnp.exe" in shown
