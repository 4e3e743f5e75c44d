"""Layer 3: predict_next, update_predictions, get_high_value_contexts, get_propagation_stats."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wakegraph.mcp.budget import DEFAULT, LARGE, fitting
from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import DetailName, Limit, Names, ProfileName, Project, Score
from wakegraph.mcp.text import joined, line_of, named, quoted, replaced, with_texts
from wakegraph.mcp.toolkit import Answer, Real, tool
from wakegraph.mcp.tools.reading import WIDTHS, shown_page
from wakegraph.mcp.wire import Brief, brief
from wakegraph.models import Model, Scope
from wakegraph.propagation.models import Bands, ReasonCount

__all__ = ["get_high_value_contexts", "get_propagation_stats", "predict_next", "update_predictions"]


class PartOut(Model):
    name: str
    amount: float


class PredictionOut(Brief):
    score: float
    activation: float
    base_level: float
    spreading: float
    spreading_from: list[PartOut] | None = None


class PredictionsOut(Model):
    project: str
    predictions: list[PredictionOut]
    candidates: int


class RefreshOut(Model):
    project: str
    profile: str | None = None
    updated: int
    skipped: int
    seconds: float


class ComponentOut(Model):
    name: str
    value: float
    weight: float | None = None
    contribution: float | None = None


class ScoredOut(Brief):
    content: str | None = None
    truncated: bool
    prediction_score: float
    components: list[ComponentOut]
    prediction_reasons: list[str]


_SHOWN = (*Brief.model_fields, "content", "truncated")


class HighValueOut(Model):
    project: str
    profile: str
    snapshots: list[ScoredOut]
    has_more: bool
    best_score: float | None = None
    best: str | None = None
    stale: int
    note: str | None = None


class PropagationStatsOut(Model):
    project: str
    profile: str
    total_contexts: int
    total_predicted: int
    average_prediction_score: float | None = None
    reason_frequency: list[ReasonCount]
    bands: Bands
    stale: int


@tool("What will be needed next?", core=True)
async def predict_next(
    call: Call,
    project: Project | None = None,
    given: Annotated[Names, Field(description="Ids in hand: what goes with them ranks higher")] = [],  # noqa: B006
    limit: Limit = 10,
) -> Answer[PredictionsOut]:
    """Predict which snapshots will be needed right after those in hand, and why. For when you have no words to
    search for.
    """
    found = await call.wake.propagation.predict_next(
        given, project=project, limit=limit, caller=call.caller, now=call.now
    )

    def build(width: int) -> PredictionsOut:
        return PredictionsOut(
            project=found.project,
            predictions=[
                PredictionOut(
                    **brief(item.snapshot, width),
                    score=item.score,
                    activation=item.activation,
                    base_level=item.base_level,
                    spreading=item.spreading,
                    spreading_from=[
                        PartOut(name=f"{part.source.project}::{part.source.id}", amount=part.amount)
                        for part in item.spreading_from[:5]
                    ]
                    or None,
                )
                for item in found.predictions
            ],
            candidates=found.candidates,
        )

    data = fitting(build, (80, 40, 20), LARGE if "limit" in call.given else DEFAULT)
    lines = [
        f"- {named(item.project, item.id, item.author)}, {item.action_type}, score {item.score:.3f} "
        f"(base {item.base_level:.2f}, spreading {item.spreading:.2f}){replaced(item.superseded_by)}: "
        f"{quoted(item.title, 80)}"
        for item in data.predictions
    ]
    return Answer(data, joined(f"Probably needed next in project {data.project!r}, of {data.candidates} ranked", lines))


@tool("Refresh predictions", scope=Scope.WRITE, writes=True)
async def update_predictions(
    call: Call,
    project: Project | None = None,
    stale_threshold: Annotated[Real, Field(ge=0, le=1_000_000, description="Hours; 0 refreshes all")] = 24.0,
    profile: Annotated[ProfileName | None, Field(description="Formulas; default: the project's")] = None,
) -> Answer[RefreshOut]:
    """Score anew what is stale. Tools that show scores do it by themselves in small projects; large ones need
    this or the scheduled refresh.
    """
    result = await call.wake.propagation.refresh(
        project=project,
        stale_threshold_hours=stale_threshold if "stale_threshold" in call.given else None,
        profile=profile,
        caller=call.caller,
        now=call.now,
    )
    data = RefreshOut(
        project=result.project or "",
        profile=result.projects[0].formula.profile if result.projects else None,
        updated=result.updated,
        skipped=result.skipped,
        seconds=result.seconds,
    )
    return Answer(
        data,
        f"Project {data.project!r}, profile {data.profile}: {data.updated} snapshots scored anew, {data.skipped} "
        "were not "
        f"stale, {data.seconds:.2f} s.",
    )


@tool("Most valuable snapshots", idempotent=True)
async def get_high_value_contexts(
    call: Call,
    project: Project | None = None,
    min_score: Score = 0.6,
    limit: Limit = 5,
    detail: Annotated[DetailName, Field(description="full: whole texts")] = "preview",
) -> Answer[HighValueOut]:
    """The snapshots most worth keeping at hand, with their scores, components and reasons. For what goes with given
    snapshots use predict_next.
    """
    found = await call.wake.propagation.high_value(
        project=project, min_score=min_score, limit=limit, refresh_first=True, caller=call.caller, now=call.now
    )

    def build(width: int) -> HighValueOut:
        return HighValueOut(
            project=found.project,
            profile=found.formula.profile,
            snapshots=[
                ScoredOut(
                    **{name: getattr(shown, name) for name in _SHOWN},
                    prediction_score=scored.prediction_score,
                    components=[ComponentOut(**part.model_dump()) for part in scored.components],
                    prediction_reasons=scored.prediction_reasons,
                )
                for shown, scored in zip(shown_page(list(found.contexts), detail, width), found.contexts, strict=True)
            ],
            has_more=found.has_more,
            best_score=found.best_score,
            best=found.best and f"{found.best.project}::{found.best.id}",
            stale=found.state.stale,
            note=found.note or found.state.note,
        )

    data = fitting(build, WIDTHS, LARGE if detail == "full" or "limit" in call.given else DEFAULT)
    lines = [
        f"{line_of(item)} (score {item.prediction_score:.3f}: {', '.join(item.prediction_reasons)})"
        for item in data.snapshots
    ]
    if detail == "full":
        lines = with_texts(lines, [item.content for item in data.snapshots])
    least = f"a score of {found.min_score} or more ({data.profile})"
    head = f"{len(data.snapshots)} snapshots of project {data.project!r} with {least}"
    return Answer(data, joined(head, lines, data.note))


@tool("Prediction figures")
async def get_propagation_stats(call: Call, project: Project | None = None) -> Answer[PropagationStatsOut]:
    """How the scores of a project are spread: bands, reasons, average, and how many are stale."""
    stats = await call.wake.propagation.stats(project=project, refresh_first=True, caller=call.caller, now=call.now)
    data = PropagationStatsOut(
        profile=stats.formula.profile,
        **{name: getattr(stats, name) for name in PropagationStatsOut.model_fields if name != "profile"},
    )
    mean = "none" if data.average_prediction_score is None else f"{data.average_prediction_score:.3f}"
    return Answer(
        data,
        f"Project {data.project!r} ({data.profile}): {data.total_predicted} of {data.total_contexts} scored, "
        f"average {mean}; "
        f"{data.bands.high} high (0.8 or more), {data.bands.medium} medium (0.5 or more), {data.bands.low} low; "
        f"{data.stale} stale.",
    )
