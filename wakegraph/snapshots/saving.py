"""Saving a snapshot: one check, one write, one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from wakegraph.causality.suggest import suggest_causes
from wakegraph.errors import ConflictError, InvalidInputError, NotFoundError
from wakegraph.graph.driver import Graph, Row, Transaction
from wakegraph.graph.times import EPOCH
from wakegraph.memory.tiers import tier_of
from wakegraph.models import ActionType, AuthorType, Caller, CausalRole, LinkType, Origin, Source
from wakegraph.settings import Settings
from wakegraph.snapshots import rules
from wakegraph.snapshots.models import SaveResult
from wakegraph.snapshots.naming import Key, require_project, resolve_many, similar_projects, visible_to
from wakegraph.snapshots.records import edge, snapshot_from_row, thresholds_of

__all__ = ["Draft", "author_of", "named_ends", "save", "target_keys"]

SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller wants to save, as given. See `Snapshots.save` for the meaning of each."""

    content: str
    project: str | None = None
    id: str | None = None
    summary: str | None = None
    tags: Iterable[str] = ()
    action_type: str = ActionType.CONVERSATION
    rationale: str | None = None
    caused_by: Sequence[str] = ()
    depends_on: Sequence[str] = ()
    supersedes: Sequence[str] = ()
    about: Iterable[str] = ()
    author: str | None = None
    author_type: str | None = None
    session: str | None = None
    source: str = Source.API
    metadata: Mapping[str, Any] | None = None
    created_at: datetime | str | None = None
    cross_project: bool = False
    detect_dependencies: bool = True


@dataclass(frozen=True, slots=True)
class _Plan:
    """A checked draft."""

    properties: dict[str, Any]
    project: str
    given_id: bool
    ends: dict[LinkType, list[str]]
    about: list[str]
    detect: bool
    cross_project: bool
    notes: list[str]
    created: datetime
    keys: dict[LinkType, list[Key]] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return Key(self.project, self.properties["id"])


def author_of(given: str | None, caller: Caller, settings: Settings) -> str | None:
    """Who writes: the caller's fixed name, else the argument, else the setting or the caller's name."""
    name = caller.author if caller.fixed_author else given or settings.author or caller.author
    return None if name is None else rules.check_name("author", name)


def named_ends(
    caused_by: Iterable[str], depends_on: Iterable[str], supersedes: Iterable[str]
) -> dict[LinkType, list[str]]:
    """The other ends of the links that a call asks for, as it names them, each once."""
    return {
        kind: rules.check_names(kind.value.lower(), names, 2 * rules.NAME_LIMIT + 2)
        for kind, names in zip(LinkType, (caused_by, depends_on, supersedes), strict=True)
    }


async def save(
    graph: Graph, settings: Settings, draft: Draft, *, caller: Caller, default: str | None, now: datetime
) -> SaveResult:
    """Write a snapshot with its links, or return the one that was saved before."""
    plan = _plan(draft, settings, caller, default, now)
    plan = replace(plan, keys=_exact_ends(plan))
    inside = all(key.project == plan.project for keys in plan.keys.values() for key in keys)
    row: Row = await _attempt(graph, plan, settings, now) if inside else {"missing": []}
    if "missing" in row:
        # Most ends are named by their id in the same project; only the others are worth a look-up of their own.
        plan = replace(plan, keys=await _resolve_ends(graph, plan, caller))
        row = await _attempt(graph, plan, settings, now)
        if "missing" in row:
            raise _gone(row["missing"])
    if "repeated" in row:
        return await _repeated(graph, plan, row["repeated"], draft.project, settings, caller, now)
    return await _saved(graph, plan, row, settings, caller, now)


def _plan(draft: Draft, settings: Settings, caller: Caller, default: str | None, now: datetime) -> _Plan:
    project = require_project(draft.project, default, caller)
    content = rules.check_content(draft.content)
    notes = []
    created, naive = now, False
    if draft.created_at is not None:
        created, naive = rules.check_created_at(draft.created_at, now, settings.future_tolerance_seconds)
    if naive:
        notes.append(f"created_at had no offset and was taken as UTC: {created.isoformat()}")
    given = rules.check_text("summary", draft.summary or "", rules.SUMMARY_LIMIT)
    summary = given if given.strip() else rules.summarise(content)
    ends = named_ends(draft.caused_by, draft.depends_on, draft.supersedes)
    given_id = draft.id is not None
    properties: dict[str, Any] = {
        "project": project,
        "id": rules.check_id(draft.id) if given_id else rules.new_id(),
        "content": content,
        "summary": summary,
        "title": rules.title_of(summary),
        "tags": rules.check_names("tags", draft.tags),
        "action_type": rules.check_enum("action_type", draft.action_type, ActionType).value,
        "source": rules.check_enum("source", draft.source, Source).value,
        "created_at": created,
        "recorded_at": now,
        "access_count": 0,
        "recent_accesses": [],
        "recent_accessors": [],
        "last_activity": created,
        "memory_tier": tier_of(created, None, now, thresholds_of(settings)).value,
        "causal_role": (CausalRole.LEAF if ends[LinkType.CAUSED_BY] else CausalRole.ISOLATED).value,
        "last_predicted": EPOCH,
    }
    optional = {
        "rationale": draft.rationale and rules.check_text("rationale", draft.rationale, rules.RATIONALE_LIMIT),
        "author": author_of(draft.author, caller, settings),
        "author_type": draft.author_type and rules.check_enum("author_type", draft.author_type, AuthorType).value,
        "session": draft.session and rules.check_name("session", draft.session),
        "metadata_json": rules.check_metadata(draft.metadata),
    }
    properties |= {name: value for name, value in optional.items() if value}
    about = sorted(map(rules.check_reference, rules.check_names("about", draft.about, rules.REF_LIMIT)))
    return _Plan(
        properties, project, given_id, ends, about, draft.detect_dependencies, draft.cross_project, notes, created
    )


