"""Queries of the full-text index `snapshot_text`. Pure: whatever the text, the query is valid.

Words only ever appear inside double quotes, where nothing but the quote and the backslash means anything to the query
parser: no operator, wildcard, field or range can come from the text. The analyser takes a quoted word apart as it took
the stored text apart, so `causality/rules.py` finds what holds `causality`, `rules.py` one after the other.
"""

from __future__ import annotations

import re

__all__ = ["any_of", "in_project", "quoted", "salient_words", "words"]

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_](?:[\w./:@-]*\w)?")
_LONGEST = 100  # a longer "word" is data, not language


def quoted(text: str) -> str:
    """The text as a phrase: its words, one after the other."""
    plain = _SPACE.sub(" ", text.replace("\x00", " ")).strip()
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def words(text: str) -> list[str]:
    """The words of a text that the index may know, each once (upper and lower case are the same), in order."""
    found = {word.casefold(): word for word in _WORD.findall(text) if len(word) <= _LONGEST}
    return list(found.values())


def salient_words(text: str, limit: int) -> list[str]:
    """The words that probably tell most: names and numbers (`queue.py`, `PEP-484`) first, then long ones.

    How rare a word is in the index is not known here; length stands for it. Words of fewer than 4 characters are left
    out, unless in scripts that do not put spaces between words.
    """
    chosen = [word for word in words(text) if len(word) >= 4 or not word.isascii()]
    special = re.compile(r"[\d_./:@-]")
    return sorted(chosen, key=lambda word: (special.search(word) is None, -len(word), word.casefold()))[:limit]


def any_of(terms: list[str]) -> str:
    """A query for what holds at least one of the terms; empty when there is none."""
    return " ".join(quoted(term) for term in terms)


def in_project(query: str, project: str) -> str:
    """Narrow a query to the snapshots whose project looks like `project`, without touching the ranking.

    The index takes names apart, so the statement must still compare the project itself.
    """
    return f"+project:{quoted(project)}^0 +({query})" if query else ""
