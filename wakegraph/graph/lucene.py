"""Queries of the full-text index `snapshot_text`. Pure: whatever the text, the query is valid.

Words only ever appear inside double quotes, where nothing but the quote and the backslash means anything to the query
parser: no operator, wildcard, field or range can come from the text. The analyser takes a quoted word apart as it took
the stored text apart, so `causality/rules.py` finds what holds `causality`, `rules.py` one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "TERM_LIMIT",
    "Term",
    "UserQuery",
    "any_of",
    "in_projects",
    "quoted",
    "salient_words",
    "user_query",
    "words",
]

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_](?:[\w./:@-]*\w)?")
_NAME = re.compile(r"[\d_./:@-]")
_LONGEST = 100  # a longer "word" is data, not language

TERM_LIMIT = 64
"""Most words and phrases of a user's query; the index refuses queries of more than about 170."""
_PROJECT_LIMIT = 50
_PHRASE = re.compile(r'"([^"]*)"')
# What the analyser keeps of a text: letters, digits, emoji.
_KEPT = re.compile("[^\\W_]|[\u2190-\u2bff\U0001f000-\U0001faff]")
# A token of the analyser, near enough: words joined by a dot, an apostrophe, a colon or an underscore are one.
_RUN = re.compile(r"\w+(?:[.':\u2019]\w+)*")
# Scripts without spaces: each character, or a run of the analyser's own choice, is a token, so no prefix can be told.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u309f\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_SPECIAL = re.compile(r"([^\w])")


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

    How rare a word is in the index is not known here; length stands for it, since a word that every snapshot holds
    makes a query as slow as the index is large. Short words are left out, unless in scripts without spaces.
    """
    named = {word: _NAME.search(word) is not None for word in words(text)}
    chosen = [word for word, name in named.items() if len(word) >= (4 if name else 5) or not word.isascii()]
    return sorted(chosen, key=lambda word: (not named[word], -len(word), word.casefold()))[:limit]


def any_of(terms: list[str]) -> str:
    """A query for what holds at least one of the terms; empty when there is none."""
    return " ".join(quoted(term) for term in terms)


def in_projects(query: str, projects: Sequence[str] | None) -> str:
    """Narrow a query to snapshots whose project looks like one of some, without touching the ranking.

    The index takes names apart, so the statement must still compare the project itself. None or more than 50 projects
    do not narrow it.
    """
    if projects is None or not query or not 0 < len(projects) <= _PROJECT_LIMIT:
        return query
    names = " ".join(f"project:{quoted(project)}" for project in projects)
    return f"+({names})^0 +({query})"


@dataclass(frozen=True, slots=True)
class Term:
    """A word, a phrase or the beginning of a word that a user searches for.

    Attributes:
        text: as given, without quotes and star.
        required: a quoted phrase, which every hit holds.
        prefix: its last word stands for every word that begins so.
    """

    text: str
    required: bool = False
    prefix: bool = False

    @property
    def runs(self) -> list[str]:
        """Its words, as the analyser takes it apart, near enough."""
        return _RUN.findall(self.text)

    @property
    def lucene(self) -> str:
        """The term as a part of a query."""
        if self.prefix:
            *before, last = self.runs
            start = _SPECIAL.sub(r"\\\1", last.lower()) + "*"
            return f"(+{quoted(' '.join(before))} +{start})" if before else start
        return f"+{quoted(self.text)}" if self.required else quoted(self.text)


@dataclass(frozen=True, slots=True)
class UserQuery:
    """What a user searches for.

    Attributes:
        terms: each once, in the order given, at most `TERM_LIMIT`.
        ignored: how many more terms there were.
    """

    terms: tuple[Term, ...]
    ignored: int = 0

    @property
    def lucene(self) -> str:
        """The query; empty when there is nothing to search for."""
        return " ".join(term.lucene for term in self.terms)


def user_query(text: str) -> UserQuery:
    """Read what a user typed: any of the words, all phrases in double quotes, `word*` for what begins so.

    Everything else is literal: no other operator exists, and what the index does not keep (punctuation) is left out. A
    quote without its partner is nothing. A star is honoured at the end of a word of a script with spaces.
    """
    found: dict[tuple[str, bool, bool], Term] = {}
    for position, part in enumerate(_PHRASE.split(text)):
        pieces = [part] if position % 2 else part.replace('"', " ").split()
        for piece in pieces:
            if _KEPT.search(piece):
                term = _term(piece, phrase=position % 2 == 1)
                found.setdefault((term.text.casefold(), term.required, term.prefix), term)
    terms = list(found.values())
    return UserQuery(tuple(terms[:TERM_LIMIT]), max(0, len(terms) - TERM_LIMIT))


def _term(piece: str, *, phrase: bool) -> Term:
    bare = piece.rstrip("*")
    prefix = not phrase and bare != piece and bare[-1:].isalnum() and not _UNSPACED.search(bare[-1:])
    return Term(bare if prefix else piece, phrase, prefix)
