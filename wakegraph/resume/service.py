"""Where work stands in a project: bounded reads of indexes, whatever the project's size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wakegraph.causality.models import CausalChain
from wakegraph.causality.service import Causality
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.times import EARLIEST, LATEST
from wakegraph.models import LOCAL_CALLER, Caller
from wakegraph.resume import page
from wakegraph.resume.models import ResumeItem, ResumePage
from wakegraph.settings import Settings
from wakegraph.snapshots.naming import require_project, similar_projects
from wakegraph.snapshots.reading import check_limit
from wakegraph.snapshots.records import sorted_refs
from wakegraph.snapshots.rules import check_name
from wakegraph.snapshots.saving import author_of

__all__ = ["MAX_BUDGET", "Resume"]

MAX_BUDGET = 100_000
_WINDOW = 1_000
_STEPS = 9
_ITEMS = 10
_PREDICTIONS = 5


class Resume:
    """One page to go on from.

    Args:
        graph: the database.
        settings: the settings.
        causality: builds the chain.
    """

    def __init__(self, graph: Graph, settings: Settings, causality: Causality) -> None:
        self._graph = graph
        self._settings = settings
        self._causality = causality

    async def resume_work(
        self,
        *,
        project: str | None = None,
        session: str | None = None,
        author: str | None = None,
        budget_tokens: int = 2000,
        caller: Caller = LOCAL_CALLER,
    ) -> ResumePage:
        """Where work stands, from stored facts alone: it reads no clock, counts no access and refreshes no score.

        It looks at the newest 1,000 snapshots of the project; the chain it shows is followed as far as it goes.

        Args:
            project: the project; by default the default one.
            session: go on where this sitting ended; when there is no such sitting, where the author ended.
            author: whose work it is; by default the caller. What others saved since is told apart by it.
            budget_tokens: most tokens of the text, four characters each, 1 to 100,000.
            caller: who asks.

        Returns:
            The newest chain, decisions without effects, what others saved, top predictions, and all of it as a text.
            For a project that holds nothing, how to begin.

        Raises:
            InvalidInputError: no project is known, or an argument cannot be accepted.
            NotFoundError: the project does not exist for this caller.
        """
        name = require_project(project, self._settings.project, caller)
        who = author_of(author, caller, self._settings)
        sitting = None if session is None else check_name("session", session)
        check_limit(budget_tokens, MAX_BUDGET, "budget_tokens")
        (newest,) = await self._graph.read(
            "resume/newest", project=name, latest=LATEST, author=who, window=_WINDOW, limit=_ITEMS
        )
        start = await self._start(name, sitting, newest)
        similar = [] if start else await similar_projects(self._graph.read, name, caller)
        chain = await self._chain(name, start, project, caller)
        facts = page.Facts(
            project=name,
            author=who,
            session=sitting,
            similar=similar,
            chain=chain,
            open_decisions=_items(newest["open_decisions"]),
            open_count=newest["open_count"],
            since=newest["own_at"],
            others=_items(newest["others"]),
            others_count=newest["others_count"],
            predictions=await self._predictions(name) if start else [],
        )
        return _page(facts, newest["read"], *page.write(facts, budget_tokens))

    async def _start(self, project: str, session: str | None, newest: Row) -> str | None:
        if session is not None:
            found = await self._graph.read("resume/newest_of_session", project=project, session=session)
            if found:
                return str(found[0]["id"])
        start: str | None = newest["newest_own"] or newest["newest"]
        return start

    async def _chain(self, name: str, start: str | None, explicit: str | None, caller: Caller) -> CausalChain | None:
        if start is None:
            return None
        named = start if explicit is not None else f"{name}::{start}"
        return await self._causality.chain(named, project=explicit, limit=_STEPS, caller=caller)

    async def _predictions(self, project: str) -> list[ResumeItem]:
        rows = await self._graph.read(
            "snapshots/list_predicted",
            project=project,
            at_most=2.0,
            after_id=None,
            superseded=False,
            since=EARLIEST,
            until=LATEST,
            action_type=None,
            tag=None,
            author=None,
            session=None,
            limit=_PREDICTIONS,
        )
        scored = ("prediction_score", "prediction_reasons")
        return [_item(row["node"], *scored) for row in rows]


def _item(node: Row, *more: str) -> ResumeItem:
    names = ("id", "project", "title", "action_type", "author", "created_at", *more)
    values: dict[str, Any] = {name: node[name] for name in names if node.get(name) is not None}
    return ResumeItem(**values, superseded_by=sorted_refs(node.get("superseded_by", ())))


def _items(nodes: Iterable[Row]) -> list[ResumeItem]:
    return [_item(node) for node in nodes]


def _page(facts: page.Facts, looked_at: int, text: str, truncated: bool) -> ResumePage:
    return ResumePage(
        project=facts.project,
        author=facts.author,
        session=facts.session,
        new_project=facts.chain is None,
        similar_projects=list(facts.similar),
        chain=facts.chain,
        open_decisions=list(facts.open_decisions),
        open_decision_count=facts.open_count,
        since=facts.since,
        changed_by_others=list(facts.others),
        changed_by_others_count=facts.others_count,
        predictions=list(facts.predictions),
        looked_at=looked_at,
        text=text,
        truncated=truncated,
    )
