"""Scores of snapshots: components, composite, reasons and predicted next access of the three profiles.

Pure: no I/O, no clock. Columns of N snapshots in, columns of N results out, without a Python loop per
snapshot; a row's result depends on that row alone, to the bit. Times are epoch milliseconds as in
``wakegraph.memory.tiers``.
Categories are small integers: the code of a role, a tier or an action type is its position in ``ROLES``,
``wakegraph.memory.tiers.TIERS`` or ``ACTIONS``.

Any times and counts give finite scores of 0-1: a future time counts as 0 h, a negative count as 0, an absent
``accessed_ms`` is "never accessed" whatever the count says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from wakegraph.memory.tiers import DAY_MS, HOUR_MS, MISSING, TIERS
from wakegraph.models import ActionType, CausalRole, MemoryTier, Profile
from wakegraph.propagation.activation import (
    ActivationConstants,
    BaseLevel,
    Floats,
    Ints,
    Ragged,
    base_level,
    squash,
)

Codes = NDArray[np.int8]
Masks = NDArray[np.uint16]
Bools = NDArray[np.bool_]

ROLES: Final = tuple(CausalRole)
ACTIONS: Final = tuple(ActionType)

REASONS: Final = (
    "high_composite_score",
    "recently_accessed",
    "accessed_today",
    "high_access_frequency",
    "moderate_access_frequency",
    "causal_chain_root",
    "causal_chain_member",
    "decision_node",
    "active_memory_tier",
    "baseline_prediction",
)
"""Reasons in the order in which they are listed; bit k of a mask is ``REASONS[k]``."""

_BIT: Final = {name: np.uint16(1 << k) for k, name in enumerate(REASONS)}
_ACTIVATION: Final = ActivationConstants()
_LONGEST_AHEAD_MS: Final = 7 * DAY_MS
_GRID: Final = 1e12  # scores are whole multiples of 1e-12, so that 0.4 + 0.09 + 0.21 is 0.7 and meets >= 0.7


def _check(owner: Any, holds: bool, rule: str) -> None:
    if not holds:
        values = ", ".join(f"{f.name}={getattr(owner, f.name)}" for f in fields(owner))
        raise ValueError(f"{rule}: {values}")


def _unit(*values: float) -> bool:
    return all(0 <= v <= 1 for v in values)


def _increasing(values: tuple[float, ...]) -> bool:
    return all(a < b for a, b in pairwise(values)) and math.isfinite(sum(values))


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the components; ValueError unless they are finite, >= 0 and sum to 1 (within 1e-9)."""

    temporal: float = 0.4
    causal: float = 0.3
    frequency: float = 0.3

    def __post_init__(self) -> None:
        total = self.temporal + self.causal + self.frequency
        fine = min(self.temporal, self.causal, self.frequency) >= 0 and abs(total - 1) <= 1e-9
        _check(self, fine, f"weights must be numbers of at least 0 that sum to 1, not to {total}")


@dataclass(frozen=True, slots=True)
class WakeConstants:
    """Constants of profile ``wake``. ValueError when a component could leave 0-1.

    time_constant_hours: T of exp(-h/T).
    never_accessed: temporal part of what was never accessed, by tier in the order of ``TIERS``.
    no_dependents: causal part of n = 0 with some other edge.
    uncaused_base, uncaused_cap: min(cap, base + per_dependent * n) without a cause.
    caused_base, caused_cap: the same with a cause.
    saturation: access count whose frequency part is 1.
    """

    time_constant_hours: float = 24.0
    never_accessed: tuple[float, float, float, float] = (0.3, 0.2, 0.1, 0.0)
    no_dependents: float = 0.2
    uncaused_base: float = 0.5
    uncaused_cap: float = 1.0
    caused_base: float = 0.3
    caused_cap: float = 0.7
    per_dependent: float = 0.1
    saturation: int = 100

    def __post_init__(self) -> None:
        _check(self, 0 < self.time_constant_hours < math.inf, "time_constant_hours must be positive")
        _check(self, len(self.never_accessed) == len(TIERS), "never_accessed must have one value a tier")
        uncaused, caused = (self.uncaused_base, self.uncaused_cap), (self.caused_base, self.caused_cap)
        within = _unit(*self.never_accessed, self.no_dependents, *uncaused, *caused, self.per_dependent)
        _check(self, within, "values must be within 0-1")
        _check(self, 1 <= self.saturation <= 1_000_000, "saturation must be within 1-1000000")
        single = min(uncaused[1], caused[1], min(uncaused[0], caused[0]) + self.per_dependent)
        _check(self, self.no_dependents <= single, "no_dependents must not exceed the part of n = 1")


