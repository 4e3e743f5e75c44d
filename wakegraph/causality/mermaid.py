"""A subgraph as a Mermaid flowchart. Pure, and valid for any text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wakegraph.causality.models import GraphNode, Subgraph
from wakegraph.models import CausalRole, Edge, LinkType, Origin

__all__ = ["to_mermaid"]

_LABEL_LENGTH = 60
_STYLES = {
    CausalRole.ROOT: "fill:#d9f2d9,stroke:#2e7d32",
    CausalRole.BRANCH: "fill:#fff3cd,stroke:#b8860b",
    CausalRole.LINK: "fill:#d6eaf8,stroke:#21618c",
    CausalRole.LEAF: "fill:#f5d9f0,stroke:#8e2f7d",
    CausalRole.ISOLATED: "fill:#eeeeee,stroke:#666666",
}
_INK = "color:#111111"
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_PARTED = re.compile(r"(?<=\\)(?=n)|(?<=:)(?=fa-)|(?<=\$)(?=\$)")


def to_mermaid(subgraph: Subgraph) -> str:
    """Draw a subgraph: causes above, effects below, one class a role, the asked snapshot with a thick border.

    Solid arrows go from a cause to its effect (thick: the primary cause), dotted ones from a dependency to what
    depends on it. Labels of arrows tell links that were not stated: imported, inferred, detected.
    """
    names = {(node.project, node.id): f"n{number}" for number, node in enumerate(subgraph.nodes)}
    lines = ["flowchart TD"]
    lines += [f"  {name}{_box(node)}" for name, node in zip(names.values(), subgraph.nodes, strict=True)]
    lines += [
        f"  {names[edge.target_project, edge.target]} {_arrow(edge)} {names[edge.source_project, edge.source]}"
        for edge in subgraph.edges
    ]
    lines += list(_elsewhere(names.values(), subgraph.nodes))
    for role, style in _STYLES.items():
        members = [name for name, node in zip(names.values(), subgraph.nodes, strict=True) if node.causal_role == role]
        if members:
            lines += [f"  classDef {role} {style},{_INK}", f"  class {','.join(members)} {role}"]
    lines.append("  style n0 stroke-width:4px")
    return "\n".join(lines) + "\n"


def _box(node: GraphNode) -> str:
    title = f"{_label(node.title)}<br/>{_label(node.id)}"
    if node.superseded_by:
        title += f"<br/>superseded by {_label(node.superseded_by[0].id)}"
    return f'["{title}"]'


def _arrow(edge: Edge) -> str:
    shaft = "==>" if edge.primary else "-->" if edge.type is LinkType.CAUSED_BY else "-.->"
    guess = edge.origin is not None and edge.origin is not Origin.STATED
    return f"{shaft}|{edge.origin}|" if guess else shaft


def _elsewhere(names: Iterable[str], nodes: Iterable[GraphNode]) -> Iterable[str]:
    for name, node in zip(names, nodes, strict=True):
        if node.leads_elsewhere:
            yield f'  {name} -.- {name}x(["another project"])'


def _label(text: str) -> str:
    r"""One line in which nothing but letters, digits and spaces stands for itself.

    Mermaid reads `#123;` as the character of that number, so quotes, brackets, Markdown and markup of a text stay text.
    After that it still looks for line breaks (`\n`), icons (`fa:fa-car`) and formulas (`$$`): a space of no width
    parts them. What would steer the direction of text is replaced.
    """
    line = _PARTED.sub("\u200b", _STEERING.sub("\ufffd", " ".join(text.split())))
    short = line if len(line) <= _LABEL_LENGTH else f"{line[: _LABEL_LENGTH - 1]}\N{HORIZONTAL ELLIPSIS}"
    return "".join(char if char.isalnum() or char == " " else f"#{ord(char)};" for char in short) or "#160;"
