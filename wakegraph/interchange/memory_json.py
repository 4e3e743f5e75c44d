"""The file of the MCP memory server: entities with observations, and relations between them, one JSON object a line.

An entity becomes a snapshot, named after it, with its observations as content and its type as tag. A relation is a link
only when its type says so (`RELATION_TYPES`); of any other the entity it leads to is kept as something the first one is
about. Every relation is kept as it is in the metadata of the entity it starts at, under the key `memory`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from wakegraph.errors import InvalidInputError
from wakegraph.interchange.jsonl import Lines, ReadError
from wakegraph.interchange.models import Problem
from wakegraph.interchange.records import LINK_KEYS, Reader, Record, json_object
from wakegraph.models import ActionType, LinkType
from wakegraph.snapshots import rules

__all__ = ["RELATION_TYPES", "Meaning", "MemoryFile", "snapshot_id"]

_ACTIONS: Final = frozenset(ActionType)
_METADATA_KEY: Final = "memory"
_KEY_OF: Final = {kind: key for key, kind in LINK_KEYS.items()}
_UNSAFE: Final = re.compile(r"::+|[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ID_LENGTH: Final = 180
_WORD_BORDER: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s\-]+")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a type of relation says.

    Attributes:
        type: the link.
        forward: whether the link leads the way of the relation: from the effect to its cause, from what needs to what
            is needed, from the newer to the older.
    """

    type: LinkType
    forward: bool


_FORWARD: Final = {
    LinkType.CAUSED_BY: "caused_by because_of due_to results_from resulted_from triggered_by motivated_by derived_from",
    LinkType.DEPENDS_ON: "depends_on dependent_on requires needs relies_on blocked_by",
    LinkType.SUPERSEDES: "supersedes replaces obsoletes",
}
_BACKWARD: Final = {
    LinkType.CAUSED_BY: "causes caused leads_to led_to results_in resulted_in triggers triggered motivates motivated",
    LinkType.DEPENDS_ON: "required_by needed_by blocks prerequisite_of",
    LinkType.SUPERSEDES: "superseded_by replaced_by obsoleted_by",
}
RELATION_TYPES: Final = {
    name: Meaning(kind, forward)
    for names, forward in ((_FORWARD, True), (_BACKWARD, False))
    for kind, words in names.items()
    for name in words.split()
}
"""The types of relations that are links, written in snake_case; `is_`, `was_` and `are_` before them change nothing."""


def _meaning(relation_type: str) -> Meaning | None:
    words = _WORD_BORDER.sub("_", relation_type.strip()).lower()
    return RELATION_TYPES.get(re.sub(r"^(is|was|are|were)_", "", words))


def snapshot_id(name: str) -> str:
    """The id of an entity's snapshot: its name, or what can be kept of it and a digest, when it cannot be an id."""
    try:
        return rules.check_id(name)
    except InvalidInputError:
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"{_UNSAFE.sub('-', name)[:_ID_LENGTH].strip()}~{digest}"


@dataclass(frozen=True, slots=True)
class _Entity:
    line: int
    name: str
    type: str
    observations: list[str]
    more: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Relation:
    line: int
    start: str
    end: str
    type: str
    facts: dict[str, Any]


