"""The page to go on from."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from wakegraph.causality.models import CausalChain
from wakegraph.models import ActionType, Model, NamedRef

__all__ = ["ResumeItem", "ResumePage"]


class ResumeItem(NamedRef):
    """A snapshot on the page."""

    title: str
    action_type: ActionType
    author: str | None = None
    created_at: datetime
    prediction_score: float | None = Field(None, description="predictions only: the stored score")
    prediction_reasons: list[str] = Field(default=[], description="predictions only")


class ResumePage(Model):
    """Where work stands in a project. Lists are newest first, predictions most probable first."""

    project: str
    author: str | None = Field(description="whose work is resumed, None when that is not known")
    session: str | None = None
    new_project: bool = Field(description="the project holds nothing yet")
    similar_projects: list[str] = Field(default=[], description="for a new project: names that look like it")
    chain: CausalChain | None = Field(description="how the newest snapshot of the session or author came about")
    open_decisions: list[ResumeItem] = Field(description="decisions that nothing was caused by yet, nor superseded")
    open_decision_count: int = Field(description="how many such decisions are among the snapshots looked at")
    since: datetime | None = Field(None, description="when the author last saved, None when not known")
    changed_by_others: list[ResumeItem] = Field(description="what others saved since then")
    changed_by_others_count: int = Field(description="how many such snapshots are among those looked at")
    predictions: list[ResumeItem] = Field(description="what will probably be needed, as last predicted")
    looked_at: int = Field(description="newest snapshots that this page was made from")
    text: str = Field(description="the page to read, within the budget")
    truncated: bool = Field(description="lines were left out of the text to keep the budget")