async def _attempt(graph: Graph, plan: _Plan, settings: Settings, now: datetime) -> Row:
    try:
        return await graph.write_in(_write, plan, settings, now)
    except ConflictError:
        # Another save of the same id or the same retry was first: it is the one to answer with, if it is the same.
        return await graph.write_in(_write, plan, settings, now)


def _exact_ends(plan: _Plan) -> dict[LinkType, list[Key]]:
    """The ends as if every name were a whole id."""
    return {
        kind: list(dict.fromkeys(_exact_key(name, plan, kind) for name in names))
        for kind, names in plan.ends.items()
        if names
    }


def _exact_key(name: str, plan: _Plan, kind: LinkType) -> Key:
    parsed = rules.parse_name(name, kind.value.lower())
    key = Key(parsed.project or plan.project, parsed.id)
    if key == plan.key:
        raise _self_link(key, kind.value.lower())
    return key


async def _resolve_ends(graph: Graph, plan: _Plan, caller: Caller) -> dict[LinkType, list[Key]]:
    keys: dict[LinkType, list[Key]] = {}
    for kind, names in plan.ends.items():
        if names:
            keys[kind] = await target_keys(graph, names, plan.key, plan.cross_project, caller, kind.value.lower())
    return keys


async def target_keys(
    graph: Graph, names: Sequence[str], source: Key, cross_project: bool, caller: Caller, argument: str
) -> list[Key]:
    """The other ends of links that start at `source`, each once, in the order given.

    Raises:
        NotFoundError: one is unknown.
        InvalidInputError: one is the source itself, or in another project without leave.
    """
    parsed = [rules.parse_name(name, argument) for name in names]
    if any((name.project or source.project, name.id) == (source.project, source.id) for name in parsed):
        raise _self_link(source, argument)
    home = None if cross_project else source.project
    try:
        keys = await resolve_many(
            graph.read, names, project=home, default=source.project, caller=caller, argument=argument
        )
    except NotFoundError:
        if not cross_project:
            await _refuse_other_project(graph, names, source, caller, argument)
        raise
    for key in keys:
        if key == source:
            raise _self_link(source, argument)
        if key.project != source.project and not cross_project:
            raise InvalidInputError(_other_project(key, source, argument))
    return list(dict.fromkeys(keys))


def _self_link(source: Key, argument: str) -> InvalidInputError:
    return InvalidInputError(f"{argument} names the snapshot itself ({source}): a link needs two snapshots")


async def _refuse_other_project(graph: Graph, names: Sequence[str], source: Key, caller: Caller, argument: str) -> None:
    """Say so when an id is unknown only because it is in another project."""
    keys = await resolve_many(graph.read, names, project=None, default=source.project, caller=caller, argument=argument)
    other = next(key for key in keys if key.project != source.project)
    raise InvalidInputError(_other_project(other, source, argument))


def _other_project(key: Key, source: Key, argument: str) -> str:
    return (
        f"{argument} {key} is in another project than {source.project!r}: "
        "say crossProject (--cross-project) to link across projects"
    )