@dataclass(frozen=True, slots=True)
class StepsBoosts:
    """What profile ``steps`` adds to its composite when ``enabled``; the sum is clamped to 0-1 afterwards."""

    enabled: bool = False
    root: float = 0.3
    branch: float = 0.1
    decision: float = 0.2
    active: float = 0.3
    recent: float = 0.1
    expired: float = -0.2

    def __post_init__(self) -> None:
        boosts = (self.root, self.branch, self.decision, self.active, self.recent, self.expired)
        _check(self, all(-1 <= b <= 1 for b in boosts), "boosts must be within -1 to 1")


@dataclass(frozen=True, slots=True)
class StepsConstants:
    """Constants of profile ``steps``. ValueError when a component could leave 0-1 or bounds do not increase.

    temporal: parts for h < temporal_hours[0], < temporal_hours[1], ..., and from the last on.
    never_accessed: temporal part of what was never accessed.
    root, branch, decision, leaf, other: causal part, the first that holds, in this order.
    frequency: parts for a < frequency_counts[0], < frequency_counts[1], ..., and from the last on.
    """

    temporal_hours: tuple[float, ...] = (1, 6, 24, 168)
    temporal: tuple[float, ...] = (1.0, 0.8, 0.5, 0.3, 0.1)
    never_accessed: float = 0.1
    root: float = 1.0
    branch: float = 0.8
    decision: float = 0.9
    leaf: float = 0.3
    other: float = 0.5
    frequency_counts: tuple[int, ...] = (2, 5, 10)
    frequency: tuple[float, ...] = (0.2, 0.4, 0.7, 1.0)
    boosts: StepsBoosts = StepsBoosts()

    def __post_init__(self) -> None:
        bounds = ((self.temporal_hours, self.temporal), (self.frequency_counts, self.frequency))
        steps = all(len(values) == len(limits) + 1 and _increasing(limits) for limits, values in bounds)
        _check(self, steps, "bounds must increase and have one value more than there are bounds")
        causal = (self.root, self.branch, self.decision, self.leaf, self.other)
        within = _unit(*self.temporal, self.never_accessed, *causal, *self.frequency)
        _check(self, within, "values must be within 0-1")
        falling = _increasing(tuple(-v for v in self.temporal)) and _increasing(self.frequency)
        _check(self, falling, "temporal values must fall and frequency values rise")


@dataclass(frozen=True, slots=True)
class ReasonThresholds:
    """From where on a reason holds: scores and counts from the value on, hours below it."""

    high_score: float = 0.7
    recent_hours: float = 1
    today_hours: float = 24
    high_count: int = 10
    moderate_count: int = 3

    def __post_init__(self) -> None:
        fine = _unit(self.high_score) and 0 < self.recent_hours < self.today_hours < math.inf
        fine = fine and 0 < self.moderate_count < self.high_count
        _check(self, fine, "reasons need a score within 0-1 and increasing hours and counts")


