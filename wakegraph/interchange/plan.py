"""A whole import as numbers: which snapshots, which links, in what order. Pure.

Texts stay in the source and are read a second time for writing; what is kept for each snapshot is its name, a digest of
its content and where it stands, for each link two numbers and what it says beyond the default.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Final

from wakegraph.causality.rules import role_of
from wakegraph.interchange.models import Problem
from wakegraph.interchange.records import LINK_KEYS, Record
from wakegraph.models import CausalRole, LinkType, Origin
from wakegraph.snapshots.naming import Key, shown_way

__all__ = ["ACYCLIC", "Attributes", "Plan", "content_digest", "ordered", "references_hash"]

ACYCLIC: Final = (LinkType.CAUSED_BY, LinkType.SUPERSEDES)
_MISSING, _THERE, _OUT = range(3)  # states of a link: to be made, made before, not to be made
_STORED: Final = -1  # stands for the position of a link that is only in the database
_SHOWN: Final = 8
_KEY_OF: Final = {kind: key for key, kind in LINK_KEYS.items()}


def content_digest(content: str) -> bytes:
    """16 bytes that stand for a text when only equality matters."""
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def references_hash(about: Iterable[str]) -> int:
    """Tells whether two sets of references are the same, within one process."""
    return hash(frozenset(about))


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a link says of itself."""

    origin: Origin = Origin.IMPORTED
    rationale: str | None = None
    recorded_at: datetime | None = None
    gap_seconds: float | None = None


_DEFAULT = Attributes()


@dataclass(slots=True)
class _Links:
    """Links of one type, in the order of the source: columns, and attributes where they are not the default."""

    source: array[int] = field(default_factory=lambda: array("q"))
    target: array[int] = field(default_factory=lambda: array("q"))
    state: bytearray = field(default_factory=bytearray)
    attributes: dict[int, Attributes] = field(default_factory=dict)


