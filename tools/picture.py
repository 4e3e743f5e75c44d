"""Draw the picture of the README, docs/chain.svg, from the decisions of the demo: `python -m tools.picture`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from wakegraph.demo import decisions

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "chain.svg"
END = "PEP 566"
LINKS = ("caused_by", "depends_on")

BOX, HEIGHT, COLUMN, ROW, LEFT, TOP = 168, 88, 208, 96, 24, 86
WIDTH, BOTTOM = 2 * LEFT + 4 * COLUMN + BOX, 382
COLOURS = {"root": "#009e73", "link": "#3b9ad6", "branch": "#e69f00", "leaf": "#c2589a", "isolated": "#9aa1a8"}
STYLE = """
    text { font-family: system-ui, sans-serif; font-size: 13px; fill: #1c2024 }
    .id { font-weight: 600 } .soft { fill: #5b6570; font-size: 12px }
    path { fill: none; stroke: #3c4650; stroke-width: 2; marker-end: url(#tip) }
    .further { stroke-width: 1.2 } .needs { stroke-dasharray: 5 4; stroke-width: 1.2 }
"""


@dataclass(frozen=True)
class Box:
    """A snapshot and where it stands: its left upper corner."""

    decision: dict[str, Any]
    role: str
    x: float
    y: float


def svg() -> str:
    """The picture: what led to a decision, root first, and what that depends on."""
    known = {decision["id"]: decision | {key: _ids(decision[key]) for key in LINKS} for decision in decisions()}
    chain = [known[END]]
    while len(chain) < 5 and (causes := chain[0]["caused_by"]):
        chain.insert(0, max((known[cause] for cause in causes), key=lambda cause: cause["created_at"]))
    boxes = {
        decision["id"]: Box(decision, _role(decision, known), LEFT + column * COLUMN, TOP)
        for column, decision in enumerate(chain)
    }
    needed = [known[name] for decision in chain for name in decision["depends_on"]]
    for column, decision in enumerate(sorted(needed, key=lambda one: one["created_at"]), start=5 - len(needed)):
        boxes[decision["id"]] = Box(decision, _role(decision, known), LEFT + column * COLUMN, TOP + HEIGHT + ROW)
    parts = [*_links(boxes), *(line for box in boxes.values() for line in _box(box)), *_legend()]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {BOTTOM}" role="img" '
        f'aria-label="The causal chain of {END}, and what it depends on">\n<style>{STYLE}</style>\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#3c4650;stroke:none"/></marker></defs>\n'
        f'<rect width="{WIDTH}" height="{BOTTOM}" rx="12" fill="#fbfbfa"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _ids(links: list[Any]) -> list[str]:
    return [link if isinstance(link, str) else link["id"] for link in links]


def _role(decision: dict[str, Any], known: dict[str, Any]) -> str:
    effects = sum(decision["id"] in other["caused_by"] for other in known.values())
    if not decision["caused_by"]:
        return "root" if effects else "isolated"
    return ("leaf", "link", "branch")[min(effects, 2)]


def _links(boxes: dict[str, Box]) -> Iterator[str]:
    for box in boxes.values():
        causes = [boxes[name] for name in box.decision["caused_by"] if name in boxes]
        nearest = max(causes, key=lambda cause: cause.x, default=None)
        for cause in causes:
            kind = "" if cause.decision["id"] == box.decision["caused_by"][0] else "further"
            if cause is nearest:
                yield f'<path class="{kind}" d="M{cause.x + BOX} {cause.y + HEIGHT / 2}H{box.x - 3}"/>'
            else:  # over the boxes in between
                start, end = cause.x + BOX * 0.6, box.x + BOX * 0.4
                yield (
                    f'<path class="{kind}" d="M{start} {cause.y}C{start + 70} {cause.y - 52} {end - 70} {box.y - 52} '
                    f'{end} {box.y - 3}"/>'
                )
        for name in box.decision["depends_on"]:
            other = boxes.get(name)
            if other:
                start, end = box.x + BOX / 2, other.x + BOX / 2
                middle = (box.y + HEIGHT + other.y) / 2
                yield (
                    f'<path class="needs" d="M{start} {box.y + HEIGHT}C{start} {middle} {end} {middle} '
                    f'{end} {other.y - 3}"/>'
                )


def _box(box: Box) -> Iterator[str]:
    yield (
        f'<rect x="{box.x}" y="{box.y}" width="{BOX}" height="{HEIGHT}" rx="8" fill="#ffffff" '
        f'stroke="{COLOURS[box.role]}" stroke-width="2.5"/>'
    )
    yield f'<text class="id" x="{box.x + 12}" y="{box.y + 22}">{escape(box.decision["id"])}</text>'
    yield (
        f'<text class="soft" x="{box.x + BOX - 12}" y="{box.y + 22}" text-anchor="end">'
        f"{box.decision['created_at'][:4]}</text>"
    )
    for number, line in enumerate(textwrap.wrap(box.decision["content"], 21, max_lines=3, placeholder=" …")):
        yield f'<text class="soft" x="{box.x + 12}" y="{box.y + 42 + 15 * number}">{escape(line)}</text>'


def _legend() -> Iterator[str]:
    yield f'<text class="id" x="{LEFT}" y="32">Why does {END} exist?</text>'
    for number, role in enumerate(("root", "link", "branch", "leaf", "isolated")):
        y = BOTTOM - 128 + 20 * number
        yield f'<rect x="{LEFT}" y="{y - 10}" width="12" height="12" rx="3" fill="{COLOURS[role]}"/>'
        yield f'<text class="soft" x="{LEFT + 20}" y="{y}">{role}</text>'
    for number, (kind, text) in enumerate(
        (("", "primary cause"), ("further", "further cause"), ("needs", "depends on"))
    ):
        y = BOTTOM - 132 + 24 * number
        yield f'<path class="{kind}" d="M{LEFT + 100} {y}H{LEFT + 136}"/>'
        yield f'<text class="soft" x="{LEFT + 146}" y="{y + 4}">{text}</text>'


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8")
