"""refresh, high-value, predict-next, explain-score, configure."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from cyclopts import Parameter

from wakegraph.cli.memory import AllProjects
from wakegraph.cli.options import OPTIONS, TIMED, Options, SnapshotName, Timed
from wakegraph.cli.output import Output, clean, moment, styled
from wakegraph.cli.progress import counting_progress
from wakegraph.cli.session import opened
from wakegraph.errors import InvalidInputError, WakegraphError
from wakegraph.propagation.models import (
    FormulaInfo,
    HighValueContexts,
    Prediction,
    Predictions,
    ProjectSettings,
    PropagationStats,
    RefreshResult,
    ScoredSnapshot,
    ScoreExplanation,
)
from wakegraph.propagation.schedule import parse_interval, run_every

__all__ = ["configure", "explain_score", "high_value", "predict_next", "refresh", "show_propagation"]

_INCOMPLETE = 1

Profile = Annotated[str | None, Parameter(help="wake, steps or activation. By default the setting.")]
Threshold = Annotated[
    float | None, Parameter(help="Hours after which a score is out of date; 0 for all. By default the setting, 24.")
]


async def refresh(
    *,
    all_projects: AllProjects = False,
    stale_threshold: Threshold = None,
    profile: Profile = None,
    dry_run: Annotated[
        bool, Parameter(negative=(), show_default=False, help="Say how many are out of date, change nothing.")
    ] = False,
    every: Annotated[str | None, Parameter(help="Go on for ever, once in this time: 12h, 30m, 1d.")] = None,
    options: Timed = TIMED,
) -> int:
    """Bring scores, tiers and roles up to date: the script for cron.

    In a pipe it prints one JSON line a run. The exit code is 0 only when everything was refreshed, 1 when some projects
    of --all were not; others say what went wrong, as with every command. With --every, a failed run is reported and
    tried again; SIGTERM and SIGINT end it after the batch at hand with exit code 0.
    """
    interval = None if every is None else parse_interval(every)
    if interval and options.now:
        raise InvalidInputError("--every goes with the clock: leave --now out")
    async with opened(options) as cli:
        stop = asyncio.Event()

        async def once() -> RefreshResult:
            with counting_progress("refreshing") as on_progress:
                answer = await cli.wake.propagation.refresh(
                    project=cli.project,
                    all_projects=all_projects,
                    stale_threshold_hours=stale_threshold,
                    profile=profile,
                    dry_run=dry_run,
                    on_progress=on_progress,
                    stop=stop.is_set,
                    caller=cli.caller,
                    now=options.moment,
                )
            _report(answer, cli.output, document=options.json and interval is None)
            return answer

        if interval is None:
            return 0 if (await once()).complete else _INCOMPLETE

        async def work() -> None:
            await once()

        with _stopped_by_signals(stop):
            await run_every(work, interval, stop, _failed)
        return 0


async def high_value(
    *,
    min_score: Annotated[float, Parameter(help="Least score, 0 to 1.")] = 0.6,
    limit: Annotated[int, Parameter(help="Snapshots at the most (1 to 100).")] = 5,
    options: Timed = TIMED,
) -> None:
    """What is worth keeping at hand. Scores are those of the last refresh."""
    async with opened(options) as cli:
        answer = await cli.wake.propagation.high_value(
            project=cli.project, min_score=min_score, limit=limit, caller=cli.caller, now=options.moment
        )
        cli.output.show(answer, _high_value)


async def predict_next(
    given: Annotated[list[str] | None, Parameter(negative=(), help="Names of the snapshots in hand.")] = None,
    *,
    limit: Annotated[int, Parameter(help="Snapshots at the most (1 to 100).")] = 10,
    options: Timed = TIMED,
) -> None:
    """What will probably be needed right after the snapshots in hand."""
    async with opened(options) as cli:
        answer = await cli.wake.propagation.predict_next(
            given or [], project=cli.project, limit=limit, caller=cli.caller, now=options.moment
        )
        cli.output.show(answer, _predicted)


async def explain_score(
    id: SnapshotName,  # noqa: A002
    /,
    *,
    profile: Profile = None,
    options: Timed = TIMED,
) -> None:
    """The score of a snapshot, taken apart."""
    async with opened(options) as cli:
        answer = await cli.wake.propagation.explain_score(
            id, project=cli.project, profile=profile, caller=cli.caller, now=options.moment
        )
        cli.output.show(answer, _explained)


async def configure(
    *,
    profile: Annotated[str | None, Parameter(help="wake, steps or activation.")] = None,
    weights: Annotated[str | None, Parameter(help="Temporal, causal and frequency, such as 0.4,0.3,0.3.")] = None,
    boosts: Annotated[bool | None, Parameter(help="The boosts of profile steps.")] = None,
    stale_threshold: Threshold = None,
    constants: Annotated[
        list[str] | None,
        Parameter(name="--constant", negative=(), help="NAME=VALUE, such as wake.time_constant_hours=48; repeatable."),
    ] = None,
    reset: Annotated[
        list[str] | None,
        Parameter(negative=(), help="A setting to take from the installation again; repeatable."),
    ] = None,
    options: Options = OPTIONS,
) -> None:
    """Show or change how a project scores. Without options nothing is changed."""
    async with opened(options) as cli:
        service = cli.wake.propagation
        changes: dict[str, Any] = {
            "profile": profile,
            "weights": _weights(weights),
            "boosts": boosts,
            "stale_threshold_hours": stale_threshold,
            "constants": _constants(constants),
            "reset": reset or (),
        }
        if any(value is not None and value != () for value in changes.values()):
            answer = await service.configure_project(project=cli.project, **changes, caller=cli.caller)
        else:
            answer = await service.settings_of(project=cli.project, caller=cli.caller)
        cli.output.show(answer, _settings)


def show_propagation(answer: PropagationStats, output: Output) -> None:
    """Print how the scores of a project are spread, as bars on a terminal."""
    bands = {"0.8 and above": answer.bands.high, "0.5 and above": answer.bands.medium, "below 0.5": answer.bands.low}
    output.bars(f"{answer.project} by score", bands)
    output.bars("reason", {one.reason: one.snapshots for one in answer.reason_frequency})
    average = answer.average_prediction_score
    facts = [
        ("scored", f"{answer.total_predicted} of {answer.total_contexts}"),
        ("mean score", "none" if average is None else f"{average:.3f}"),
        ("out of date", str(answer.stale)),
        ("formula", _formula(answer.formula)),
    ]
    output.rows(("propagation", "value"), facts)


def _report(answer: RefreshResult, output: Output, *, document: bool) -> None:
    """One JSON document when asked for, words on a terminal, one JSON line in a pipe and for each of many runs."""
    if document or output.rich:
        output.show(answer, _refreshed)
    else:
        print(json.dumps(answer.model_dump(mode="json", by_alias=False), ensure_ascii=False), flush=True)


def _failed(error: WakegraphError) -> None:
    print(f"wakegraph: {' '.join(str(error).split())}; trying again", file=sys.stderr, flush=True)


@contextmanager
def _stopped_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Set `stop` at the first SIGTERM or SIGINT; a second one does what it always does."""
    loop = asyncio.get_running_loop()
    before: dict[signal.Signals, Any] = {}

    def on_signal(number: int, _: Any) -> None:
        loop.call_soon_threadsafe(stop.set)
        signal.signal(number, before[signal.Signals(number)])

    for number in (signal.SIGTERM, signal.SIGINT):
        before[number] = signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _refreshed(answer: RefreshResult, output: Output) -> None:
    verb = "would be scored" if answer.dry_run else "were scored"
    output.line(
        f"{answer.updated:,} snapshots {verb}, {answer.unchanged:,} were right already, "
        f"{answer.skipped:,} were not out of date ({answer.seconds:.1f} s, {answer.per_second:,.0f} a second)"
    )
    if answer.tiers_changed:
        output.line(f"{answer.tiers_changed:,} more have another tier now")
    if answer.accessed_later:
        output.line(f"{answer.accessed_later:,} were accessed later than that moment and stay out of date")
    for failure in answer.failed:
        output.line(f"[bold red]{clean(failure.project)}: {clean(failure.error)}[/]")


