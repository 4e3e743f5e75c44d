"""One snapshot on its way in or out, and its line of JSON. Pure: no database, no clock."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NoReturn
from uuid import UUID, uuid5

from wakegraph.errors import InvalidInputError
from wakegraph.graph.times import from_microseconds
from wakegraph.memory.tiers import TierCutoffs, TierThresholds, epoch_ms, tier_cutoffs
from wakegraph.models import ActionType, AuthorType, Caller, LinkType, MemoryTier, Origin, Source
from wakegraph.snapshots import rules

__all__ = ["LINK_KEYS", "Link", "Reader", "Record", "export_line", "json_object", "node_properties"]

LINK_KEYS: Final = {
    "caused_by": LinkType.CAUSED_BY,
    "depends_on": LinkType.DEPENDS_ON,
    "supersedes": LinkType.SUPERSEDES,
}
RECENT_LIMIT: Final = 16

_SCALARS: Final = (
    "content",
    "summary",
    "tags",
    "action_type",
    "rationale",
    "author",
    "author_type",
    "session",
    "source",
)
_ACCESS: Final = ("last_accessed", "access_count", "recent_accesses", "recent_accessors")
_KNOWN: Final = frozenset(("id", "project", "metadata", "created_at", "about", *_SCALARS, *_ACCESS, *LINK_KEYS))
_LINK_FIELDS: Final = frozenset(("id", "rationale", "origin", "recorded_at", "gap_seconds"))
_NAMESPACE: Final = UUID("6f0c2c53-3a4b-5d0e-9d53-6a0f9d1f6a55")
_ACTIONS: Final = frozenset(ActionType)
_SOURCES: Final = frozenset(Source)


@dataclass(frozen=True, slots=True)
class Link:
    """A link that starts at a record.

    Attributes:
        recorded_at: when it was recorded; None for the time of the import.
        gap_seconds: detected dependencies only.
    """

    type: LinkType
    project: str
    id: str
    origin: Origin = Origin.IMPORTED
    rationale: str | None = None
    recorded_at: datetime | None = None
    gap_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A snapshot to import.

    Attributes:
        line: where it stands in its source, from 1.
        created: when it happened, in UTC.
        properties: those of the node, but for its causal role and the times that follow from `created`, from the time
            of the import, and from `last_accessed`.
        assumed_utc: whether `created` came without offset and was taken as UTC.
    """

    line: int
    project: str
    id: str
    created: datetime
    properties: dict[str, Any]
    links: list[Link]
    about: list[str]
    assumed_utc: bool = False


def _no_constant(text: str) -> NoReturn:
    raise InvalidInputError(f"{text} is not a JSON number: write null or a text")


