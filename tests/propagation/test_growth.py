"""What single calls read does not grow with the graph. The database counts its accesses, so no clock is in this."""

from __future__ import annotations

from benchmarks.generate import END, read_shape
from benchmarks.latency import calls_of
from benchmarks.load import fill
from benchmarks.plans import plans
from wakegraph import Wakegraph


async def reads(wake: Wakegraph, project: str, size: int) -> dict[str, tuple[int, int]]:
    await fill(wake, read_shape(None), project, size)
    await wake.propagation.refresh(project=project, now=END)
    calls = calls_of(wake, project)
    rows = await plans(wake, calls, "s00000123")
    return {call: (row["database_accesses"], row["scans"]) for call, row in zip(calls, rows, strict=True)}


async def test_a_call_reads_no_more_in_a_graph_ten_times_as_large(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    small = await reads(wake, project, 600)
    large = await reads(wake, other_project, 6_000)
    assert {call: scans for call, (_, scans) in large.items()} == dict.fromkeys(small, 0)
    grown = {call: (small[call][0], hits) for call, (hits, _) in large.items() if hits > 1.5 * small[call][0] + 20}
    assert not grown
