"""The memory tier of a snapshot, from the time of its last activity. Pure: no I/O, no clock.

Times are whole epoch milliseconds (UTC) in int64 columns; an absent time is ``MISSING``. A finer time counts
as the millisecond it lies in. All comparisons are made on integers, so that a boundary is the same here and
in Cypher.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from wakegraph.models import MemoryTier

MISSING: Final = int(np.iinfo(np.int64).min)
"""Stands for an absent time: smaller than every time, so that ``max`` of two times ignores it."""

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS

TIERS: Final = tuple(MemoryTier)
"""Code table: the code of a tier is its position here, ACTIVE 0 to EXPIRED 3."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_HOURS: Final = 8_760_000  # a thousand years: cutoffs stay inside what a datetime can hold


def _ms(hours: float) -> int:
    return round(hours * HOUR_MS)


@dataclass(frozen=True, slots=True)
class TierThresholds:
    """Hours since the last activity at which a snapshot leaves ACTIVE, RECENT and ARCHIVED.

    Raises ValueError when they are not finite, positive and increasing, or over a thousand years.
    """

    active_hours: float = 1
    recent_hours: float = 24
    archived_hours: float = 720

    def __post_init__(self) -> None:
        hours = (self.active_hours, self.recent_hours, self.archived_hours)
        finite = all(math.isfinite(h) and h <= _LONGEST_HOURS for h in hours)
        if not (finite and 0 < _ms(hours[0]) < _ms(hours[1]) < _ms(hours[2])):
            raise ValueError(
                f"tier thresholds must be positive, increasing hours of at most {_LONGEST_HOURS}: "
                f"active_hours={hours[0]}, recent_hours={hours[1]}, archived_hours={hours[2]}"
            )


@dataclass(frozen=True, slots=True)
class TierCutoffs:
    """First epoch millisecond that still belongs to each tier at a given ``now``; earlier ones are EXPIRED.

    In Cypher: ``last_activity >= datetime({epochMillis: $active_from_ms})`` is ACTIVE, and so on. The bound
    is inclusive, so that times finer than a millisecond fall on the same side as here.
    """

    active_from_ms: int
    recent_from_ms: int
    archived_from_ms: int


def tier_cutoffs(now_ms: int, thresholds: TierThresholds = TierThresholds()) -> TierCutoffs:
    """The cutoffs at ``now_ms``: exactly 1 h old is a millisecond before ``active_from_ms``, so RECENT."""
    hours = (thresholds.active_hours, thresholds.recent_hours, thresholds.archived_hours)
    return TierCutoffs(*(now_ms - _ms(h) + 1 for h in hours))


@dataclass(frozen=True, slots=True)
class TierTimes:
    """The first moment that still belongs to each tier; earlier ones are EXPIRED."""

    active: datetime
    recent: datetime
    archived: datetime


def tier_times(now: datetime, thresholds: TierThresholds) -> TierTimes:
    """The cutoffs of the tiers at `now` as times for a statement."""
    cutoffs = tier_cutoffs(epoch_ms(now), thresholds)
    cut = (cutoffs.active_from_ms, cutoffs.recent_from_ms, cutoffs.archived_from_ms)
    return TierTimes(*(_EPOCH + timedelta(milliseconds=moment) for moment in cut))


def tier_codes(
    created_ms: NDArray[np.int64],
    accessed_ms: NDArray[np.int64],
    now_ms: int,
    thresholds: TierThresholds = TierThresholds(),
) -> NDArray[np.int8]:
    """Codes (into ``TIERS``) of N snapshots from the hours since max(created, accessed).

    Either time may be ``MISSING``; with both missing the tier is EXPIRED. A future time counts as 0 h.
    """
    last = np.maximum(created_ms, accessed_ms)
    cutoffs = tier_cutoffs(now_ms, thresholds)
    codes = (last < cutoffs.active_from_ms).view(np.int8)
    codes += last < cutoffs.recent_from_ms
    codes += last < cutoffs.archived_from_ms
    return codes


def tier_of(
    created: datetime, accessed: datetime | None, now: datetime, thresholds: TierThresholds = TierThresholds()
) -> MemoryTier:
    """The tier of one snapshot by the rule of ``tier_codes``; times must be aware (TypeError otherwise)."""
    times = (epoch_ms(created), MISSING if accessed is None else epoch_ms(accessed))
    created_ms, accessed_ms = (np.array([t], np.int64) for t in times)
    return TIERS[int(tier_codes(created_ms, accessed_ms, epoch_ms(now), thresholds)[0])]


def epoch_ms(time: datetime) -> int:
    """Whole milliseconds since 1970 (UTC) of an aware time, rounded down; exact."""
    return (time - _EPOCH) // timedelta(milliseconds=1)
