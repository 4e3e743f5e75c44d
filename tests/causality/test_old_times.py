"""Times before 1970 survive the columns in which layer 1 reads them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from wakegraph.app import Wakegraph

pytestmark = pytest.mark.db


async def test_a_time_before_1970_with_a_fraction_is_read_as_it_was_written(wake: Wakegraph, project: str) -> None:
    moment = datetime(1969, 12, 31, 23, 59, 58, 250123, tzinfo=UTC)
    await wake.snapshots.save("old", id="old", project=project, created_at=moment)
    await wake.snapshots.save("less old", id="new", project=project, caused_by=["old"])
    chain = await wake.causality.chain("new", project=project)
    ancestry = await wake.causality.ancestry("new", project=project)
    assert chain.steps[0].timestamp == moment
    assert {node.id: node.created_at for node in ancestry.nodes}["old"] == moment
