"""Layer 3 on the database: settings, refresh, what is worth keeping at hand, what will be needed next."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, TypeVar

from wakegraph.errors import AccessDeniedError, InvalidInputError, NotFoundError, WakegraphError
from wakegraph.graph.driver import Graph, Row
from wakegraph.graph.times import EPOCH, LATEST
from wakegraph.memory.tiers import TierThresholds, epoch_ms
from wakegraph.models import LOCAL_CALLER, Caller, Profile, Scope, SnapshotRef
from wakegraph.progress import OnProgress, silent
from wakegraph.propagation.activation import ActivationConstants
from wakegraph.propagation.formula import PROJECT_KEYS, Formula, Scoring
from wakegraph.propagation.models import (
    Bands,
    HighValueContexts,
    InputValue,
    Predictions,
    ProjectRefresh,
    ProjectSettings,
    PropagationStats,
    ReasonCount,
    RefreshFailure,
    RefreshResult,
    ScoreComponent,
    ScoredSnapshot,
    ScoreExplanation,
    ScorePart,
    ScoringState,
)
from wakegraph.propagation.ranking import Candidates, Ranking
from wakegraph.propagation.refresh import (
    IN_FLIGHT,
    Job,
    columns_of,
    read_columns,
    refresh_few,
    refresh_project,
    stale_cutoff,
)
from wakegraph.propagation.scoring import REASONS, explain
from wakegraph.settings import Settings
from wakegraph.snapshots.naming import Key, project_with_settings, require_project, resolve, resolve_many
from wakegraph.snapshots.reading import check_limit
from wakegraph.snapshots.records import refs, snapshot_from_row, thresholds_of
from wakegraph.snapshots.rules import check_enum

__all__ = ["CANDIDATES", "Propagation"]

T = TypeVar("T")

CANDIDATES: Final = 200
"""How many of the most recently active snapshots `predict_next` ranks, and how many of the highest scores."""

_NEIGHBOURS: Final = 5_000
_MAX_GIVEN: Final = 100
_CONSTANTS: Final = "prediction_constants"
_FORMULA: Final = "prediction_formula"


class Propagation:
    """What will be needed next.

    Every method takes `caller`, who asks; by default the local user.

    Args:
        graph: the database.
        settings: the settings.
        clock: gives the present time, aware.
    """

    def __init__(self, graph: Graph, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._settings = settings
        self._clock = clock

    async def settings_of(self, *, project: str | None = None, caller: Caller = LOCAL_CALLER) -> ProjectSettings:
        """The settings of layer 3 in force for a project: its own, else the installation's.

        Raises:
            NotFoundError: there is no such project.
            ConfigurationError: a setting cannot be used.
        """
        name, stored = await self._project(project, caller)
        return _shown_settings(name, self._scoring(name, stored))

    async def configure_project(
        self,
        *,
        project: str | None = None,
        profile: str | None = None,
        weights: Mapping[str, float] | None = None,
        boosts: bool | None = None,
        stale_threshold_hours: float | None = None,
        constants: Mapping[str, Any] | None = None,
        reset: Iterable[str] = (),
        caller: Caller = LOCAL_CALLER,
    ) -> ProjectSettings:
        """Give a project settings of its own. What is left out stays; its scores become stale when they would change.

        Args:
            project: the project.
            profile: one of `Profile`.
            weights: all of `temporal`, `causal`, `frequency`.
            boosts: whether the boosts of profile `steps` count.
            stale_threshold_hours: from which age on scores are stale.
            constants: by dotted name, such as `{"wake.time_constant_hours": 48}`; all the project's own constants.
            reset: names of settings (as in `Settings`) to take from the installation again.
            caller: who asks.

        Returns:
            The settings in force afterwards.

        Raises:
            NotFoundError: there is no such project.
            InvalidInputError, ConfigurationError: a value cannot be used; nothing was changed.
        """
        self._refuse_write()
        name, stored = await self._project(project, caller)
        changes = _changes(profile, weights, boosts, stale_threshold_hours, constants, reset)
        scoring = self._scoring(name, {**stored, **changes})
        await self._graph.write("projects/settings_set", name=name, changes=changes)
        return _shown_settings(name, scoring)

    async def refresh(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        stale_threshold_hours: float | None = None,
        profile: str | None = None,
        dry_run: bool = False,
        on_progress: OnProgress = silent,
        stop: Callable[[], bool] = lambda: False,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> RefreshResult:
        """Bring scores, tiers and roles up to date: those of stale snapshots of a project, or of all projects.

        Only derived properties are written. Safe to run twice at once; interrupted and run again it finishes; repeated
        for the same moment it writes nothing.

        Args:
            project: the project.
            all_projects: refresh all projects instead; one that fails does not keep the others from it.
            stale_threshold_hours: scored so many hours ago or more is stale; 0 for all. By default the setting.
            profile: one of `Profile`; by default the setting.
            dry_run: write nothing; say how many are stale.
            on_progress: told how many are done, of how many; of all projects, those begun so far.
            stop: asked between batches; True ends the refresh early.
            caller: who asks.
            now: the moment for which to score.

        Raises:
            NotFoundError: there is no such project.
            InvalidInputError: a value cannot be accepted.
            ConflictError: a refresh of the same project with other settings has begun meanwhile.
            AccessDeniedError: read-only mode and not a dry run.
        """
        if not dry_run:
            self._refuse_write()
        kind = None if profile is None else check_enum("profile", profile, Profile)
        threshold = _hours("stale_threshold", stale_threshold_hours)
        moment = _whole_ms(self._moment(now))
        began = time.perf_counter()
        turns, progress = asyncio.Semaphore(IN_FLIGHT), _Total(on_progress)
        done: list[ProjectRefresh] = []
        failed: list[RefreshFailure] = []

        async def one(project: tuple[str, dict[str, Any]]) -> None:
            name, stored = project
            if stop():
                return
            try:
                job = self._job(name, stored, kind, threshold, moment)
                if dry_run:
                    done.append(await self._dry(job))
                else:
                    told = partial(progress.tell, name)
                    done.append(await refresh_project(self._graph, job, turns, on_progress=told, stop=stop))
            except WakegraphError as error:
                if not all_projects:
                    raise
                failed.append(RefreshFailure(project=name, error=str(error)))

        projects = await self._projects(project, all_projects, caller)
        await (_side_by_side(one, projects) if all_projects else one(projects[0]))
        done.sort(key=lambda refreshed: refreshed.project)
        failed.sort(key=lambda failure: failure.project)
        seconds = time.perf_counter() - began
        updated = sum(one.updated for one in done)
        return RefreshResult(
            project=None if all_projects else projects[0][0],
            as_of=moment,
            dry_run=dry_run,
            updated=updated,
            unchanged=sum(one.unchanged for one in done),
            skipped=sum(one.skipped for one in done),
            accessed_later=sum(one.accessed_later for one in done),
            tiers_changed=sum(one.tiers_changed for one in done),
            seconds=round(seconds, 3),
            per_second=round(updated / seconds, 1) if seconds else 0.0,
            projects=done,
            failed=failed,
            interrupted=stop(),
        )

    async def high_value(
        self,
        *,
        project: str | None = None,
        min_score: float = 0.6,
        limit: int = 5,
        refresh_first: bool = False,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> HighValueContexts:
        """The snapshots of a project with the highest scores, with their components and reasons.

        What was superseded comes last. An empty answer names the best score there is.

        Args:
            project: the project.
            min_score: least score, 0 to 1.
            limit: 1 to 100.
            refresh_first: score what is stale first, when that is little and the caller may write.
            caller: who asks.
            now: the moment of the call.

        Raises:
            NotFoundError: there is no such project.
            InvalidInputError: a value is out of range.
        """
        check_limit(limit)
        least = _score("min_score", min_score)
        moment = self._moment(now)
        name, stored = await self._project(project, caller)
        state, formula = await self._state(name, stored, refresh_first, caller, moment)
        rows: list[Row] = []
        for superseded in (False, True):
            if len(rows) <= limit:
                rows += await self._graph.read(
                    "propagation/high_value",
                    project=name,
                    at_least=least,
                    superseded=superseded,
                    limit=limit + 1 - len(rows),
                )
        thresholds = thresholds_of(self._settings)
        best = None if rows else await self._graph.read_one("propagation/best_score", project=name)
        return HighValueContexts(
            project=name,
            as_of=moment,
            min_score=least,
            contexts=[_scored(row, moment, thresholds, formula) for row in rows[:limit]],
            has_more=len(rows) > limit,
            formula=formula.info(),
            state=state,
            best_score=best["score"] if best else None,
            best=refs([best])[0] if best else None,
            note=None if rows else _nothing(best, least, formula),
        )

    async def bring_up_to_date(
        self, *, project: str | None = None, caller: Caller = LOCAL_CALLER, now: datetime | None = None
    ) -> ScoringState:
        """Score what is stale in a project, when that is little and the caller may write.

        For answers of others that rank by score. A project that holds nothing has nothing stale.

        Args:
            project: the project.
            caller: who asks.
            now: the moment of the call.

        Returns:
            How many scores are still out of date.

        Raises:
            InvalidInputError: no project is known.
            NotFoundError: the project does not exist for this caller.
        """
        name = require_project(project, self._settings.project, caller)
        state, _ = await self._state(name, await self._stored(name), True, caller, self._moment(now))
        return state

    async def stats(
        self,
        *,
        project: str | None = None,
        refresh_first: bool = False,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> PropagationStats:
        """Scores over a whole project: how many, their mean, bands and reasons, and how many are stale.

        Args:
            project: the project.
            refresh_first: score what is stale first, when that is little and the caller may write.
            caller: who asks.
            now: the moment of the call.

        Raises:
            NotFoundError: there is no such project.
        """
        moment = self._moment(now)
        name, stored = await self._project(project, caller)
        state, formula = await self._state(name, stored, refresh_first, caller, moment)
        row = await self._graph.read_one("propagation/stats", project=name)
        assert row is not None  # noqa: S101  the statement always returns one row
        frequency: Counter[str] = Counter()
        for reasons in await self._graph.read("propagation/reasons", project=name):
            frequency.update(dict.fromkeys(reasons["reasons"], reasons["snapshots"]))
        listed = sorted(frequency.items(), key=lambda item: (-item[1], REASONS.index(item[0])))
        return PropagationStats(
            project=name,
            as_of=moment,
            total_contexts=row["total"],
            total_predicted=row["predicted"],
            average_prediction_score=row["average"],
            reason_frequency=[ReasonCount(reason=reason, snapshots=count) for reason, count in listed],
            bands=Bands(high=row["high"], medium=row["medium"], low=row["predicted"] - row["high"] - row["medium"]),
            stale=state.stale,
            formula=formula.info(),
        )

    async def predict_next(
        self,
        given: str | Sequence[str] = (),
        *,
        project: str | None = None,
        limit: int = 10,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> Predictions:
        """What will probably be needed next: ACT-R activation, base level and spreading from snapshots in hand.

        Ranked are the neighbours of those in hand along causes and dependencies, both ways, the snapshots that were
        active last and those with the highest scores: a bounded number whatever the size of the project. The activation
        of each is computed for the moment of the call; nothing is written.

        Args:
            given: names of the snapshots in hand; they are left out of the answer.
            project: the project of the answer.
            limit: 1 to 100.
            caller: who asks.
            now: the moment of the call.

        Raises:
            NotFoundError: there is no such project or snapshot.
            InvalidInputError: a value is out of range.
        """
        check_limit(limit)
        names = [given] if isinstance(given, str) else list(given)
        if len(names) > _MAX_GIVEN:
            raise InvalidInputError(f"{len(names)} snapshots were given; the limit is {_MAX_GIVEN}")
        moment = self._moment(now)
        keys = await resolve_many(
            self._graph.read,
            names,
            project=project,
            default=self._settings.project,
            caller=caller,
            argument="given",
        )
        keys = sorted(set(keys))
        home = project if project is not None or not keys else keys[0].project
        name, stored = await self._project(home, caller)
        scoring = self._scoring(name, stored)
        constants = scoring.formula.constants.activation
        ranking = Ranking(await self._candidates(name, keys, constants, moment), constants, moment)
        shown = ranking.best(limit)
        rows = await self._graph.read(
            "propagation/nodes", project=name, ids=[ranking.ids[position] for position in shown]
        )
        nodes = {row["node"]["id"]: row for row in rows}
        hands = {Key(node["project"], node["id"]): node["title"] for node in await self._nodes(keys)}
        in_hand = [SnapshotRef(id=key.id, project=key.project, title=hands.get(key)) for key in keys]
        thresholds = thresholds_of(self._settings)
        return Predictions(
            project=name,
            as_of=moment,
            given=in_hand,
            predictions=[
                ranking.prediction(position, nodes[ranking.ids[position]], in_hand, moment, thresholds)
                for position in shown
                if ranking.ids[position] in nodes
            ],
            candidates=len(ranking.ids),
            decay=constants.decay,
            association=constants.association,
            changed_constants=scoring.formula.info().changed_constants,
        )

    async def explain_score(
        self,
        id: str,  # noqa: A002  the name of the property
        *,
        project: str | None = None,
        profile: str | None = None,
        caller: Caller = LOCAL_CALLER,
        now: datetime | None = None,
    ) -> ScoreExplanation:
        """The score of a snapshot, taken apart: each component with its inputs, the weights, and the sum.

        Args:
            id: its name.
            project: its project.
            profile: one of `Profile`; by default the setting.
            caller: who asks.
            now: the moment for which to score.

        Raises:
            NotFoundError: there is no such snapshot.
        """
        kind = None if profile is None else check_enum("profile", profile, Profile)
        moment = _whole_ms(self._moment(now))
        key = await resolve(self._graph.read, id, project=project, default=self._settings.project, caller=caller)
        stored = await self._stored(key.project)
        scoring = self._scoring(key.project, stored).with_profile(kind)
        formula = scoring.formula
        row = await read_columns(self._graph.read_one, key.project, [key.id], moment, formula.profile)
        nodes = await self._nodes([key])
        if not nodes or not row["ids"]:
            raise NotFoundError(f"{key} was deleted meanwhile")
        node = nodes[0]
        found = explain(
            columns_of(row, moment, formula), epoch_ms(moment), formula.profile, formula.weights, formula.constants
        )
        predicted = node.get("last_predicted", EPOCH)
        old = predicted <= stale_cutoff(moment, scoring.stale_threshold_hours)
        upcoming = found.predicted_next_ms
        return ScoreExplanation(
            id=key.id,
            project=key.project,
            title=node["title"],
            as_of=moment,
            formula=formula.info(),
            components=[
                ScoreComponent(
                    name=part.name,
                    value=part.value,
                    weight=part.weight,
                    contribution=part.contribution,
                    formula=part.formula,
                    inputs=[InputValue(name=name, value=value) for name, value in part.inputs.items()],
                )
                for part in found.components
            ],
            total=found.total,
            combined=found.formula,
            prediction_score=found.prediction,
            prediction_reasons=found.reasons,
            predicted_next_access=None if upcoming is None else EPOCH + timedelta(milliseconds=upcoming),
            stored_score=node.get("prediction_score"),
            stored_profile=node.get("prediction_profile"),
            last_predicted=None if predicted == EPOCH else predicted,
            stale=old or stored.get(_FORMULA) != formula.text(),
        )

    async def _state(
        self, project: str, stored: Mapping[str, Any], refresh_first: bool, caller: Caller, now: datetime
    ) -> tuple[ScoringState, Formula]:
        """How current the scores are, after scoring what is stale when that is asked for and little."""
        scoring = self._scoring(project, stored)
        moment = _whole_ms(now)
        cutoff = stale_cutoff(moment, scoring.stale_threshold_hours)
        if stored.get(_FORMULA) != scoring.formula.text():
            # Everything is stale, however lately it was scored: by another formula.
            row = await self._graph.read_one("propagation/counts", project=project, cutoff=cutoff)
            stale = row["total"] if row else 0
        else:
            row = await self._graph.read_one("propagation/stale_count", project=project, cutoff=cutoff)
            stale = row["stale"] if row else 0
        may = not self._settings.read_only and Scope.WRITE in caller.scopes
        if refresh_first and may and 0 < stale <= self._settings.refresh_before_answer:
            refreshed = await refresh_few(
                self._graph, Job(project, scoring.formula, moment, cutoff, stored.get(_FORMULA))
            )
            row = await self._graph.read_one("propagation/stale_count", project=project, cutoff=cutoff)
            return ScoringState(stale=row["stale"] if row else 0, refreshed=refreshed), scoring.formula
        note = None
        if stale:
            note = (
                f"{stale:,} snapshots have scores that are out of date: run `wakegraph refresh` or update_predictions"
            )
        return ScoringState(stale=stale, note=note), scoring.formula

    async def _candidates(
        self, project: str, given: Sequence[Key], constants: ActivationConstants, now: datetime
    ) -> Candidates:
        """The neighbours of the snapshots in hand, those active last and those with the highest scores."""
        # Beyond e^S neighbours the attention of a snapshot is spread so thin that it adds nothing.
        bound = math.ceil(math.exp(min(constants.association, math.log(_NEIGHBOURS)))) + 1
        near = await self._graph.read(
            "propagation/associations", project=project, keys=[key.row() for key in given], limit=bound
        )
        usual = await self._graph.read_one(
            "propagation/candidates", project=project, until=LATEST, active=CANDIDATES, scored=CANDIDATES
        )
        neighbours: list[list[str]] = [[] for _ in given]
        for row in near:
            neighbours[row["given"]] = row["neighbours"]
        in_hand = {key.id for key in given if key.project == project}
        ids = sorted({id_ for one in (*neighbours, usual["ids"] if usual else ()) for id_ in one} - in_hand)
        facts = await read_columns(self._graph.read_one, project, ids, now, Profile.ACTIVATION)
        gone = await self._graph.read_one("propagation/superseded", project=project, ids=ids)
        return Candidates(facts["ids"], facts, neighbours, gone["ids"] if gone else ())

    async def _nodes(self, keys: Sequence[Key]) -> list[dict[str, Any]]:
        nodes: list[dict[str, Any]] = []
        for project in sorted({key.project for key in keys}):
            ids = [key.id for key in keys if key.project == project]
            nodes += [row["node"] for row in await self._graph.read("propagation/nodes", project=project, ids=ids)]
        return nodes

    def _job(
        self,
        project: str,
        stored: Mapping[str, Any],
        profile: Profile | None,
        threshold: float | None,
        now: datetime,
    ) -> Job:
        scoring = self._scoring(project, stored).with_profile(profile)
        hours = scoring.stale_threshold_hours if threshold is None else threshold
        return Job(project, scoring.formula, now, stale_cutoff(now, hours), stored.get(_FORMULA))

    async def _dry(self, job: Job) -> ProjectRefresh:
        row = await self._graph.read_one("propagation/counts", project=job.project, cutoff=job.cutoff)
        assert row is not None  # noqa: S101  the statement always returns one row
        fresh = 0 if job.stored != job.formula.text() or job.whole else row["fresh"]
        return ProjectRefresh(
            project=job.project,
            total=row["total"],
            updated=row["total"] - fresh,
            skipped=fresh,
            formula=job.formula.info(),
        )

    async def _projects(
        self, project: str | None, all_projects: bool, caller: Caller
    ) -> list[tuple[str, dict[str, Any]]]:
        """The project, or all of them, with the properties of their nodes."""
        if not all_projects:
            return [await self._project(project, caller)]
        if project is not None:
            raise InvalidInputError(f"give either project {project!r} or all projects, not both")
        rows = await self._graph.read("projects/settings", projects=caller.project_list())
        return [(row["settings"]["name"], row["settings"]) for row in rows]

    async def _stored(self, project: str) -> dict[str, Any]:
        row = await self._graph.read_one("projects/one", name=project)
        return dict(row["settings"]) if row else {}

    def _scoring(self, project: str, stored: Mapping[str, Any]) -> Scoring:
        return Scoring.of(self._settings, stored, f"project {project!r}")

    async def _project(self, project: str | None, caller: Caller) -> tuple[str, dict[str, Any]]:
        return await project_with_settings(self._graph.read, project, self._settings.project, caller)

    def _moment(self, now: datetime | None) -> datetime:
        return self._clock() if now is None else now

    def _refuse_write(self) -> None:
        if self._settings.read_only:
            raise AccessDeniedError("wakegraph runs in read-only mode, nothing was written: unset WAKEGRAPH_READ_ONLY")


class _Total:
    """Progress over several projects."""

    def __init__(self, on_progress: OnProgress) -> None:
        self._on_progress = on_progress
        self._steps: dict[str, tuple[int, int]] = {}

    def tell(self, project: str, done: int, total: int | None) -> None:
        self._steps[project] = (done, total or 0)
        self._on_progress(*map(sum, zip(*self._steps.values(), strict=True)))


async def _side_by_side(work: Callable[[T], Awaitable[None]], items: Iterable[T]) -> None:
    """Do something for each item, two at a time: while one waits for its first batch, the other writes."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    async with asyncio.TaskGroup() as group:
        for _ in range(IN_FLIGHT):
            group.create_task(worker())


