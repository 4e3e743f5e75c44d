"""ACT-R activation of snapshots: base level from past accesses, and spreading from snapshots in hand.

Pure: no I/O, no clock. Columns in, columns out; times as in ``wakegraph.memory.tiers``. Sources: J. R.
Anderson and C. Lebiere, The Atomic Components of Thought (1998), for both equations; A. A. Petrov,
Computationally efficient approximation of the base-level learning equation in ACT-R (2006), for the older
accesses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wakegraph.memory.tiers import HOUR_MS, MISSING

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEAST_STRENGTH: Final = 1e-12  # keeps ln finite where no time at all is known: a level of -27.6


@dataclass(frozen=True, slots=True)
class ActivationConstants:
    """Constants of activation; ages are hours. Raises ValueError when one is out of its range.

    decay: d of t^-d, between 0 and 1 (both excluded).
    floor_hours: the least age of an access: one of this moment would have infinite strength.
    midpoint_hours: a single access of this age scores 0.5.
    source: W, the attention shared equally by the snapshots in hand.
    association: S, the strength of an association that is the only one of its source; it falls by ln(fan).
    """

    decay: float = 0.5
    floor_hours: float = 1 / 60
    midpoint_hours: float = 24.0
    source: float = 1.0
    association: float = 5.0

    def __post_init__(self) -> None:
        if not 0 < self.decay < 1:
            raise ValueError(f"decay must be between 0 and 1, both excluded: {self.decay}")
        for name in ("floor_hours", "midpoint_hours"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a positive number of hours: {getattr(self, name)}")
        for name in ("source", "association"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be a number of at least 0: {getattr(self, name)}")

    @property
    def midpoint_strength(self) -> float:
        """Strength that scores 0.5."""
        return float(_decayed(np.array(self.midpoint_hours), self.decay))


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """N lists of epoch milliseconds in one column: list i is ``values[offsets[i]:offsets[i + 1]]``.

    Raises ValueError when ``offsets`` (N + 1 of them) do not go from 0 to ``len(values)`` without falling.
    """

    values: Ints
    offsets: Ints

    def __post_init__(self) -> None:
        ends = self.offsets.size > 0 and self.offsets[0] == 0 and self.offsets[-1] == self.values.size
        if not ends or (np.diff(self.offsets) < 0).any():
            raise ValueError(f"offsets must rise from 0 to the {self.values.size} values")

    def __len__(self) -> int:
        return self.offsets.size - 1

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> Ragged:
        """From one list of times a snapshot."""
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, lists), np.int64, len(lists)), out=offsets[1:])
        values = np.fromiter((time for one in lists for time in one), np.int64, int(offsets[-1]))
        return cls(values, offsets)


@dataclass(frozen=True, slots=True, eq=False)
class BaseLevel:
    """What N snapshots owe to their past: sums of t^-d, t in hours.

    created: of the creation, which counts as an access; kept: of the accesses whose times are kept; older: of
    the others, by the closed form.
    """

    created: Floats
    kept: Floats
    older: Floats

    @property
    def strength(self) -> Floats:
        """Sum of t^-d over all accesses, >= 0 and finite."""
        return self.created + self.kept + self.older

    @property
    def level(self) -> Floats:
        """B = ln(strength), finite (a strength under 1e-12 counts as 1e-12)."""
        return np.log(np.maximum(self.strength, _LEAST_STRENGTH))


def base_level(
    created_ms: Ints,
    accessed_ms: Ints,
    access_count: Ints,
    recent: Ragged,
    now_ms: int,
    constants: ActivationConstants = ActivationConstants(),
) -> BaseLevel:
    """Base-level activation of N snapshots, B = ln of the sum of t^-d over creation and all accesses.

    The accesses kept (``recent``) count exactly; without any, ``accessed_ms`` is the one that is known. The
    others of ``access_count`` are taken as spread evenly between creation and the oldest kept (now, when none
    is), so each counts as the mean of t^-d over that span (Petrov's hybrid form; creation, being known, stays
    exact). A time in the future counts as now, an age below the floor as the floor, a negative count as 0. A
    later access never lowers B, and neither does one more.
    """
    d, floor = constants.decay, constants.floor_hours
    kept_count = np.diff(recent.offsets)
    oldest = np.full(kept_count.size, floor)
    kept = np.zeros(kept_count.size)
    filled = np.flatnonzero(kept_count)
    if filled.size:
        ages = _ages(recent.values, now_ms, floor)
        starts = recent.offsets[filled]
        oldest[filled] = np.maximum.reduceat(ages, starts)
        kept[filled] = np.add.reduceat(_decayed(ages, d), starts)
    alone = np.flatnonzero((kept_count == 0) & (accessed_ms != MISSING))
    oldest[alone] = _ages(accessed_ms[alone], now_ms, floor)
    kept[alone] = _decayed(oldest[alone], d)
    kept_count[alone] = 1

    dated = created_ms != MISSING
    age = np.where(dated, _ages(created_ms, now_ms, floor), oldest)
    unknown = np.maximum(access_count, kept_count) - kept_count
    older = unknown * _mean_decayed(np.maximum(age, oldest), oldest, d)
    return BaseLevel(np.where(dated, _decayed(age, d), 0.0), kept, older)


def squash(strength: Floats, constants: ActivationConstants = ActivationConstants()) -> Floats:
    """Strength to a score of 0-1: s / (s + m), m the strength at the midpoint.

    This is the logistic function of B - ln m, ACT-R's probability of retrieval with threshold ln m and noise
    1.
    """
    return strength / (strength + constants.midpoint_strength)


@dataclass(frozen=True, slots=True, eq=False)
class Spreading:
    """Activation that N candidates get from the snapshots in hand.

    total: N sums. The parts, sorted by target, then source, each pair once: ``amount[k]`` goes from snapshot
    ``source[k]`` (one of the given) to candidate ``target[k]``.
    """

    total: Floats
    source: Ints
    target: Ints
    amount: Floats


def spread(
    size: int,
    source: Ints,
    target: Ints,
    weight: Floats,
    given: Ints,
    constants: ActivationConstants = ActivationConstants(),
) -> Spreading:
    """Spreading activation along associations, one step: each given j adds W/|given| * w * max(0, S - ln
    fan_j).

    size: N, the number of snapshots that the indices below mean.
    source, target, weight: associations, from -> to, with a weight w of 0-1. For the fan to be right they
        must hold all those of the given; an edge that works both ways is given both ways. Of several between
        the same two the strongest counts, so fan_j is the number of distinct snapshots that j leads to.
    given: the snapshots in hand; named twice counts once.
    """
    hands = np.unique(given)
    held = np.isin(source, hands)
    pairs = source[held] * size + target[held]
    order = np.lexsort((-weight[held], pairs))
    pairs, first = np.unique(pairs[order], return_index=True)
    strongest = weight[held][order][first]
    sources, targets = np.divmod(pairs, size)
    fan = np.bincount(sources, minlength=size)[sources]
    share = constants.source / max(hands.size, 1)
    amount = share * strongest * np.maximum(constants.association - np.log(fan), 0.0)
    total = np.bincount(targets, amount, size).astype(np.float64)  # integers when there is nothing to add
    by_target = np.lexsort((sources, targets))
    return Spreading(total, sources[by_target], targets[by_target], amount[by_target])


def _ages(times_ms: Ints, now_ms: int, floor: float) -> Floats:
    """Hours since the times; floats before subtracting, since MISSING would overflow an integer."""
    ages = times_ms.astype(np.float64)
    np.subtract(now_ms, ages, out=ages)
    ages /= HOUR_MS
    return np.maximum(ages, floor, out=ages)


def _decayed(ages: Floats, d: float) -> Floats:
    return 1 / np.sqrt(ages) if d == 0.5 else ages**-d


def _mean_decayed(longest: Floats, shortest: Floats, d: float) -> Floats:
    """Mean of t^-d for t between two ages."""
    if d == 0.5:
        return 2 / (np.sqrt(longest) + np.sqrt(shortest))
    span = longest - shortest
    narrow = span <= 1e-5 * longest  # the difference of powers below would lose its digits
    powers = longest ** (1 - d) - shortest ** (1 - d)
    return np.where(narrow, ((longest + shortest) / 2) ** -d, powers / ((1 - d) * np.where(narrow, 1, span)))