@dataclass(frozen=True, slots=True)
class Constants:
    """All constants of all profiles: what an installation or a project may set."""

    wake: WakeConstants = WakeConstants()
    steps: StepsConstants = StepsConstants()
    activation: ActivationConstants = _ACTIVATION
    reasons: ReasonThresholds = ReasonThresholds()


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumns:
    """The facts about N snapshots that scores rest on, one array of N each. ValueError when lengths differ.

    created_ms, accessed_ms: creation and last access; absent is ``MISSING``.
    access_count: accesses.
    dependents: distinct snapshots caused by it or depending on it, directly; detected ones not counted.
    dependencies: snapshots it depends on, detected ones not counted; only whether there is one matters.
    role_codes, tier_codes, action_codes: into ``ROLES``, ``TIERS``, ``ACTIONS``. Whether it has a cause is in
        its role (branch, link and leaf have one).
    recent: times of the accesses kept; used by profile ``activation`` only.
    """

    created_ms: Ints
    accessed_ms: Ints
    access_count: Ints
    dependents: Ints
    dependencies: Ints
    role_codes: Codes
    tier_codes: Codes
    action_codes: Codes
    recent: Ragged

    def __post_init__(self) -> None:
        lengths = {f.name: len(getattr(self, f.name)) for f in fields(self)}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns of different lengths: {lengths}")

    def __len__(self) -> int:
        return len(self.created_ms)


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Results of N snapshots, one array each.

    temporal, causal, frequency: components, 0-1; with profile ``activation`` those of ``wake``, for
    comparison only.
    boost: what optional boosts add before clamping (0 without).
    prediction: the composite, 0-1, a multiple of 1e-12.
    reasons: bit masks over ``REASONS``, never 0.
    predicted_next_ms: predicted next access, ``MISSING`` where there is none.
    base: strengths behind the composite of profile ``activation``, else None.
    """

    temporal: Floats
    causal: Floats
    frequency: Floats
    boost: Floats
    prediction: Floats
    reasons: Masks
    predicted_next_ms: Ints
    base: BaseLevel | None


def role_codes(causes: Ints, effects: Ints) -> Codes:
    """Codes (into ``ROLES``) from the numbers of direct causes and effects over CAUSED_BY."""
    caused, single, some = causes > 0, effects == 1, effects > 0
    root, branch, link, leaf, isolated = np.arange(len(ROLES), dtype=np.int8)
    inside = np.where(single, link, np.where(some, branch, leaf))
    return np.where(caused, inside, np.where(some, root, isolated))


def score(
    columns: ScoreColumns,
    now_ms: int,
    profile: Profile = Profile.WAKE,
    weights: Weights = Weights(),
    constants: Constants = Constants(),
) -> Scores:
    """Score N snapshots at ``now_ms``.

    ``wake`` and ``steps``: clamp01(w_t * temporal + w_c * causal + w_f * frequency + boost). ``activation``:
    the base level squashed to 0-1 (see ``wakegraph.propagation.activation``); weights do not enter. Reasons
    are judged on the composite and the facts. The composite is rounded to 1e-12, so that a sum that is 0.7 on
    paper counts as 0.7.
    """
    temporal, causal, frequency = _components(columns, now_ms, profile, constants)
    boost = np.zeros(len(columns))
    base = None
    if profile is Profile.ACTIVATION:
        base = _base_level(columns, now_ms, constants.activation)
        prediction = squash(base.strength, constants.activation)
    else:
        prediction = weights.temporal * temporal
        prediction += weights.causal * causal
        prediction += weights.frequency * frequency
        if profile is Profile.STEPS and constants.steps.boosts.enabled:
            boost = _steps_boost(columns, constants.steps.boosts)
            prediction += boost
    prediction = _on_grid(np.clip(prediction, 0.0, 1.0, out=prediction))
    reasons = _reasons(columns, now_ms, prediction, constants.reasons)
    upcoming = predicted_next_access(columns.created_ms, columns.accessed_ms, columns.access_count, now_ms)
    return Scores(temporal, causal, frequency, boost, prediction, reasons, upcoming, base)


def predicted_next_access(created_ms: Ints, accessed_ms: Ints, access_count: Ints, now_ms: int) -> Ints:
    """When N snapshots are next expected to be accessed: never before ``now_ms``, nor over 7 days after it.

    Never accessed (``accessed_ms`` is ``MISSING``): ``MISSING``. The interval is 1 day for one access (or a
    count below), for an access not after creation and for a creation that is absent; else (last - created) /
    count, in whole milliseconds rounded down, at least one. The result is the first of last + 1, 2, 3, ...
    intervals that is not before now; the limit of 7 days holds for every result, also after a last access in
    the future.
    """
    result = np.full(accessed_ms.size, MISSING, np.int64)
    rows = np.flatnonzero(accessed_ms != MISSING)
    last, created, count = accessed_ms[rows], created_ms[rows], access_count[rows]
    created = np.where(created == MISSING, last, created)
    spans = last - created
    regular = (count > 1) & (spans > 0)
    interval = np.where(regular, np.maximum(spans // np.where(regular, count, 1), 1), DAY_MS)
    steps = np.maximum(-((last - now_ms) // interval), 1)
    result[rows] = np.minimum(last + steps * interval, now_ms + _LONGEST_AHEAD_MS)
    return result


def reason_names(mask: int) -> list[str]:
    """The reasons of one mask, in the order of ``REASONS``."""
    return [name for name in REASONS if mask & int(_BIT[name])]


def reason_table(masks: Masks) -> tuple[list[list[str]], Ints]:
    """The distinct masks as lists of reasons, and for each of the N masks its position among them."""
    present = np.flatnonzero(np.bincount(masks, minlength=1 << len(REASONS)))
    position = np.zeros(1 << len(REASONS), np.int64)
    position[present] = np.arange(present.size)
    return [reason_names(int(mask)) for mask in present], position[masks]


@dataclass(frozen=True, slots=True)
class Component:
    """One term of a composite: ``contribution = weight * value``; value as ``formula`` makes it of ``inputs``."""

    name: str
    value: float
    weight: float
    contribution: float
    formula: str
    inputs: dict[str, float | int | str | None]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a snapshot has its score: ``prediction`` is ``formula`` of the sum of the contributions."""

    profile: Profile
    components: tuple[Component, ...]
    total: float
    formula: str
    prediction: float
    reasons: list[str]
    predicted_next_ms: int | None