def _changes(
    profile: str | None,
    weights: Mapping[str, float] | None,
    boosts: bool | None,
    stale_threshold_hours: float | None,
    constants: Mapping[str, Any] | None,
    reset: Iterable[str],
) -> dict[str, Any]:
    """Properties of the project's node to set, None for those to take away."""
    changes: dict[str, Any] = {}
    for name in reset:
        if name not in PROJECT_KEYS:
            raise InvalidInputError(f"reset {name!r} is no setting of a project: use one of {', '.join(PROJECT_KEYS)}")
        changes[name] = None
    if weights is not None:
        parts = ("temporal", "causal", "frequency")
        if weights.keys() != set(parts):
            raise InvalidInputError(
                f"weights must name {', '.join(parts)}, not {', '.join(map(str, weights)) or 'none'}"
            )
        changes |= {f"weight_{part}": weights[part] for part in parts}
    given = {
        "prediction_profile": None if profile is None else check_enum("profile", profile, Profile).value,
        "steps_boosts": boosts,
        "stale_threshold_hours": stale_threshold_hours,
        _CONSTANTS: None if constants is None else _as_json(constants),
    }
    return changes | {name: value for name, value in given.items() if value is not None}


def _as_json(constants: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(constants), sort_keys=True)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"constants cannot be written as JSON: {error}") from None


