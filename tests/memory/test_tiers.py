"""Tiers: exact at every boundary, the same for one snapshot, for a column and for the cutoffs given to Cypher."""

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakegraph.memory.tiers import (
    DAY_MS,
    HOUR_MS,
    MISSING,
    TIERS,
    TierThresholds,
    epoch_ms,
    tier_codes,
    tier_cutoffs,
    tier_of,
)
from wakegraph.models import MemoryTier

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
NOW_MS = epoch_ms(NOW)
DEFAULT = TierThresholds()
MILLISECOND = timedelta(milliseconds=1)

times = st.builds(lambda seconds: NOW + timedelta(seconds=seconds), st.floats(-4e9, 4e9))
near_boundary = st.builds(
    lambda hours, us: NOW - timedelta(hours=hours, microseconds=us),
    st.sampled_from([0, 1, 24, 720]),
    st.integers(-2500, 2500),
)


def codes(created: list[int], accessed: list[int], thresholds: TierThresholds = DEFAULT) -> list[int]:
    found = tier_codes(np.array(created, np.int64), np.array(accessed, np.int64), NOW_MS, thresholds)
    assert found.dtype == np.int8
    return list(found)


def test_code_table_is_ordered_from_active_to_expired() -> None:
    assert TIERS == (MemoryTier.ACTIVE, MemoryTier.RECENT, MemoryTier.ARCHIVED, MemoryTier.EXPIRED)


@pytest.mark.parametrize(
    ("hours", "before", "at"), [(1, "ACTIVE", "RECENT"), (24, "RECENT", "ARCHIVED"), (720, "ARCHIVED", "EXPIRED")]
)
def test_a_threshold_belongs_to_the_colder_tier(hours: int, before: str, at: str) -> None:
    age = timedelta(hours=hours)
    assert tier_of(NOW - age + MILLISECOND, None, NOW) == before
    assert tier_of(NOW - age, None, NOW) == at
    assert tier_of(NOW - age - MILLISECOND, None, NOW) == at


def test_the_later_of_creation_and_access_counts() -> None:
    old, new = NOW - timedelta(days=40), NOW - timedelta(hours=2)
    assert tier_of(old, new, NOW) == "RECENT"
    assert tier_of(new, old, NOW) == "RECENT"


@pytest.mark.parametrize("ahead", [timedelta(seconds=1), timedelta(days=10), timedelta(days=36525)])
def test_a_future_time_counts_as_now(ahead: timedelta) -> None:
    assert tier_of(NOW + ahead, None, NOW) == "ACTIVE"
    assert tier_of(NOW - timedelta(days=90), NOW + ahead, NOW) == "ACTIVE"


def test_missing_times() -> None:
    created = [MISSING, MISSING, NOW_MS]
    assert codes(created, [MISSING, NOW_MS, MISSING]) == [3, 0, 0]
    assert codes([], []) == []


def test_the_same_instant_in_another_zone_has_the_same_tier() -> None:
    instant = NOW - timedelta(hours=24)
    zones = [timezone(timedelta(hours=h)) for h in (-8, 0, 8)]
    assert {tier_of(instant.astimezone(zone), None, NOW.astimezone(zones[0])) for zone in zones} == {"ARCHIVED"}


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(TypeError, match="offset-naive"):
        tier_of(NOW.replace(tzinfo=None), None, NOW)


def test_thresholds_are_settings() -> None:
    ages = [0, HOUR_MS // 2, 2 * HOUR_MS, 3 * HOUR_MS]
    assert codes([NOW_MS - age for age in ages], [MISSING] * 4, TierThresholds(0.5, 2, 3)) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "hours", [(0, 24, 720), (-1, 24, 720), (1, 1, 720), (24, 1, 720), (1, 24, float("nan")), (1, 24, float("inf"))]
)
def test_wrong_thresholds_are_named(hours: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match=rf"active_hours={hours[0]}.*archived_hours={hours[2]}"):
        TierThresholds(*hours)


def test_epoch_ms_is_exact_and_rounds_down() -> None:
    assert epoch_ms(datetime(1970, 1, 1, 0, 0, 0, 1999, tzinfo=UTC)) == 1
    assert epoch_ms(datetime(1969, 12, 31, 23, 59, 59, 999_500, tzinfo=UTC)) == -1
    assert epoch_ms(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == 253_402_300_799_999


@given(times | near_boundary, st.none() | times | near_boundary)
def test_one_snapshot_a_column_and_the_cutoffs_agree(created: datetime, accessed: datetime | None) -> None:
    one = tier_of(created, accessed, NOW)
    column = codes([epoch_ms(created)], [MISSING if accessed is None else epoch_ms(accessed)])
    # what a statement does with the cutoffs as parameters, at the microseconds that the database holds
    last = max(created, accessed) if accessed else created
    cutoffs = tier_cutoffs(NOW_MS)
    from_ms = (cutoffs.active_from_ms, cutoffs.recent_from_ms, cutoffs.archived_from_ms)
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    tier = sum(last < epoch + timedelta(milliseconds=cutoff) for cutoff in from_ms)
    assert one == TIERS[column[0]] == TIERS[tier]


@given(st.lists(st.integers(NOW_MS - 800 * HOUR_MS, NOW_MS + DAY_MS), min_size=1, max_size=50))
def test_a_later_time_never_cools(created: list[int]) -> None:
    assert all(np.diff(codes(sorted(created), [MISSING] * len(created))) <= 0)
