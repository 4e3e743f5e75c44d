"""resume_work."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from wakegraph.causality.models import ChainStep
from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import Project
from wakegraph.mcp.text import DATA_NOTE
from wakegraph.mcp.toolkit import Answer, Whole, tool
from wakegraph.models import Model
from wakegraph.resume.models import ResumeItem

__all__ = ["resume_work"]


class Resumed(Model):
    project: str
    chain: list[str]
    open_decisions: list[str]
    changed_by_others: list[str]
    predictions: list[str]
    truncated: bool
    stale: int | None = None
    text: str


@tool("Resume work", core=True)
async def resume_work(
    call: Call,
    project: Project | None = None,
    session: Annotated[str | None, Field(description="Default: your newest")] = None,
    author: Annotated[str | None, Field(description="Whose work; default: yours")] = None,
    budget_tokens: Annotated[Whole, Field(ge=200, le=20_000, description="Length of the page")] = 2000,
) -> Answer[Resumed]:
    """Begin here, and come back after you lost context: the newest chain, open decisions, what others changed since
    your last save, and what will be needed next, all with ids.
    """
    state = await call.wake.propagation.bring_up_to_date(project=project, caller=call.caller, now=call.now)
    page = await call.wake.resume.resume_work(
        project=project, session=session, author=author, budget_tokens=budget_tokens, caller=call.caller
    )

    data = Resumed(
        project=page.project,
        chain=_names(page.chain.steps if page.chain else ()),
        open_decisions=_names(page.open_decisions),
        changed_by_others=_names(page.changed_by_others),
        predictions=_names(page.predictions),
        truncated=page.truncated,
        stale=state.stale or None,
        text=page.text,
    )
    return Answer(data, "\n".join([page.text, *([state.note] if state.note else []), DATA_NOTE]))


def _names(items: Iterable[ResumeItem | ChainStep]) -> list[str]:
    return [f"{item.project}::{item.id}" for item in items]