def _shown_settings(project: str, scoring: Scoring) -> ProjectSettings:
    return ProjectSettings(
        project=project,
        formula=scoring.formula.info(),
        stale_threshold_hours=scoring.stale_threshold_hours,
        own=list(scoring.own),
    )


def _whole_ms(moment: datetime) -> datetime:
    """The millisecond that a time lies in: scores know no finer ones."""
    return EPOCH + timedelta(milliseconds=epoch_ms(moment))


def _hours(name: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise InvalidInputError(f"{name} {value!r} is not accepted: use a number of hours of at least 0")
    return float(value)


def _score(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidInputError(f"{name} {value!r} is not accepted: use a number from 0 to 1")
    return float(value)


def _scored(row: Row, now: datetime, thresholds: TierThresholds, formula: Formula) -> ScoredSnapshot:
    """A stored score with its components; weights are shown where they are those that the score was made with."""
    snapshot = snapshot_from_row(row["node"], now, thresholds, row["superseded_by"])
    weighed = snapshot.prediction_profile is formula.profile is not Profile.ACTIVATION
    parts = []
    for name in ("temporal", "causal", "frequency"):
        value = getattr(snapshot, f"{name}_score")
        weight = getattr(formula.weights, name) if weighed else None
        if value is not None:
            parts.append(
                ScorePart(
                    name=name, value=value, weight=weight, contribution=None if weight is None else weight * value
                )
            )
    return ScoredSnapshot(**dict(snapshot), components=parts)


def _nothing(best: Row | None, least: float, formula: Formula) -> str:
    if best is None:
        return "no snapshot of this project was scored yet: run `wakegraph refresh` or update_predictions"
    hint = ""
    if formula.profile is Profile.WAKE and formula == Formula():
        hint = "; what was never accessed cannot exceed 0.42"
    return f"the best score is {best['score']:.3f} ({best['id']}), below {least:g}{hint}: lower min_score"