class Plan:
    """The snapshots and links of an import.

    Every snapshot that is named anywhere has a number; `names[number]` is its project and id.

    Args:
        visible: the projects that messages may show, or None for all.

    Attributes:
        names: project and id by number.
        line: where a snapshot stands in the source; 0 for one that is only named by links.
        stored: 1 for snapshots that are in the database already.
        problems: what is wrong so far.
        duplicates: lines that repeat an earlier one.
        assumed_utc: lines with a time without offset, which was taken as UTC.
    """

    def __init__(self, visible: list[str] | None = None) -> None:
        self._visible = visible
        self.names: list[tuple[str, str]] = []
        self.line = array("q")
        self.stored = bytearray()
        self.problems: list[Problem] = []
        self.duplicates = 0
        self.assumed_utc = array("q")
        self.read = 0
        self._numbers: dict[str, dict[str, int]] = defaultdict(dict)
        self._digests: dict[int, bytes] = {}
        self._references: dict[int, int] = {}
        self._left_out: dict[int, int] = {}
        self._links = {kind: _Links() for kind in LinkType}

    def number(self, project: str, identifier: str) -> int:
        """The number of a snapshot, a new one when it was not named before."""
        numbers = self._numbers[project]
        found = numbers.get(identifier)
        if found is None:
            found = numbers[identifier] = len(self.names)
            self.names.append((project, identifier))
            self.line.append(0)
            self.stored.append(0)
        return found

    def add(self, record: Record) -> None:
        """Take in a record; one that contradicts an earlier one becomes a problem."""
        if record.assumed_utc:
            self.assumed_utc.append(record.line)
        number = self.number(record.project, record.id)
        digest = content_digest(record.properties["content"])
        if self.line[number]:
            if self._digests[number] != digest:
                self.problem(
                    record.line,
                    f"id {record.id!r} stands in line {self.line[number]} with other content: give it an id of its own",
                )
                return
            self.duplicates += 1
        else:
            self.line[number] = record.line
            self._digests[number] = digest
            if record.about:
                self._references[number] = references_hash(record.about)
        for link in record.links:
            links = self._links[link.type]
            attributes = Attributes(link.origin, link.rationale, link.recorded_at, link.gap_seconds)
            if attributes != _DEFAULT:
                links.attributes[len(links.source)] = attributes
            links.source.append(number)
            links.target.append(self.number(link.project, link.id))
            links.state.append(_MISSING)

    def problem(self, line: int, text: str) -> None:
        self.problems.append(Problem(line=line, text=text))

    def defined(self) -> list[int]:
        """Snapshots that the source holds, in its order."""
        return [number for number, line in enumerate(self.line) if line]

    def named_only(self) -> list[int]:
        """Snapshots that links name and the source does not hold."""
        return [number for number, line in enumerate(self.line) if not line]

    def to_create(self, number: int) -> bool:
        return bool(self.line[number]) and not self.stored[number]

    def clashes(self, number: int, content: str) -> bool:
        """Whether the source has other content for a stored snapshot."""
        return self._digests[number] != content_digest(content)

    def refers_elsewhere(self, number: int, about: Iterable[str]) -> bool:
        """Whether the source names other references than those stored."""
        return number in self._references and self._references[number] != references_hash(about)

    def leave_out(self, number: int, text: str) -> None:
        """Take a snapshot and its links out of the plan, because of `text`. Call it before `settle`."""
        self.problem(self.line[number], text)
        self._left_out[number] = self.line[number]
        self.line[number] = 0
        self.stored[number] = 0

    def left_out(self, number: int) -> bool:
        return number in self._left_out

    def settle(self, present: Mapping[LinkType, Mapping[int, frozenset[int]]]) -> None:
        """Sort out the links: those that lead nowhere are left out as problems, those that are stored need no writing.

        Args:
            present: the stored links of stored snapshots: targets by source.
        """
        for kind, links in self._links.items():
            seen: set[tuple[int, int]] = set()
            for position, ends in enumerate(zip(links.source, links.target, strict=True)):
                source, target = ends
                if not self.line[source] or ends in seen:
                    links.state[position] = _OUT
                    continue
                seen.add(ends)
                if not self.line[target] and not self.stored[target]:
                    links.state[position] = _OUT
                    self.problem(self.line[source], f"{_KEY_OF[kind]} names {self._unknown(source, target)}")
                elif target in present[kind].get(source, ()):
                    links.state[position] = _THERE

    def break_cycles(self, kind: LinkType, stored_edges: Iterable[tuple[int, int]]) -> list[int]:
        """Leave out links of a type until what remains, together with stored edges, has no cycle.

        Of each cycle found the link that stands last in the source goes, and becomes a problem.

        Returns:
            All snapshots with such a link, causes before their effects.
        """
        links = self._links[kind]
        while True:
            edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
            for position, (source, target) in enumerate(zip(links.source, links.target, strict=True)):
                if links.state[position] != _OUT:
                    edges[source].append((target, position))
            for source, target in stored_edges:
                edges[source].append((target, _STORED))
            order, cycles = ordered(edges)
            if not cycles:
                return order
            for cycle in cycles:
                self._break(kind, cycle)

    def _break(self, kind: LinkType, cycle: list[tuple[int, int]]) -> None:
        links = self._links[kind]
        positions = [position for _, position in cycle if position != _STORED]
        if any(links.state[position] == _OUT for position in positions):
            return  # another cycle through the same link broke this one too
        worst = max(positions, key=lambda position: (links.state[position] != _THERE, position))
        links.state[worst] = _OUT
        at = next(index for index, (_, position) in enumerate(cycle) if position == worst)
        way = [source for source, _ in cycle[at:] + cycle[:at]]
        shown = self.way(way)
        rest = [] if len(shown) <= _SHOWN else [f"... ({len(shown) - _SHOWN:,} more)"]
        cycle_text = " -> ".join([*shown[:_SHOWN], *rest, shown[0]])
        self.problem(self.line[links.source[worst]], f"{_KEY_OF[kind]} closes a cycle: {cycle_text}")

    def missing(self, kind: LinkType) -> Iterator[tuple[int, int, int]]:
        """Position, source and target of the links of a type that are to be made."""
        links = self._links[kind]
        for position, (source, target) in enumerate(zip(links.source, links.target, strict=True)):
            if links.state[position] == _MISSING:
                yield position, source, target

    def attributes(self, kind: LinkType, position: int) -> Attributes:
        return self._links[kind].attributes.get(position, _DEFAULT)

    def roles(self) -> list[CausalRole]:
        """The causal roles that the plan gives to its snapshots, by number, as if nothing else were linked to them."""
        causes, effects = [0] * len(self.names), [0] * len(self.names)
        links = self._links[LinkType.CAUSED_BY]
        for position, (source, target) in enumerate(zip(links.source, links.target, strict=True)):
            if links.state[position] != _OUT:
                causes[source] += 1
                effects[target] += 1
        return [role_of(cause, effect) for cause, effect in zip(causes, effects, strict=True)]

    def way(self, numbers: Iterable[int]) -> list[str]:
        """The steps of a way through snapshots, as a message may show them."""
        return shown_way((Key(*self.names[number]) for number in numbers), self._visible)

    def _unknown(self, source: int, target: int) -> str:
        name = self._shown(target) if self.names[source][0] != self.names[target][0] else repr(self.names[target][1])
        if target in self._left_out:
            return f"{name}, which is left out itself (line {self._left_out[target]})"
        return f"{name}, which is neither in the source nor stored in project {self.names[target][0]!r}"

    def _shown(self, number: int) -> str:
        return "::".join(self.names[number])


def ordered(
    edges: Mapping[int, list[tuple[int, int]]],
) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """Sort the nodes of a graph so that the target of each edge comes before its source.

    Args:
        edges: source -> (target, label) of each edge.

    Returns:
        The order, and the cycles met on the way as lists of (source, label); with any, the order is not to be used. Not
        every cycle is met, but at least one when there is any.
    """
    order: list[int] = []
    cycles = []
    done: set[int] = set()
    for root in edges:
        if root in done:
            continue
        path: list[tuple[int, int]] = []  # the edges (source, label) down to the current node
        depth = {root: 0}
        stack = [(root, iter(edges[root]))]
        while stack:
            node, targets = stack[-1]
            for target, label in targets:
                if target in done:
                    continue
                if target in depth:
                    cycles.append([*path[depth[target] :], (node, label)])
                    continue
                path.append((node, label))
                depth[target] = len(stack)
                stack.append((target, iter(edges.get(target, ()))))
                break
            else:
                stack.pop()
                del depth[node]
                done.add(node)
                order.append(node)
                if path:
                    path.pop()
    return order, cycles
