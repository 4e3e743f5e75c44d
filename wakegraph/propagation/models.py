"""Answers of layer 3."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from wakegraph.models import Model, Profile, Snapshot, SnapshotRef

__all__ = [
    "ActivationPart",
    "Bands",
    "FormulaInfo",
    "HighValueContexts",
    "InputValue",
    "Prediction",
    "Predictions",
    "ProjectRefresh",
    "ProjectSettings",
    "PropagationStats",
    "ReasonCount",
    "RefreshFailure",
    "RefreshResult",
    "ScoreComponent",
    "ScoreExplanation",
    "ScorePart",
    "ScoredSnapshot",
    "ScoringState",
    "TierHours",
    "WeightValues",
]


class WeightValues(Model):
    """Weights of the components of a composite: at least 0, summing to 1."""

    temporal: float
    causal: float
    frequency: float


class TierHours(Model):
    """Hours since the last activity at which a snapshot leaves a tier."""

    active: float
    recent: float
    archived: float


class FormulaInfo(Model):
    """By which formula scores were made."""

    profile: Profile
    weights: WeightValues | None = Field(None, description="profile activation has none")
    tier_hours: TierHours
    boosts: bool = Field(default=False, description="whether the boosts of profile steps are on")
    changed_constants: list[str] = Field(default=[], description="name=value of those that differ from the published")


class ProjectSettings(Model):
    """The settings of layer 3 in force for a project."""

    project: str
    formula: FormulaInfo
    stale_threshold_hours: float
    own: list[str] = Field(description="settings that the project has of its own; the others are the installation's")


class ScoringState(Model):
    """How current the scores of a project are."""

    stale: int = Field(description="snapshots whose scores are out of date, or that have none")
    refreshed: int = Field(default=0, description="snapshots scored anew for this answer")
    note: str | None = Field(None, description="what to do when scores are out of date")


class ProjectRefresh(Model):
    """What a refresh did in one project."""

    project: str
    total: int = Field(description="snapshots of the project")
    updated: int = Field(description="snapshots whose derived properties were written")
    unchanged: int = Field(default=0, description="looked at; what is stored was right already")
    skipped: int = Field(description="not stale, so not looked at")
    accessed_later: int = Field(
        default=0, description="scored, but left stale since they were accessed after the moment of the refresh"
    )
    tiers_changed: int = Field(default=0, description="stored tiers brought up to date besides")
    formula: FormulaInfo


class RefreshFailure(Model):
    """A project that could not be refreshed, and why."""

    project: str
    error: str


class RefreshResult(Model):
    """What a refresh did."""

    project: str | None = Field(description="None when it was asked for all projects")
    as_of: datetime
    dry_run: bool = False
    updated: int = Field(description="snapshots scored anew; in a dry run, those that would be")
    unchanged: int = 0
    skipped: int
    accessed_later: int = 0
    tiers_changed: int = 0
    seconds: float
    per_second: float = Field(description="snapshots updated a second")
    projects: list[ProjectRefresh] = []
    failed: list[RefreshFailure] = []
    interrupted: bool = Field(default=False, description="whether it was asked to end early")

    @property
    def complete(self) -> bool:
        """Whether everything that was asked for was done."""
        return not self.failed and not self.interrupted


class ScorePart(Model):
    """One component of a stored score."""

    name: str
    value: float
    weight: float | None = Field(None, description="None where the profile does not weigh components")
    contribution: float | None = None


class ScoredSnapshot(Snapshot):
    """A snapshot with its score taken apart. The reasons are its `prediction_reasons`."""

    components: list[ScorePart]


class HighValueContexts(Model):
    """The snapshots of a project that are most worth keeping at hand."""

    project: str
    as_of: datetime
    min_score: float
    contexts: list[ScoredSnapshot] = Field(description="highest score first; superseded ones last")
    has_more: bool = False
    formula: FormulaInfo
    state: ScoringState
    best_score: float | None = Field(None, description="of the whole project, when no context reaches min_score")
    best: SnapshotRef | None = None
    note: str | None = None


class Bands(Model):
    """Snapshots by score."""

    high: int = Field(description="0.8 and above")
    medium: int = Field(description="0.5 and above, below 0.8")
    low: int = Field(description="below 0.5")


class ReasonCount(Model):
    """How many snapshots have a reason."""

    reason: str
    snapshots: int


class PropagationStats(Model):
    """Scores over a whole project."""

    project: str
    as_of: datetime
    total_contexts: int
    total_predicted: int
    average_prediction_score: float | None
    reason_frequency: list[ReasonCount] = Field(description="most frequent first")
    bands: Bands
    stale: int
    formula: FormulaInfo


class ActivationPart(Model):
    """Activation that comes from one snapshot in hand."""

    source: SnapshotRef
    amount: float


class Prediction(Model):
    """A snapshot that will probably be needed next, with the parts of its activation.

    activation = base_level + spreading; base_level = ln(creation + kept_accesses + older_accesses), each the sum of
    t^-decay, t in hours; score = activation squashed to 0-1.
    """

    snapshot: Snapshot
    score: float
    activation: float
    base_level: float
    creation: float
    kept_accesses: float
    older_accesses: float
    spreading: float
    spreading_from: list[ActivationPart] = []


class Predictions(Model):
    """What will probably be needed next."""

    project: str
    as_of: datetime
    given: list[SnapshotRef]
    predictions: list[Prediction] = Field(description="highest activation first; superseded ones last")
    candidates: int = Field(description="snapshots that were ranked")
    decay: float
    association: float
    changed_constants: list[str] = []


class InputValue(Model):
    """A fact that a component rests on."""

    name: str
    value: float | int | str | None


class ScoreComponent(Model):
    """One component of a score: contribution = weight * value, value made by `formula` of the inputs."""

    name: str
    value: float
    weight: float
    contribution: float
    formula: str
    inputs: list[InputValue]


class ScoreExplanation(Model):
    """Why a snapshot has its score, computed for the moment of the call."""

    id: str
    project: str
    title: str | None = None
    as_of: datetime
    formula: FormulaInfo
    components: list[ScoreComponent]
    total: float
    combined: str = Field(description="how the score is made of the total")
    prediction_score: float
    prediction_reasons: list[str]
    predicted_next_access: datetime | None = None
    stored_score: float | None = Field(None, description="what is stored, as of last_predicted")
    stored_profile: Profile | None = None
    last_predicted: datetime | None = None
    stale: bool = Field(description="whether the stored score is out of date")
