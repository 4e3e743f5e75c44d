"""Snapshots as a W3C PROV document: what came out of which action, whose it was, and what it came from.

| wakegraph | PROV |
| --- | --- |
| snapshot | entity `snapshot:PROJECT/ID` |
| the act of making it | activity `action:PROJECT/ID`, at `created_at`; `wasGeneratedBy` |
| author | agent `author:NAME`; `wasAttributedTo`, `wasAssociatedWith` |
| `CAUSED_BY` | `wasDerivedFrom` between entities, `wasInformedBy` between activities |
| `SUPERSEDES` | `wasDerivedFrom` with `prov:type='prov:Revision'`, PROV's `wasRevisionOf` |
| `DEPENDS_ON` | `wasInfluencedBy`: the weakest relation of PROV, since dependencies may form a ring |

Names are percent-encoded, so that any project, id and author makes a valid name that can be turned back. Contents are
not part of a provenance document. A detected dependency is a guess and is left out unless it is asked for; every link
carries its origin.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, BinaryIO, Final
from urllib.parse import quote, unquote

from wakegraph.models import AuthorType, LinkType, Origin

__all__ = ["ProvFormat", "Provenance", "decode_name", "encode_name"]

# What may neither begin nor end the local part of a name in PROV-N, though URLs leave it as it is.
_EDGES: Final = re.compile(r"^[-.]|[.]$")
_PREFIXES: Final = ("wakegraph", "snapshot", "action", "author")
_ATTRIBUTES: Final = ("project", "id", "session", "source", "rationale")


class ProvFormat(StrEnum):
    """The notations of PROV that can be written."""

    JSON = "json"
    PROVN = "provn"


def encode_name(*parts: str) -> str:
    """The local part of a qualified name: percent-encoded parts, joined by slashes."""
    local = "/".join(quote(part, safe="") for part in parts)
    return _EDGES.sub(lambda match: f"%{ord(match[0]):02X}", local)


def decode_name(local: str) -> tuple[str, ...]:
    """The parts that `encode_name` was given."""
    return tuple(unquote(part) for part in local.split("/"))


class Provenance:
    """A PROV document in the making, held in memory until it is written.

    Args:
        include_detected: take in detected dependencies too.

    Attributes:
        snapshots: entities so far.
        links: links so far; one is one or two relations of PROV.
        detected_left_out: detected dependencies that were left out.
        hidden: links that the caller may not follow.
        authors: names of agents so far.
    """

    def __init__(self, *, include_detected: bool) -> None:
        # The library takes 0.2 s to load, which no other command should pay.
        from prov.model import PROV, ProvDocument

        self._prov = PROV
        self._document = ProvDocument()
        self._names = {prefix: self._document.add_namespace(prefix, f"urn:wakegraph:{prefix}:") for prefix in _PREFIXES}
        self._include_detected = include_detected
        self.snapshots = self.links = self.detected_left_out = self.hidden = 0
        self.authors: dict[str, set[str]] = {}

    def extend(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take in rows of `interchange/provenance_page`."""
        for row in rows:
            self.add(row)

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in a row of `interchange/provenance_page`."""
        node = row["node"]
        key = (node["project"], node["id"])
        entity, action = self._name("snapshot", *key), self._name("action", *key)
        created = node["created_at"]
        facts = [(self._name("wakegraph", name), node[name]) for name in _ATTRIBUTES if node[name] is not None]
        self._document.entity(
            entity,
            [
                (self._prov["label"], node["title"]),
                *facts,
                (self._name("wakegraph", "role"), node["causal_role"]),
                *((self._name("wakegraph", "tag"), tag) for tag in node["tags"]),
                *((self._name("wakegraph", "about"), reference) for reference in row["about"]),
            ],
        )
        kind = self._name("wakegraph", node["action_type"])
        self._document.activity(action, created, created, [(self._prov["type"], kind)])
        self._document.wasGeneratedBy(entity, action, created)
        if node["author"] is not None:
            self._attribute(node, entity, action)
        self._link(row, entity, action)
        self.snapshots += 1
        self.hidden += row["hidden"]

    def _attribute(self, node: Mapping[str, Any], entity: Any, action: Any) -> None:
        agent = self._name("author", node["author"])
        types = self.authors.setdefault(node["author"], set())
        if node["author_type"] is not None:
            types.add(node["author_type"])
        self._document.wasAssociatedWith(action, agent)
        self._document.wasAttributedTo(entity, agent)

    def _link(self, row: Mapping[str, Any], entity: Any, action: Any) -> None:
        for link in row["caused_by"]:
            attributes = self._attributes(LinkType.CAUSED_BY, link)
            end = (link["project"], link["id"])
            self._document.wasDerivedFrom(entity, self._name("snapshot", *end), other_attributes=attributes)
            self._document.wasInformedBy(action, self._name("action", *end))
        for link in row["supersedes"]:
            attributes = self._attributes(LinkType.SUPERSEDES, link)
            end = self._name("snapshot", link["project"], link["id"])
            self._document.wasRevisionOf(entity, end, other_attributes=attributes)
        for link in row["depends_on"]:
            if link["origin"] == Origin.DETECTED and not self._include_detected:
                self.detected_left_out += 1
                continue
            attributes = self._attributes(LinkType.DEPENDS_ON, link)
            end = self._name("snapshot", link["project"], link["id"])
            self._document.wasInfluencedBy(entity, end, other_attributes=attributes)
            self.links += 1
        self.links += len(row["caused_by"]) + len(row["supersedes"])

    def _attributes(self, kind: LinkType, link: Mapping[str, Any]) -> list[tuple[Any, Any]]:
        facts = {"link": kind.value} | {
            name: link[name] for name in ("origin", "primary", "rationale") if link.get(name) is not None
        }
        return [(self._name("wakegraph", name), value) for name, value in facts.items()]

    def write(self, stream: BinaryIO, form: ProvFormat) -> None:
        """Write the document; the same rows always give the same bytes."""
        for author, types in sorted(self.authors.items()):
            kinds = {self._prov["Person" if kind == AuthorType.HUMAN else "SoftwareAgent"] for kind in types}
            self._document.agent(
                self._name("author", author),
                [
                    (self._prov["label"], author),
                    *((self._prov["type"], kind) for kind in sorted(kinds, key=str)),
                    *((self._name("wakegraph", "author_type"), kind) for kind in sorted(types)),
                ],
            )
        self._document.serialize(stream, format=form.value)
        stream.write(b"\n")

    def _name(self, prefix: str, *parts: str) -> Any:
        namespace = self._names[prefix]
        return namespace[encode_name(*parts)]