def explain(
    columns: ScoreColumns,
    now_ms: int,
    profile: Profile = Profile.WAKE,
    weights: Weights = Weights(),
    constants: Constants = Constants(),
) -> Explanation:
    """The score of one snapshot taken apart; every number is one that ``score`` gave for these columns of one row.

    With ``activation`` the components are the strengths of creation, kept and older accesses, each with weight 1.
    """
    if len(columns) != 1:
        raise ValueError(f"explain takes columns of one snapshot, not of {len(columns)}")
    scores = score(columns, now_ms, profile, weights, constants)
    components = _explained(columns, now_ms, profile, weights, constants, scores)
    upcoming = int(scores.predicted_next_ms[0])
    middle = constants.activation.midpoint_strength
    squashed = f"total / (total + {middle:.6g}), the logistic function of B - ln {middle:.6g} with B = ln total"
    return Explanation(
        profile=profile,
        components=components,
        total=sum(c.contribution for c in components),
        formula=squashed if profile is Profile.ACTIVATION else "min(1, max(0, total))",
        prediction=float(scores.prediction[0]),
        reasons=reason_names(int(scores.reasons[0])),
        predicted_next_ms=None if upcoming == MISSING else upcoming,
    )


def _explained(
    columns: ScoreColumns,
    now_ms: int,
    profile: Profile,
    weights: Weights,
    constants: Constants,
    scores: Scores,
) -> tuple[Component, ...]:
    def hours(times_ms: Ints) -> float | None:
        return None if times_ms[0] == MISSING else float(_hours_since(times_ms, now_ms)[0])

    def component(name: str, value: Floats, weight: float, formula: str, **inputs: Any) -> Component:
        return Component(name, float(value[0]), weight, weight * float(value[0]), formula, inputs)

    role, tier = str(ROLES[columns.role_codes[0]]), str(TIERS[columns.tier_codes[0]])
    action, count = str(ACTIONS[columns.action_codes[0]]), int(columns.access_count[0])
    since_access = hours(columns.accessed_ms)
    if scores.base is not None:
        power = f"t^-{constants.activation.decay:g}, t in hours"
        return (
            component("creation", scores.base.created, 1.0, power, hours_since_creation=hours(columns.created_ms)),
            component(
                "kept_accesses",
                scores.base.kept,
                1.0,
                f"sum of {power}, over the accesses whose times are kept",
                times_kept=len(columns.recent.values),
                hours_since_access=since_access,
            ),
            component(
                "older_accesses",
                scores.base.older,
                1.0,
                f"the others, spread evenly between creation and the oldest kept: mean of {power}, each",
                access_count=count,
            ),
        )
    temporal, causal, frequency = _formulas(profile, constants)
    aged: dict[str, Any] = {"hours_since_access": since_access}
    edges: dict[str, Any] = {"causal_role": role}
    if profile is Profile.STEPS:
        edges |= {"action_type": action}
    else:
        aged |= {"memory_tier": tier}
        edges |= {"dependents": int(columns.dependents[0]), "dependencies": int(columns.dependencies[0])}
    terms = [
        component("temporal", scores.temporal, weights.temporal, temporal, **aged),
        component("causal", scores.causal, weights.causal, causal, **edges),
        component("frequency", scores.frequency, weights.frequency, frequency, access_count=count),
    ]
    if profile is Profile.STEPS and constants.steps.boosts.enabled:
        facts = {"causal_role": role, "action_type": action, "memory_tier": tier}
        terms.append(component("boost", scores.boost, 1.0, _boost_formula(constants.steps.boosts), **facts))
    return tuple(terms)


