"""Parse what `to_mermaid` writes for nasty texts with the real Mermaid. Needs node and npm; run by hand.

`python tools/check_mermaid.py` installs Mermaid into a temporary folder, and ends with 1 when a chart is not understood
or does not hold the nodes and links that it should.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from wakegraph.causality.mermaid import to_mermaid
from wakegraph.causality.models import GraphNode, Subgraph
from wakegraph.models import ActionType, CausalRole, Direction, Edge, LinkType, MemoryTier, Origin

PACKAGES = ("mermaid@11.17.2", "jsdom@26.1.0")

TEXTS = (
    *("plain", "quote \" and ' and `", "[x] (y) {z} <b>bold</b> |pipe|", "end", "click n0 call alert()", "::: class"),
    *(
        "%%{init: {'theme':'dark'}}%%",
        "%% comment",
        "a --> b; subgraph x",
        "#quot; #35; &amp; &#39;",
        "@{ shape: circle }",
    ),
    *("🦊 emoji 日本語 العربية", "\u202ertl\u202c", "back\\slash \\n", "line\nbreak\ttab", "style n0 fill:#f00", "```"),
    *("`markdown **bold**`", "---\ntitle: x\n---", "", "   ", "fa:fa-car icon", "$$x^2$$", '"]\nn0-->n9["x', "a" * 500),
    *("<script>alert(1)</script>", "o--o x--x", "1. list", "- list", "\x00\x07ctl", "\ud7ff\ufffd", "e\u0301"),
)

SCRIPT = """
import { JSDOM } from "jsdom";
const { window } = new JSDOM("<!doctype html><body></body>");
Object.assign(globalThis, { window, document: window.document });
for (const name of ["Element", "HTMLElement", "SVGElement", "Node", "DOMParser", "NodeFilter", "DocumentFragment",
  "HTMLTemplateElement"]) globalThis[name] = window[name];
const { default: mermaid } = await import("mermaid");
mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
let input = "";
for await (const chunk of process.stdin) input += chunk;
const found = [];
for (const chart of JSON.parse(input)) {
  try {
    await mermaid.parse(chart);
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(chart);
    found.push({ nodes: db.getVertices().size, links: db.getEdges().length });
  } catch (error) {
    found.push({ error: String(error.message) });
  }
}
console.log(JSON.stringify(found));
"""


def chart(text: str) -> str:
    """Two snapshots with the text as title and id, linked in every way, one leading elsewhere."""
    nodes = [
        GraphNode(
            id=f"{text}{number}",
            project="p",
            distance=number,
            title=text,
            summary=text,
            action_type=ActionType.DECISION,
            causal_role=role,
            memory_tier=MemoryTier.ACTIVE,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
            leads_elsewhere=number == 0,
        )
        for number, role in enumerate((CausalRole.BRANCH, CausalRole.LEAF))
    ]
    kinds = ((LinkType.CAUSED_BY, True), (LinkType.CAUSED_BY, False), (LinkType.DEPENDS_ON, None))
    edges = [
        Edge(
            type=kind,
            source=nodes[1].id,
            source_project="p",
            target=nodes[0].id,
            target_project="p",
            origin=origin,
            primary=primary,
        )
        for kind, primary in kinds
        for origin in Origin
    ]
    return to_mermaid(
        Subgraph(
            id=nodes[0].id,
            project="p",
            direction=Direction.CAUSES,
            include_detected=True,
            nodes=nodes,
            edges=edges,
            truncated=False,
            total=2,
        )
    )


def main() -> int:
    """Check all texts."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        print(f"this check needs {' and '.join(missing)} on the path", file=sys.stderr)
        return 2
    wanted = {"nodes": 3, "links": 3 * len(Origin) + 1}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "package.json").write_text('{"private": true, "type": "module"}', encoding="utf-8")
        (folder / "check.js").write_text(SCRIPT, encoding="utf-8")
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True)
        charts = json.dumps([chart(text) for text in TEXTS])
        ran = subprocess.run(["node", "check.js"], cwd=folder, input=charts, capture_output=True, text=True, check=True)
    bad = [(text, found) for text, found in zip(TEXTS, json.loads(ran.stdout), strict=True) if found != wanted]
    for text, found in bad:
        print(f"{text!r}: {found}")
    print(f"{len(TEXTS) - len(bad)} of {len(TEXTS)} charts understood by {PACKAGES[0]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
