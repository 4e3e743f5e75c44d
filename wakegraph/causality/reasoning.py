"""The answer to "why does this exist?" in words. Pure and deterministic: the same facts give the same text.

What people or agents wrote is quoted on one line and attributed; a guess is called one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from wakegraph.causality.models import Reasoning, ReasoningLink, ReasoningRoot
from wakegraph.models import ActionType, CausalRole, LinkType, Origin, SnapshotRef

__all__ = ["quote", "reasoning_text"]

_QUOTED = 400
_ORIGINS = {
    Origin.STATED: "stated",
    Origin.IMPORTED: "imported",
    Origin.INFERRED: "inferred by an importer, not stated",
    Origin.DETECTED: "detected, not stated: it was only saved soon before",
}
_ACTIONS = {
    ActionType.CONVERSATION: "conversation",
    ActionType.DECISION: "decision",
    ActionType.FILE_EDIT: "file edit",
    ActionType.TOOL_USE: "tool use",
    ActionType.RESEARCH: "research",
}


def quote(text: str, limit: int = _QUOTED) -> str:
    """A text in double quotes on one line, control characters escaped, cut at `limit` characters."""
    line = " ".join(text.split())
    short = line if len(line) <= limit else f"{line[: limit - 3].rstrip()}..."
    return json.dumps(short, ensure_ascii=False)


def reasoning_text(reasoning: Reasoning) -> str:
    """Say why a snapshot exists, in a few lines, from the other fields of a `Reasoning`."""
    action, author, day = _ACTIONS[reasoning.action_type], reasoning.author, _day(reasoning.created_at)
    named = f"{reasoning.id} (project {reasoning.project})"
    lines = [f"{named} is {_article(action)} {_by(author)} of {day}: {quote(reasoning.title)}."]
    if reasoning.superseded_by:
        lines.append(f"It was superseded by {_names(reasoning.superseded_by)}.")
    if reasoning.supersedes:
        lines.append(f"It supersedes {_names(reasoning.supersedes)}.")
    lines.append(_rationale("Rationale", author, reasoning.rationale))
    lines += _causes(reasoning.causes, reasoning.role, reasoning.leads_elsewhere)
    lines += [_link(link) for link in reasoning.dependencies]
    if reasoning.root is not None and reasoning.chain_length > 2:
        lines.append(_root(reasoning.root, reasoning.chain_length))
    if reasoning.left_out:
        lines.append(f"{reasoning.left_out} more causes and dependencies are not listed here.")
    return "\n".join(lines)


def _causes(causes: Sequence[ReasoningLink], role: CausalRole, leads_elsewhere: bool) -> Iterable[str]:
    if causes:
        yield from (_link(link) for link in causes)
    elif leads_elsewhere:
        yield "No cause of it can be shown here."
    elif role is CausalRole.ROOT:
        yield "It has no recorded cause: what follows from it begins here."
    else:
        yield "It has no recorded cause."
    if leads_elsewhere:
        yield "Something that led to it is in a project that is not shown here."


def _link(link: ReasoningLink) -> str:
    kind = "Depends on"
    if link.type is LinkType.CAUSED_BY:
        kind = "Caused by" if link.primary else "Also caused by"
    text = (
        f"{kind} {link.id} (project {link.project}; {_ORIGINS[link.origin]}), {_article(_ACTIONS[link.action_type])} "
    )
    text += f"{_by(link.author)} of {_day(link.created_at)}: {quote(link.title)}."
    if link.rationale:
        text += f" The link was made because: {quote(link.rationale)}."
    if link.own_rationale:
        text += f" {_rationale('Its rationale', link.author, link.own_rationale)}"
    if link.superseded_by:
        text += f" It was superseded by {_names(link.superseded_by)}."
    return text


def _root(root: ReasoningRoot, chain_length: int) -> str:
    text = (
        f"The chain of primary causes has {chain_length} snapshots and begins with {root.id} (project {root.project}), "
        f"{_article(_ACTIONS[root.action_type])} {_by(root.author)} of {_day(root.created_at)}: "
        f"{quote(root.title or '')}."
    )
    if root.own_rationale:
        text += f" {_rationale('Its rationale', root.author, root.own_rationale)}"
    if root.superseded_by:
        text += f" It was superseded by {_names(root.superseded_by)}."
    return text


def _rationale(what: str, author: str | None, rationale: str | None) -> str:
    if not rationale:
        return f"{what}: none was recorded."
    return f"{what}, in the words of {_writer(author)}: {quote(rationale)}."


def _by(author: str | None) -> str:
    return f"by {_writer(author)}"


def _writer(author: str | None) -> str:
    return quote(author, 80) if author else "an unknown author"


def _article(noun: str) -> str:
    return noun if noun == "research" else f"a {noun}"


def _day(moment: datetime) -> str:
    return moment.date().isoformat()


def _names(refs: Sequence[SnapshotRef]) -> str:
    return ", ".join(f"{ref.id} (project {ref.project}): {quote(ref.title or '', 80)}" for ref in refs)