def _formulas(profile: Profile, constants: Constants) -> tuple[str, str, str]:
    """How temporal, causal and frequency are made, with the constants in force."""
    if profile is Profile.STEPS:
        s = constants.steps
        aged = zip(s.temporal_hours, s.temporal, strict=False)
        counted = zip(reversed(s.frequency_counts), reversed(s.frequency), strict=False)
        temporal = "".join(f"h < {h:g}: {value:g}; " for h, value in aged)
        frequency = "".join(f"a >= {a}: {value:g}; " for a, value in counted)
        return (
            f"{temporal}else {s.temporal[-1]:g}; never accessed: {s.never_accessed:g}",
            f"root {s.root:g}; branch {s.branch:g}; decision {s.decision:g}; leaf {s.leaf:g}; else {s.other:g}",
            f"{frequency}else {s.frequency[0]:g}",
        )
    w = constants.wake
    tiers = ", ".join(f"{tier} {value:g}" for tier, value in zip(TIERS, w.never_accessed, strict=True))
    uncaused = f"min({w.uncaused_cap:g}, {w.uncaused_base:g} + {w.per_dependent:g} n)"
    caused = f"min({w.caused_cap:g}, {w.caused_base:g} + {w.per_dependent:g} n)"
    return (
        f"exp(-h / {w.time_constant_hours:g}); never accessed: by tier {tiers}",
        f"no edge: 0; n = 0: {w.no_dependents:g}; no cause: {uncaused}; with cause: {caused}",
        f"min(1, ln(a + 1) / ln {w.saturation + 1})",
    )


def _boost_formula(boosts: StepsBoosts) -> str:
    names = ("root", "branch", "decision", "active", "recent", "expired")
    return "sum of those that hold: " + ", ".join(f"{name} {getattr(boosts, name):+g}" for name in names)


def _components(
    columns: ScoreColumns, now_ms: int, profile: Profile, constants: Constants
) -> tuple[Floats, Floats, Floats]:
    if profile is Profile.STEPS:
        steps = constants.steps
        temporal, causal = _steps_temporal(columns, now_ms, steps), _steps_causal(columns, steps)
        return temporal, causal, _steps_frequency(columns, steps)
    wake = constants.wake
    temporal, causal = _wake_temporal(columns, now_ms, wake), _wake_causal(columns, wake)
    return temporal, causal, _wake_frequency(columns, wake)


def _wake_temporal(columns: ScoreColumns, now_ms: int, wake: WakeConstants) -> Floats:
    part = _hours_since(columns.accessed_ms, now_ms)
    part /= -wake.time_constant_hours
    np.exp(part, out=part)
    never = np.flatnonzero(columns.accessed_ms == MISSING)
    part[never] = np.array(wake.never_accessed)[columns.tier_codes[never]]
    return part


def _wake_causal(columns: ScoreColumns, wake: WakeConstants) -> Floats:
    has_cause = np.array([role not in {CausalRole.ROOT, CausalRole.ISOLATED} for role in ROLES])
    caused = has_cause[columns.role_codes]
    part = np.maximum(columns.dependents, 0) * wake.per_dependent
    part += np.where(caused, wake.caused_base, wake.uncaused_base)
    np.minimum(part, np.where(caused, wake.caused_cap, wake.uncaused_cap), out=part)
    alone = columns.dependents <= 0
    linked = caused | (columns.dependencies > 0)
    return _on_grid(np.where(alone, linked * wake.no_dependents, part))


def _wake_frequency(columns: ScoreColumns, wake: WakeConstants) -> Floats:
    counts = np.arange(wake.saturation + 1)
    parts = np.log(counts + 1) / math.log(wake.saturation + 1)
    parts[-1] = 1.0
    return parts[np.clip(columns.access_count, 0, wake.saturation)]


