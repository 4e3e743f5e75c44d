"""From the name in an argument to the one snapshot it means."""

from __future__ import annotations

import subprocess
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process

from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.graph.driver import Row
from wakegraph.models import Caller
from wakegraph.settings import Settings
from wakegraph.snapshots.rules import PREFIX_LENGTH, Name, check_project, parse_name

__all__ = [
    "Key",
    "Run",
    "default_project",
    "exact_keys",
    "home_of",
    "known_project",
    "project_with_settings",
    "require_project",
    "resolve",
    "resolve_many",
    "shown_way",
    "similar_projects",
    "visible_to",
]

Run = Callable[..., Awaitable[list[Row]]]
"""Runs a statement: `Graph.read`, `Transaction.run`."""

_SHOWN = 10
_ELSEWHERE = "(another project)"
_SIMILARITY = 70.0


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """A snapshot, named in full."""

    project: str
    id: str

    def __str__(self) -> str:
        return f"{self.project}::{self.id}"

    def row(self) -> dict[str, str]:
        return {"project": self.project, "id": self.id}


def default_project(settings: Settings, folder: Path | None = None) -> str | None:
    """The project that is meant when none is named: the setting, else the git repository of `folder`.

    Args:
        settings: the settings.
        folder: a working directory, or None where there is no such thing (an HTTP server).
    """
    if settings.project is not None:
        return check_project(settings.project, "setting WAKEGRAPH_PROJECT")
    return None if folder is None else _repository_name(folder)