_decode = json.JSONDecoder(parse_constant=_no_constant).decode


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads lines, or the objects that they hold, into records.

    Attributes:
        project: the project of lines that name none.
        caller: whose projects may be named.
        now: the time of the import: the `created_at` of lines that have none.
        tolerance: seconds that a time may be ahead of `now`.
        thresholds: of the memory tiers.
    """

    project: str | None
    caller: Caller
    now: datetime
    tolerance: float
    thresholds: TierThresholds

    def record(self, line: int, raw: bytes) -> Record:
        """Read one line.

        Raises:
            InvalidInputError: it is no snapshot that can be stored; the text says why, without the line number.
        """
        return self.snapshot(line, json_object(raw))

    def snapshot(self, line: int, value: Mapping[str, Any]) -> Record:
        """Take a snapshot given as the object that a line holds.

        Raises:
            InvalidInputError: it is no snapshot that can be stored; the text says why, without the line number.
        """
        project = self._project(value)
        given = rules.check_id(value["id"]) if value.get("id") is not None else None
        content, summary = _texts(value)
        identifier = _derived_id(project, value) if given is None else given
        created, assumed_utc = self.now, False
        if value.get("created_at") is not None:
            created, assumed_utc = rules.check_created_at(value["created_at"], self.now, self.tolerance)
        properties: dict[str, Any] = {
            "content": content,
            "summary": summary,
            "tags": rules.check_names("tags", _list("tags", value)),
            "action_type": _member("action_type", value, ActionType, _ACTIONS, ActionType.CONVERSATION.value),
            "source": _member("source", value, Source, _SOURCES, Source.IMPORT.value),
        }
        if value.get("rationale"):
            properties["rationale"] = rules.check_text("rationale", value["rationale"], rules.RATIONALE_LIMIT)
        for name in ("author", "session"):
            if value.get(name):
                properties[name] = rules.check_name(name, value[name])
        if value.get("author_type"):
            properties["author_type"] = rules.check_enum("author_type", value["author_type"], AuthorType).value
        metadata = _metadata(value)
        if metadata is not None:
            properties["metadata_json"] = metadata
        properties |= self._access(value)
        complete = node_properties(
            project, identifier, properties, created=created, now=self.now, thresholds=self.thresholds
        )
        return Record(
            line,
            project,
            identifier,
            created,
            complete,
            self._links(value, project, identifier),
            _about(value),
            assumed_utc,
        )

    def _project(self, value: Mapping[str, Any]) -> str:
        project = value.get("project") or self.project
        if project is None:
            raise InvalidInputError(
                "project is missing: add it to the line, or give one for the whole file (--project)"
            )
        return self._visible(rules.check_project(project))

    def _visible(self, project: str) -> str:
        if not self.caller.may_see(project):
            raise InvalidInputError(f"there is no project {project!r}")
        return project

    def _time(self, name: str, value: object) -> datetime:
        moment = rules.parse_time(name, value)[0]
        if moment > self.now + timedelta(seconds=self.tolerance):
            raise InvalidInputError(f"{name} {moment.isoformat()} is in the future: correct it or leave it out")
        return moment

    def _access(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """The canonical facts about reads; what is missing is taken from the others."""
        if not any(value.get(name) for name in _ACCESS):
            return {"access_count": 0, "recent_accesses": [], "recent_accessors": []}
        recent = [self._time("recent_accesses", item) for item in _list("recent_accesses", value)]
        if len(recent) > RECENT_LIMIT:
            raise InvalidInputError(f"recent_accesses has {len(recent)} entries; the limit is {RECENT_LIMIT}")
        last = self._time("last_accessed", value["last_accessed"]) if value.get("last_accessed") else None
        if last is None and recent:
            last = max(recent)
        accessors = _list("recent_accessors", value) or [""] * len(recent)
        if len(accessors) != len(recent):
            raise InvalidInputError(
                f"recent_accessors has {len(accessors)} entries and recent_accesses {len(recent)}: they belong together"
            )
        names = [rules.check_text("recent_accessors", item, rules.NAME_LIMIT) for item in accessors]
        count = value.get("access_count")
        if count is None:
            count = max(len(recent), 1 if last else 0)
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < 2**53:
            raise InvalidInputError(f"access_count must be a whole number from 0, not {count!r:.80}")
        if count < len(recent):
            raise InvalidInputError(f"access_count {count} is less than the {len(recent)} recent_accesses")
        found: dict[str, Any] = {"access_count": count, "recent_accesses": recent, "recent_accessors": names}
        return found if last is None else found | {"last_accessed": last}

    def _links(self, value: Mapping[str, Any], project: str, identifier: str) -> list[Link]:
        links: dict[tuple[LinkType, str, str], Link] = {}
        for name, kind in LINK_KEYS.items():
            if not value.get(name):
                continue
            for item in _list(name, value):
                link = self._link(name, kind, item, project)
                if (link.project, link.id) == (project, identifier):
                    raise InvalidInputError(f"{name} names the snapshot itself ({identifier!r})")
                links.setdefault((kind, link.project, link.id), link)
        return list(links.values())

    def _link(self, name: str, kind: LinkType, item: object, project: str) -> Link:
        if isinstance(item, str):
            return Link(kind, *self._end(name, item, project))
        if not isinstance(item, dict) or "id" not in item:
            raise InvalidInputError(f"{name} must hold ids or objects with an id, not {item!r:.80}")
        if not item.keys() <= _LINK_FIELDS:
            unknown = ", ".join(sorted(item.keys() - _LINK_FIELDS))
            raise InvalidInputError(f"{name} has an object with {unknown}: use {', '.join(sorted(_LINK_FIELDS))}")
        origin = rules.check_enum(f"origin in {name}", item.get("origin") or Origin.IMPORTED, Origin)
        if origin is Origin.DETECTED and kind is not LinkType.DEPENDS_ON:
            raise InvalidInputError(f"{name} cannot be detected: only depends_on has that origin")
        rationale, recorded, gap = item.get("rationale"), item.get("recorded_at"), item.get("gap_seconds")
        if gap is not None and (not isinstance(gap, (int, float)) or isinstance(gap, bool)):
            raise InvalidInputError(f"gap_seconds in {name} must be a number, not {gap!r:.80}")
        if gap is not None and origin is not Origin.DETECTED:
            raise InvalidInputError(f"gap_seconds in {name} belongs to origin detected only")
        return Link(
            kind,
            *self._end(name, item["id"], project),
            origin,
            rules.check_text(f"rationale in {name}", rationale, rules.RATIONALE_LIMIT) if rationale else None,
            self._time(f"recorded_at in {name}", recorded) if recorded is not None else None,
            None if gap is None else float(gap),
        )

    def _end(self, name: str, reference: object, project: str) -> tuple[str, str]:
        if isinstance(reference, str) and "::" not in reference:
            return project, rules.check_id(reference, f"an id in {name}")
        end = rules.parse_name(reference, f"an id in {name}")
        return self._visible(end.project or project), end.id


def json_object(raw: bytes) -> dict[str, Any]:
    """The JSON object of a line.

    Raises:
        InvalidInputError: it holds something else.
    """
    try:
        value = _decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"it is not UTF-8 (byte {error.start + 1} of the line)") from None
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise InvalidInputError("it is nested too deeply") from None
    except ValueError as error:  # a number with more digits than Python reads
        raise InvalidInputError(f"it holds a number that cannot be read: {error}") from None
    if not isinstance(value, dict):
        raise InvalidInputError("it must be a JSON object, one a line")
    return value


def _texts(value: Mapping[str, Any]) -> tuple[str, str]:
    """Content and summary; either stands in for the other, the id for both."""
    content, summary = value.get("content"), value.get("summary")
    if content is None:
        content = summary or value.get("id")
    if content is None:
        raise InvalidInputError("it has neither id nor content nor summary: give one of them")
    text = rules.check_content(content)
    return text, rules.check_text("summary", summary, rules.SUMMARY_LIMIT) if summary else rules.summarise(text)


def _derived_id(project: str, value: Mapping[str, Any]) -> str:
    """The id of a line without one: the same line always gets the same, so that importing it again adds nothing."""
    facts = {key: item for key, item in value.items() if key not in {"id", "project"} and item is not None}
    canonical = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    return str(uuid5(_NAMESPACE, f"{project}\n{canonical}"))


def _list(name: str, value: Mapping[str, Any]) -> list[Any]:
    items = value.get(name)
    if items is None:
        return []
    if not isinstance(items, list):
        raise InvalidInputError(f"{name} must be a list, not {items!r:.80}")
    return items


def _member(name: str, value: Mapping[str, Any], kind: type[Any], members: frozenset[Any], default: str) -> str:
    given = value.get(name)
    if given is None:
        return default
    # Sets of enum members hold their values too, and this is asked for every line.
    if isinstance(given, str) and given in members:
        return given
    member: str = rules.check_enum(name, given, kind).value
    return member


def _metadata(value: Mapping[str, Any]) -> str | None:
    metadata = value.get("metadata")
    unknown = value.keys() - _KNOWN
    if not unknown:
        return rules.check_metadata(metadata)
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        raise InvalidInputError(f"metadata must be a JSON object, not {metadata!r:.80}")
    clash = sorted(unknown & metadata.keys())
    if clash:
        raise InvalidInputError(f"{clash[0]!r} is an unknown key, kept in metadata, but metadata has one of that name")
    return rules.check_metadata(metadata | {key: item for key, item in value.items() if key in unknown})


def _about(value: Mapping[str, Any]) -> list[str]:
    if not value.get("about"):
        return []
    # No limit on their number: a commit may touch every file of a repository.
    return rules.unique(rules.check_reference(item) for item in _list("about", value))


def node_properties(
    project: str,
    identifier: str,
    properties: dict[str, Any],
    *,
    created: datetime,
    now: datetime,
    thresholds: TierThresholds,
) -> dict[str, Any]:
    """The properties of a new node, see `Record`: those given, and what follows from them.

    Args:
        project: its project.
        identifier: its id in it.
        properties: canonical facts, checked.
        created: when it happened.
        now: when it is written.
        thresholds: of the memory tiers.
    """
    last = properties.get("last_accessed")
    activity = created if last is None else max(created, last)
    return {
        "project": project,
        "id": identifier,
        **properties,
        "title": rules.title_of(properties["summary"]),
        "memory_tier": _tier(epoch_ms(activity), tier_cutoffs(epoch_ms(now), thresholds)),
    }


def _tier(activity_ms: int, cutoffs: TierCutoffs) -> str:
    if activity_ms >= cutoffs.active_from_ms:
        return MemoryTier.ACTIVE.value
    if activity_ms >= cutoffs.recent_from_ms:
        return MemoryTier.RECENT.value
    return MemoryTier.ARCHIVED.value if activity_ms >= cutoffs.archived_from_ms else MemoryTier.EXPIRED.value


def _time_text(microseconds: int) -> str:
    return from_microseconds(microseconds).isoformat()[: -len("+00:00")] + "Z"


def export_line(node: Mapping[str, Any], links: Mapping[str, list[dict[str, Any]]], about: list[str]) -> bytes:
    """The line of one snapshot, with its newline. The same facts always give the same bytes.

    Args:
        node: properties as stored, times in microseconds since 1970.
        links: rows by key (`caused_by`, ...), in order: `project`, `id`, and the properties of the link.
        about: references, sorted.
    """
    created = _time_text(node["created_at"])
    facts: dict[str, Any] = {"id": node["id"], "project": node["project"], "created_at": created}
    facts |= {name: node[name] for name in _SCALARS if node.get(name) not in (None, [])}
    if node.get("metadata_json") is not None:
        facts["metadata"] = json.loads(node["metadata_json"])
    if node.get("last_accessed") is not None or node["access_count"]:
        if node["last_accessed"] is not None:
            facts["last_accessed"] = _time_text(node["last_accessed"])
        facts["access_count"] = node["access_count"]
        if node["recent_accesses"]:
            facts["recent_accesses"] = [_time_text(moment) for moment in node["recent_accesses"]]
            facts["recent_accessors"] = node["recent_accessors"]
    for name, rows in links.items():
        if rows:
            facts[name] = [_exported_link(row, node["project"]) for row in rows]
    if about:
        facts["about"] = about
    return json.dumps(facts, ensure_ascii=False).encode() + b"\n"


def _exported_link(row: Mapping[str, Any], project: str) -> dict[str, Any]:
    name = row["id"] if row["project"] == project else f"{row['project']}::{row['id']}"
    facts = {key: row.get(key) for key in ("rationale", "origin", "gap_seconds")}
    facts["recorded_at"] = _time_text(row["recorded_at"])
    return {"id": name} | {key: value for key, value in facts.items() if value is not None}