def _steps_temporal(columns: ScoreColumns, now_ms: int, steps: StepsConstants) -> Floats:
    step = np.zeros(len(columns), np.intp)
    for hours in steps.temporal_hours:
        step += columns.accessed_ms <= now_ms - round(hours * HOUR_MS)
    never = columns.accessed_ms == MISSING
    return np.where(never, steps.never_accessed, np.array(steps.temporal)[step])


def _steps_causal(columns: ScoreColumns, steps: StepsConstants) -> Floats:
    by_role = {CausalRole.ROOT: steps.root, CausalRole.BRANCH: steps.branch, CausalRole.LEAF: steps.leaf}
    table = np.full((len(ROLES), len(ACTIONS)), steps.other)
    for role, value in by_role.items():
        table[ROLES.index(role)] = value
    outranked = [k for k, role in enumerate(ROLES) if role not in (CausalRole.ROOT, CausalRole.BRANCH)]
    table[outranked, ACTIONS.index(ActionType.DECISION)] = steps.decision
    return table[columns.role_codes, columns.action_codes]


def _steps_frequency(columns: ScoreColumns, steps: StepsConstants) -> Floats:
    step = np.zeros(len(columns), np.intp)
    for count in steps.frequency_counts:
        step += columns.access_count >= count
    return np.array(steps.frequency)[step]


def _steps_boost(columns: ScoreColumns, boosts: StepsBoosts) -> Floats:
    by_role = {CausalRole.ROOT: boosts.root, CausalRole.BRANCH: boosts.branch}
    by_tier = {
        MemoryTier.ACTIVE: boosts.active,
        MemoryTier.RECENT: boosts.recent,
        MemoryTier.EXPIRED: boosts.expired,
    }
    boost = np.array([by_role.get(role, 0.0) for role in ROLES])[columns.role_codes]
    boost += np.array([by_tier.get(tier, 0.0) for tier in TIERS])[columns.tier_codes]
    boost += boosts.decision * (columns.action_codes == ACTIONS.index(ActionType.DECISION))
    return _on_grid(boost)


def _base_level(columns: ScoreColumns, now_ms: int, constants: ActivationConstants) -> BaseLevel:
    times = (columns.created_ms, columns.accessed_ms, columns.access_count)
    return base_level(*times, columns.recent, now_ms, constants)


def _reasons(columns: ScoreColumns, now_ms: int, prediction: Floats, at: ReasonThresholds) -> Masks:
    masks = np.zeros(len(columns), np.uint16)

    def mark(name: str, holds: Bools) -> None:
        np.bitwise_or(masks, np.multiply(holds, _BIT[name], dtype=np.uint16), out=masks)

    recently = columns.accessed_ms > now_ms - round(at.recent_hours * HOUR_MS)
    often = columns.access_count >= at.high_count
    root = columns.role_codes == ROLES.index(CausalRole.ROOT)
    mark("high_composite_score", prediction >= at.high_score)
    mark("recently_accessed", recently)
    mark("accessed_today", (columns.accessed_ms > now_ms - round(at.today_hours * HOUR_MS)) & ~recently)
    mark("high_access_frequency", often)
    mark("moderate_access_frequency", (columns.access_count >= at.moderate_count) & ~often)
    mark("causal_chain_root", root)
    mark("causal_chain_member", ~root & (columns.role_codes != ROLES.index(CausalRole.ISOLATED)))
    mark("decision_node", columns.action_codes == ACTIONS.index(ActionType.DECISION))
    mark("active_memory_tier", columns.tier_codes == TIERS.index(MemoryTier.ACTIVE))
    mark("baseline_prediction", masks == 0)
    return masks


def _hours_since(times_ms: Ints, now_ms: int) -> Floats:
    """Hours >= 0; floats before subtracting, since MISSING would overflow an integer."""
    hours = times_ms.astype(np.float64)
    np.subtract(now_ms, hours, out=hours)
    hours /= HOUR_MS
    return np.maximum(hours, 0.0, out=hours)


def _on_grid(values: Floats) -> Floats:
    values *= _GRID
    np.rint(values, out=values)
    values /= _GRID
    return values