def _high_value(answer: HighValueContexts, output: Output) -> None:
    if output.rich:
        for one in answer.contexts:
            _show_valued(one, output)
        output.line(f"[dim]formula: {clean(_formula(answer.formula))}[/]")
    elif answer.contexts:
        rows = [
            (one.id, f"{one.prediction_score or 0:.3f}", ",".join(one.prediction_reasons), one.title)
            for one in answer.contexts
        ]
        output.rows(("id", "score", "reasons", "title"), rows)
    if answer.note:
        output.line(clean(answer.note))
    if answer.state.note and output.rich:
        output.line(f"[yellow]{clean(answer.state.note)}[/]")


def _show_valued(one: ScoredSnapshot, output: Output) -> None:
    gone = f"  superseded by {clean(one.superseded_by[0].id)}" if one.superseded_by else ""
    score = f"{one.prediction_score or 0:.3f}"
    output.line(f"[bold]{score}[/]  [bold]{clean(one.id)}[/]  {styled(one.memory_tier.value)}{gone}")
    output.line(f"       {clean(one.title)}")
    parts = " ".join(f"{part.name} {part.value:.2f}" for part in one.components)
    output.line(f"       [dim]{parts} · {', '.join(one.prediction_reasons)}[/]")


def _predicted(answer: Predictions, output: Output) -> None:
    if not answer.predictions:
        output.line("there is nothing to predict from in this project")
    elif output.rich:
        for one in answer.predictions:
            _show_predicted(one, output)
    else:
        rows = [
            (one.snapshot.id, f"{one.score:.3f}", f"{one.activation:.3f}", one.snapshot.title)
            for one in answer.predictions
        ]
        output.rows(("id", "score", "activation", "title"), rows)