def _repository_name(folder: Path) -> str | None:
    command = ["git", "-C", str(folder), "rev-parse", "--path-format=absolute", "--git-common-dir"]
    try:
        found = subprocess.run(command, capture_output=True, check=False, timeout=5, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    path = Path(found.stdout.decode("utf-8", "replace").strip())
    if found.returncode != 0 or not path.name:
        return None
    # Work trees of one repository share its common directory, so they share one memory.
    name = path.parent.name if path.name == ".git" else path.name.removesuffix(".git")
    try:
        return check_project(name)
    except InvalidInputError:
        return None


def home_of(default: str | None, caller: Caller) -> str | None:
    """The default project of a caller: the default where they may see it, else the only project they may see."""
    if default is not None and caller.may_see(default):
        return default
    visible = caller.projects or frozenset()
    return next(iter(visible)) if len(visible) == 1 else None


def require_project(project: str | None, default: str | None, caller: Caller) -> str:
    """The given or default project, which the caller may see.

    Raises:
        InvalidInputError: neither is known.
        NotFoundError: it does not exist for this caller.
    """
    name = project if project is not None else home_of(default, caller)
    if name is None:
        raise InvalidInputError("no project was given and there is no default: give project, or set WAKEGRAPH_PROJECT")
    checked = check_project(name)
    if not caller.may_see(checked):
        raise NotFoundError(f"there is no project {checked!r}")
    return checked


async def known_project(run: Run, project: str | None, default: str | None, caller: Caller) -> str:
    """The given or default project, which exists. See `project_with_settings`."""
    return (await project_with_settings(run, project, default, caller))[0]


async def project_with_settings(
    run: Run, project: str | None, default: str | None, caller: Caller
) -> tuple[str, dict[str, Any]]:
    """The given or default project, which exists, and the properties of its node.

    Raises:
        InvalidInputError: neither is known.
        NotFoundError: it does not exist for this caller; the line lists similar names.
    """
    name = require_project(project, default, caller)
    rows = await run("projects/one", name=name)
    if not rows:
        similar = await similar_projects(run, name, caller)
        hint = f"; similar names: {', '.join(similar)}" if similar else ""
        raise NotFoundError(f"there is no project {name!r}{hint}")
    return name, dict(rows[0]["settings"])


def visible_to(caller: Caller, explicit: str | None, *keys: Key) -> list[str] | None:
    """The projects an answer may show: those the call names, else those the caller may see (None: all)."""
    if explicit is None:
        return caller.project_list()
    named = {explicit, *(key.project for key in keys)}
    return sorted(name for name in named if caller.may_see(name))


def shown_way(keys: Iterable[Key], projects: list[str] | None) -> list[str]:
    """The steps of a way as a message may show them: what is in other projects becomes one opaque step.

    Args:
        keys: the way, in order.
        projects: those that may be shown, or None for all.
    """
    names = (str(key) if projects is None or key.project in projects else _ELSEWHERE for key in keys)
    return [name for name, _ in groupby(names)]


async def similar_projects(run: Run, name: str, caller: Caller) -> list[str]:
    """Up to five names of existing projects that look like `name`, most alike first."""
    rows = await run("projects/names", projects=caller.project_list())
    names = [row["name"] for row in rows if row["name"] != name]
    hits = process.extract(name, names, scorer=fuzz.WRatio, processor=str.casefold, score_cutoff=_SIMILARITY, limit=5)
    return [hit[0] for hit in hits]


async def resolve(
    run: Run, name: str, *, project: str | None, default: str | None, caller: Caller, argument: str = "id"
) -> Key:
    """The one snapshot that `name` means. See `resolve_many`."""
    return (await resolve_many(run, [name], project=project, default=default, caller=caller, argument=argument))[0]


async def resolve_many(
    run: Run,
    names: Sequence[str],
    *,
    project: str | None,
    default: str | None,
    caller: Caller,
    argument: str = "id",
) -> list[Key]:
    """The snapshots that names mean, in their order.

    A bare id means the one of the given project and no other; without a given project, the one of the default project,
    then the only one with that id among the projects the caller may see. `project::id` names one of any project. A
    unique prefix of at least 8 characters is accepted wherever an id is, and looked for when no id is the whole name.

    Args:
        run: runs a statement.
        names: `id`, prefix of an id, or `project::id`.
        project: the project that the call names, or None.
        default: the project that is meant otherwise, or None.
        caller: who asks.
        argument: what the names are, for messages.

    Raises:
        NotFoundError: one is unknown; the line says whether it was deleted, when and by whom.
        InvalidInputError: one is ambiguous; the line lists the candidates.
    """
    parsed = [parse_name(name, argument) for name in names]
    home = project if project is not None else default
    exact = [key for name in parsed if (key := _whole(name, home))]
    wanted = [key for key in dict.fromkeys(exact) if caller.may_see(key.project)]
    found = await _existing(run, wanted) if wanted else set()
    keys = []
    for name in parsed:
        key = _whole(name, home)
        if key is None or key not in found:
            key = await _search(run, name, project, default, caller, argument)
        keys.append(key)
    return keys


def exact_keys(
    names: Sequence[str], *, project: str | None, default: str | None, caller: Caller, argument: str = "id"
) -> list[Key]:
    """The names read as whole ids, for a first try without a look-up; empty when one cannot be."""
    home = project if project is not None else default
    keys = [_whole(parse_name(name, argument), home) for name in names]
    known = [key for key in keys if key is not None and caller.may_see(key.project)]
    return known if len(known) == len(keys) else []


def _whole(name: Name, home: str | None) -> Key | None:
    """The name read as a whole id, when its project is known."""
    project = name.project or home
    return Key(project, name.id) if project else None


async def _existing(run: Run, keys: Sequence[Key]) -> set[Key]:
    rows = await run("snapshots/existing", keys=[key.row() for key in keys])
    return {Key(row["project"], row["id"]) for row in rows}


async def _search(run: Run, name: Name, project: str | None, default: str | None, caller: Caller, argument: str) -> Key:
    """Find a name that is not simply an id of its project: elsewhere, or as a prefix."""
    strict = name.project or project
    if strict is not None and not caller.may_see(strict):
        raise NotFoundError(f"there is no snapshot {str(name)!r} ({argument})")
    nearest: list[list[str] | None] = [[default]] if default and caller.may_see(default) else []
    scopes = [[strict]] if strict else [*nearest, caller.project_list()]
    # A whole id of another project is what was named; the beginning of one at home only may be.
    statements = ("snapshots/by_id", "snapshots/by_prefix") if len(name.id) >= PREFIX_LENGTH else ("snapshots/by_id",)
    for statement in statements:
        for scope in scopes:
            rows = await run(statement, id=name.id, projects=scope, limit=_SHOWN + 1)
            if len(rows) == 1:
                return Key(rows[0]["project"], rows[0]["id"])
            if rows:
                raise InvalidInputError(_ambiguous(name, rows, argument))
    raise NotFoundError(await _unknown(run, name, strict, default, caller, argument))


def _ambiguous(name: Name, rows: Sequence[Row], argument: str) -> str:
    shown = ", ".join(f"{row['project']}::{row['id']}" for row in rows[:_SHOWN])
    more = " and more" if len(rows) > _SHOWN else ""
    return f"{argument} {str(name)!r} may mean {shown}{more}: give one of them in full"


async def _unknown(run: Run, name: Name, strict: str | None, default: str | None, caller: Caller, argument: str) -> str:
    scope: Any = [strict] if strict else caller.project_list()
    for row in await run("snapshots/tombstone", id=name.id, projects=scope):
        by = f" by {row['by']}" if row["by"] else ""
        return f"snapshot {row['project']}::{row['id']} was {row['reason']} at {row['at'].isoformat()}{by} ({argument})"
    where = strict or default
    if where and not await run("projects/one", name=where):
        similar = await similar_projects(run, where, caller)
        hint = f"; similar names: {', '.join(similar)}" if similar else ""
        return f"there is no project {where!r}, so no snapshot {str(name)!r} ({argument}){hint}"
    inside = f" in project {strict!r}" if strict else ""
    return f"there is no snapshot {str(name)!r}{inside} ({argument}): list the snapshots or search for it"
