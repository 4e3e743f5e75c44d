"""Import rate as a ratio to a bare UNWIND load of the same rows into the same database, within one run.

    python benchmarks/import_rate.py FILE.jsonl.gz [--snapshots 100000] [--rounds 3]

The bare load gets rows that are parsed and checked already: the same nodes with the same properties and the same
relationships, in the same batches; it checks nothing and cannot be repeated. `plain` is `CREATE (s) SET s = row`,
`tuned` sends times as numbers as the import does. All run under the constraints and indexes of the schema, in projects
of their own, in turn, and are removed afterwards. The database is that of the environment (WAKEGRAPH_NEO4J_URI, ...).
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import io
import json
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

from wakegraph import Wakegraph
from wakegraph.graph.times import EPOCH
from wakegraph.interchange.load import BATCH_ROWS, LINK_BATCH
from wakegraph.interchange.plan import Plan
from wakegraph.interchange.records import Reader, Record
from wakegraph.memory.tiers import TierThresholds
from wakegraph.models import LOCAL_CALLER, LinkType

CREATE = "UNWIND $rows AS row CREATE (s:Snapshot) SET s = row"
# The same with what makes the import fast: times that travel as numbers.
CREATE_TUNED = """
    UNWIND $rows AS row
    WITH row, datetime({epochSeconds: row.seconds, nanosecond: 0}) AS created
    CREATE (s:Snapshot)
    SET s = row.properties, s.recorded_at = $now, s.last_predicted = $epoch, s.created_at = created,
      s.last_activity = created"""
LINK = {
    LinkType.CAUSED_BY: """
        UNWIND $rows AS row
        MATCH (s:Snapshot {project: $project, id: row.source}), (t:Snapshot {project: $project, id: row.target})
        CREATE (s)-[:CAUSED_BY {primary: row.primary, origin: row.origin, recorded_at: $now}]->(t)""",
    LinkType.DEPENDS_ON: """
        UNWIND $rows AS row
        MATCH (s:Snapshot {project: $project, id: row.source}), (t:Snapshot {project: $project, id: row.target})
        CREATE (s)-[:DEPENDS_ON {origin: row.origin, recorded_at: $now}]->(t)""",
}
REMOVE = "MATCH (n:Snapshot {project: $project}) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 2000 ROWS"


def lines(path: Path, project: str, snapshots: int) -> bytes:
    """The file's snapshots in one project, as many copies as it takes; each copy has ids and links of its own."""
    raw = path.read_bytes()
    rows = [json.loads(line) for line in (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).splitlines()]
    made = []
    for number in range(snapshots or len(rows)):
        copy, index = divmod(number, len(rows))
        row = rows[index]
        suffix = f"-{copy}" if copy else ""
        links = {key: [end + suffix for end in row[key]] for key in ("caused_by", "depends_on")}
        made.append(json.dumps({**row, **links, "id": row["id"] + suffix, "project": project}))
    return "\n".join(made).encode() + b"\n"


def bare_rows(data: bytes, now: datetime) -> tuple[list[dict[str, Any]], dict[LinkType, list[dict[str, Any]]]]:
    reader = Reader(None, LOCAL_CALLER, now, 300, TierThresholds())
    plan, records = Plan(), []
    for number, line in enumerate(data.splitlines(), 1):
        record: Record = reader.record(number, line)
        plan.add(record)
        records.append(record)
    links: dict[LinkType, list[dict[str, Any]]] = {kind: [] for kind in LINK}
    for record in records:
        led = False
        for link in record.links:
            row = {"source": record.id, "target": link.id, "origin": link.origin.value}
            if link.type is LinkType.CAUSED_BY:
                row["primary"] = not led  # type: ignore[assignment]
                led = True
            links[link.type].append(row)
    for record, role in zip(records, plan.roles(), strict=False):
        record.properties["causal_role"] = role.value
    times = {"recorded_at": now, "last_predicted": EPOCH}
    return [
        {**record.properties, **times, "created_at": record.created, "last_activity": record.created}
        for record in records
    ], links


def tuned(row: dict[str, Any]) -> dict[str, Any]:
    times = ("recorded_at", "last_predicted", "created_at", "last_activity")
    rest = {key: value for key, value in row.items() if key not in times}
    return {"properties": rest, "seconds": int(row["created_at"].timestamp())}


def parts(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


async def bare_load(
    wake: Wakegraph, create: str, nodes: Sequence[Any], links: dict[LinkType, list[Any]], project: str, now: datetime
) -> float:
    started = time.perf_counter()
    async with wake.graph.session("WRITE") as session:
        for rows in parts(nodes, BATCH_ROWS):
            await session.execute_write(run, create, rows=rows, now=now, epoch=EPOCH)
        for kind, statement in LINK.items():
            for rows in parts(links[kind], LINK_BATCH):
                await session.execute_write(run, statement, rows=rows, project=project, now=now)
    return time.perf_counter() - started


async def run(tx: Any, statement: str, **parameters: Any) -> None:
    await (await tx.run(statement, parameters)).consume()


async def remove(wake: Wakegraph, project: str) -> None:
    async with wake.graph.session("WRITE") as session:
        await (await session.run(REMOVE, project=project)).consume()
        await (await session.run("MATCH (p:WakegraphProject {name: $project}) DELETE p", project=project)).consume()


async def measure(path: Path, snapshots: int, rounds: int) -> None:
    async with Wakegraph.open() as wake:
        await wake.graph.ready()
        ratios: dict[str, list[float]] = {"plain": [], "tuned": []}
        for number in range(rounds):
            seconds: dict[str, float] = {}
            # They take turns in going first: a later one finds a warmer server, and more in the indexes.
            order = ["import", "plain", "tuned"]
            for name in order[number % 3 :] + order[: number % 3]:
                project = f"bench-{uuid4().hex[:8]}"
                data, now = lines(path, project, snapshots), datetime.now(UTC)
                try:
                    if name == "import":
                        result = await wake.interchange.import_jsonl(io.BytesIO(data))
                        again = await wake.interchange.import_jsonl(io.BytesIO(data))
                        assert again.created == again.links_created == 0
                        seconds |= {name: result.seconds, "again": again.seconds}
                    else:
                        nodes, links = bare_rows(data, now)
                        create = CREATE if name == "plain" else CREATE_TUNED
                        rows = nodes if name == "plain" else [tuned(row) for row in nodes]
                        seconds[name] = await bare_load(wake, create, rows, links, project, now)
                finally:
                    await remove(wake, project)
            for name, found in ratios.items():
                found.append(seconds["import"] / seconds[name])
            figures = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
            print(f"{result.created:,} snapshots, {result.links_created:,} links: {figures}", flush=True)
        shown = {f"ratio_to_{name}": round(median(found), 3) for name, found in ratios.items()}
        print(json.dumps({"snapshots": result.created, **shown}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--snapshots", type=int, default=0, help="multiply the file to that many")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.file, arguments.snapshots, arguments.rounds))


if __name__ == "__main__":
    main()