def _show_predicted(one: Prediction, output: Output) -> None:
    sources = "".join(f" {part.amount:+.2f} from {clean(part.source.id)}" for part in one.spreading_from)
    output.line(f"[bold]{one.score:.3f}[/]  [bold]{clean(one.snapshot.id)}[/]  {clean(one.snapshot.title)}")
    output.line(f"       [dim]activation {one.activation:.2f} = base level {one.base_level:.2f}{sources}[/]")


def _explained(answer: ScoreExplanation, output: Output) -> None:
    output.line(f"[bold]{clean(answer.id)}[/]  {clean(answer.title or '')}")
    output.line(f"formula: {clean(_formula(answer.formula))}")
    rows = [
        (
            part.name,
            f"{part.value:.6f}",
            f"{part.weight:g}",
            f"{part.contribution:.6f}",
            ", ".join(f"{one.name} {_value(one.value)}" for one in part.inputs),
            part.formula,
        )
        for part in answer.components
    ]
    output.rows(("component", "value", "weight", "contribution", "inputs", "made by"), rows, numbers=(1, 2, 3))
    output.line(f"total {answer.total:.6f}, score = {clean(answer.combined)} = [bold]{answer.prediction_score:.6f}[/]")
    output.line(f"reasons: {', '.join(answer.prediction_reasons)}")
    if answer.predicted_next_access:
        output.line(f"next access expected {moment(answer.predicted_next_access)}")
    if answer.stored_score is None:
        output.line("nothing is stored yet: run `wakegraph refresh`")
    else:
        state = "out of date" if answer.stale else "current"
        when = moment(answer.last_predicted) if answer.last_predicted else "before its inputs changed"
        output.line(f"stored: {answer.stored_score:.6f}, scored {when} ({state})")


def _settings(answer: ProjectSettings, output: Output) -> None:
    tiers = answer.formula.tier_hours
    rows = [
        ("formula", _formula(answer.formula)),
        ("out of date after", f"{answer.stale_threshold_hours:g} h"),
        ("tiers from", f"{tiers.active:g} h, {tiers.recent:g} h, {tiers.archived:g} h"),
        ("its own", ", ".join(answer.own) or "nothing: all of the installation"),
    ]
    output.rows((answer.project, "value"), rows)


def _formula(formula: FormulaInfo) -> str:
    parts = [formula.profile.value]
    if formula.weights:
        weights = formula.weights
        parts.append(f"weights {weights.temporal:g} / {weights.causal:g} / {weights.frequency:g}")
    if formula.boosts:
        parts.append("boosts on")
    return ", ".join((*parts, *formula.changed_constants))


def _value(value: float | str | None) -> str:
    return "none" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def _weights(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    try:
        temporal, causal, frequency = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidInputError(f"--weights {text!r} are not three numbers: say 0.4,0.3,0.3") from None
    return {"temporal": temporal, "causal": causal, "frequency": frequency}


def _constants(given: list[str] | None) -> dict[str, Any] | None:
    if given is None:
        return None
    constants = {}
    for text in given:
        name, separator, value = text.partition("=")
        try:
            constants[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            separator = ""
        if not separator:
            raise InvalidInputError(f"--constant {text!r} is not NAME=VALUE with a number or a list of numbers")
    return constants