def _retry_key(plan: _Plan) -> str | None:
    """What makes an unnamed save a repetition of another: same author, session, content, links and stated time."""
    if plan.given_id:
        return None
    stated_time = None if plan.created == plan.properties["recorded_at"] else plan.created.isoformat()
    parts = [
        plan.properties.get("author"),
        plan.properties.get("session"),
        plan.properties["content"],
        [[kind.value, [str(key) for key in keys]] for kind, keys in sorted(plan.keys.items()) if keys],
        plan.about,
        stated_time,
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()[:32]


async def _write(tx: Transaction, plan: _Plan, settings: Settings, now: datetime) -> Row:
    row = await _run_save(tx, plan, settings, now)
    stored = row["same_id"] or row["same_retry"]
    if row["same_retry"] and not row["same_id"] and not _within_retry_time(stored, now, settings):
        await tx.run("snapshots/forget_retry", project=plan.project, retry_key=_retry_key(plan))
        row = await _run_save(tx, plan, settings, now)
        stored = None
    if stored:
        return {"repeated": stored}
    if not row["created"]:
        found = {Key(end["project"], end["id"]) for end in row["found"]}
        return {"missing": sorted({key for keys in plan.keys.values() for key in keys} - found)}
    return {"known_project": row["known_project"], "detected": row["detected"]}


async def _run_save(tx: Transaction, plan: _Plan, settings: Settings, now: datetime) -> Row:
    retry_key = _retry_key(plan)
    row = await tx.one(
        "snapshots/save",
        project=plan.project,
        id=plan.properties["id"],
        retry_key=retry_key,
        properties=plan.properties | ({"retry_key": retry_key} if retry_key else {}),
        links=_link_rows(plan),
        about=plan.about,
        now=now,
        epoch=EPOCH,
        detect_from=plan.created - timedelta(seconds=settings.detection_window_seconds),
        detect_until=plan.created,
        detect_limit=settings.detection_limit if plan.detect else 0,
        session=plan.properties.get("session"),
        named=[key.id for keys in plan.keys.values() for key in keys if key.project == plan.project],
    )
    assert row is not None  # noqa: S101  the statement always returns one row
    return row


def _gone(keys: Iterable[Key]) -> NotFoundError:
    listed = ", ".join(str(key) for key in sorted(keys))
    return NotFoundError(f"deleted meanwhile: {listed}; nothing was written, look it up again")


def _within_retry_time(stored: Row, now: datetime, settings: Settings) -> bool:
    return bool(now - stored["recorded_at"] <= timedelta(seconds=settings.retry_window_seconds))


def _link_rows(plan: _Plan) -> list[dict[str, Any]]:
    return [
        {
            **key.row(),
            "type": kind.value,
            "origin": Origin.STATED.value,
            "primary": position == 0 if kind is LinkType.CAUSED_BY else None,
        }
        for kind, keys in plan.keys.items()
        for position, key in enumerate(keys)
    ]


async def _saved(graph: Graph, plan: _Plan, row: Row, settings: Settings, caller: Caller, now: datetime) -> SaveResult:
    source = plan.key.row()
    links = [edge(link["type"], source, link, link | {"recorded_at": now}) for link in _link_rows(plan)]
    detected = [
        edge(
            LinkType.DEPENDS_ON,
            source,
            found,
            {"origin": Origin.DETECTED, "gap_seconds": found["gap_seconds"], "recorded_at": now},
        )
        for found in row["detected"]
    ]
    suggested = []
    if not plan.keys.get(LinkType.CAUSED_BY):
        suggested = await suggest_causes(
            graph,
            project=plan.project,
            exclude_id=plan.properties["id"],
            text=plan.properties["content"],
            session=plan.properties.get("session"),
            about=plan.about,
            created_at=plan.created,
            limit=SUGGESTIONS,
        )
    new_project = not row["known_project"]
    return SaveResult(
        snapshot=snapshot_from_row(plan.properties, now, thresholds_of(settings)),
        links=links,
        detected=detected,
        about=plan.about,
        suggested_causes=suggested,
        new_project=new_project,
        similar_projects=await similar_projects(graph.read, plan.project, caller) if new_project else [],
        notes=plan.notes,
    )


async def _repeated(
    graph: Graph, plan: _Plan, stored: Row, explicit: str | None, settings: Settings, caller: Caller, now: datetime
) -> SaveResult:
    """Answer a repeated save with what is stored, unless it asks for something else."""
    key = Key(stored["project"], stored["id"])
    if stored["content"] != plan.properties["content"]:
        raise ConflictError(
            f"{key} exists with other content, nothing was changed: save the new content as a snapshot of its own "
            f"that supersedes {key.id!r}, or choose another id"
        )
    rows = await graph.read("snapshots/links_out", project=key.project, id=key.id)
    existing = {(row["type"], Key(row["project"], row["id"])) for row in rows}
    asked = {(kind.value, target) for kind, targets in plan.keys.items() for target in targets}
    unknown = sorted(f"{kind} {target}" for kind, target in asked - existing)
    if unknown:
        raise ConflictError(
            f"{key} exists without the link {', '.join(unknown)}, nothing was changed: add it with link_contexts "
            "(wakegraph link)"
        )
    shown = visible_to(caller, explicit, key, *(target for targets in plan.keys.values() for target in targets))
    edges = [
        edge(row["type"], key.row(), row, row["properties"]) for row in rows if shown is None or row["project"] in shown
    ]
    newer = await graph.read("snapshots/superseded_by", keys=[key.row()], projects=shown)
    about = await graph.read("snapshots/about", project=key.project, id=key.id)
    return SaveResult(
        snapshot=snapshot_from_row(stored, now, thresholds_of(settings), newer[0]["newer"] if newer else ()),
        links=[link for link in edges if link.origin is not Origin.DETECTED],
        detected=[link for link in edges if link.origin is Origin.DETECTED],
        about=[row["ref"] for row in about],
        already_saved=True,
        notes=plan.notes,
    )