@dataclass(slots=True)
class MemoryFile:
    """What a file holds, read as a whole: the memory server itself keeps all of it in memory.

    Attributes:
        notes: what was taken over otherwise than one may expect.
        read: entities and relations.
    """

    notes: list[str] = field(default_factory=list)
    read: int = 0
    _entities: list[_Entity] = field(default_factory=list)
    _relations: list[_Relation] = field(default_factory=list)
    _problems: list[Problem] = field(default_factory=list)

    @classmethod
    def load(cls, lines: Lines) -> MemoryFile:
        """Read a file.

        Raises:
            InvalidInputError: nothing in it looks like a line of the memory server.
        """
        memory = cls()
        try:
            for number, raw in lines:
                try:
                    memory._take(number, json_object(raw))
                except InvalidInputError as error:
                    memory._problems.append(Problem(line=number, text=str(error)))
        except ReadError as error:
            memory._problems.append(Problem(line=error.line, text=str(error).partition(": ")[2]))
        if memory._problems and not memory.read:
            raise InvalidInputError(
                "the file holds no line of the MCP memory server, such as "
                '{"type": "entity", "name": ..., "entityType": ..., "observations": [...]}: '
                f"{memory._problems[0]}"
            )
        memory._note()
        return memory

    def _take(self, line: int, value: dict[str, Any]) -> None:
        kind = value.get("type")
        facts = {key: item for key, item in value.items() if key != "type"}
        if kind == "entity":
            name, entity_type = _text("name", facts), _text("entityType", facts)
            observations = facts.pop("observations", None)
            if not isinstance(observations, list) or not all(isinstance(item, str) for item in observations):
                raise InvalidInputError(f"observations must be a list of texts, not {observations!r:.80}")
            more = {key: item for key, item in facts.items() if key not in {"name", "entityType"}}
            self._entities.append(_Entity(line, name, entity_type, observations, more))
        elif kind == "relation":
            start, end, relation_type = (_text(key, facts) for key in ("from", "to", "relationType"))
            self._relations.append(_Relation(line, start, end, relation_type, facts))
        else:
            raise InvalidInputError(f"type must be 'entity' or 'relation', not {kind!r:.80}")
        self.read += 1

    def _note(self) -> None:
        for entity in self._entities:
            if snapshot_id(entity.name) != entity.name:
                self.notes.append(
                    f"line {entity.line}: {entity.name!r:.80} cannot be an id: {snapshot_id(entity.name)}"
                )
        kept = Counter(relation.type for relation in self._relations if _meaning(relation.type) is None)
        self.notes += [
            f"relation type {name!r:.80} says nothing of causes: its {count:,} relations are kept as what an entity is "
            "about"
            for name, count in sorted(kept.items())
        ]
        for relation in self._relations:
            if relation.start == relation.end and _meaning(relation.type):
                self.notes.append(
                    f"line {relation.line}: {relation.start!r:.80} {relation.type} itself: kept in its metadata only"
                )

    def records(self, reader: Reader) -> Iterator[Record | Problem]:
        """The snapshots, in the order of the file, and what is wrong.

        Args:
            reader: takes the snapshots in, and knows their project.
        """
        yield from self._problems
        known: set[str] = set()
        starting: dict[str, list[_Relation]] = defaultdict(list)
        ending: dict[str, list[_Relation]] = defaultdict(list)
        names = {entity.name for entity in self._entities}
        for relation in self._relations:
            missing = _missing(relation, names)
            if missing is not None:
                yield Problem(
                    line=relation.line, text=f"a relation names the entity {missing!r:.80}, which is not there"
                )
            starting[relation.start].append(relation)
            ending[relation.end].append(relation)
        for entity in self._entities:
            # A repeated entity stands for itself alone: relations go to the first one of the name.
            first = entity.name not in known
            known.add(entity.name)
            value = _snapshot(entity, starting[entity.name] if first else [], ending[entity.name] if first else [])
            try:
                yield reader.snapshot(entity.line, value)
            except InvalidInputError as error:
                yield Problem(line=entity.line, text=str(error))


def _missing(relation: _Relation, names: set[str]) -> str | None:
    """The entity that a relation needs and the file lacks: a link back to it has nowhere to start."""
    if relation.start not in names:
        return relation.start
    meaning = _meaning(relation.type)
    if meaning is not None and not meaning.forward and relation.end not in names:
        return relation.end
    return None


def _text(key: str, facts: Mapping[str, Any]) -> str:
    value = facts.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(f"{key} must be a text that is not empty, not {value!r:.80}")
    return value


def _snapshot(entity: _Entity, starting: list[_Relation], ending: list[_Relation]) -> dict[str, Any]:
    content = "\n".join(entity.observations)
    memory: dict[str, Any] = {"name": entity.name, "entityType": entity.type, **entity.more}
    if entity.observations and (not content.strip() or content.split("\n") != entity.observations):
        memory["observations"] = entity.observations  # the content does not tell where one ends
    if starting:
        memory["relations"] = [
            {key: item for key, item in relation.facts.items() if key != "from"} for relation in starting
        ]
    value: dict[str, Any] = {
        "id": snapshot_id(entity.name),
        "content": content if content.strip() else entity.name,
        "summary": rules.summarise(f"{entity.name} ({entity.type})" + (f": {content}" if content.strip() else "")),
        "tags": [entity.type] if len(entity.type) <= rules.NAME_LIMIT else [],
        "action_type": entity.type.lower() if entity.type.lower() in _ACTIONS else None,
        "metadata": {_METADATA_KEY: memory},
        "about": [relation.end for relation in starting if _meaning(relation.type) is None],
    }
    for relation, other, forward in (
        *((relation, relation.end, True) for relation in starting),
        *((relation, relation.start, False) for relation in ending),
    ):
        meaning = _meaning(relation.type)
        if meaning is not None and meaning.forward == forward and relation.start != relation.end:
            value.setdefault(_KEY_OF[meaning.type], []).append(snapshot_id(other))
    return value
