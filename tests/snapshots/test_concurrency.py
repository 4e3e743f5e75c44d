"""Many at once, as tasks and as processes: nothing lost, nothing doubled, no cycle, no deadlock that anybody sees."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from wakegraph.app import Wakegraph
from wakegraph.errors import WakegraphError
from wakegraph.graph.driver import Graph
from wakegraph.settings import Settings

WORKER = Path(__file__).with_name("worker.py")


async def run(graph: Graph, query: str, **parameters: Any) -> list[dict[str, Any]]:
    async with graph.session("READ") as session:
        result = await session.run(query, parameters)
        return [record.data() async for record in result]


@pytest.mark.process
async def test_eight_processes_save_and_link_at_once(
    wake: Wakegraph, graph: Graph, settings: Settings, project: str
) -> None:
    processes, count = 8, int(os.environ.get("WAKEGRAPH_TEST_SAVES", "40"))
    await wake.snapshots.save("seed", project=project, id="seed")
    await wake.snapshots.save("shared", project=project, id="shared")
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    environment = {
        **os.environ,
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_USERNAME": settings.neo4j_username,
        "WAKEGRAPH_NEO4J_PASSWORD": password,
        "WAKEGRAPH_NEO4J_DATABASE": settings.neo4j_database or "",
    }
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable, str(WORKER), project, str(number), str(count), env=environment,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )
        for number in range(processes)
    ]  # fmt: skip
    ended = await asyncio.gather(*(process.communicate() for process in running))
    assert [process.returncode for process in running] == [0] * processes, [err.decode()[-400:] for _, err in ended]
    reports = [json.loads(out) for out, _ in ended]

    names = [name for report in reports for name in report["saved"]]
    assert len(names) == processes * count
    rows = await run(
        graph,
        "MATCH (s:Snapshot) WHERE s.project = $p AND s.created_at IS NOT NULL "
        "RETURN s.id AS id, count(*) AS copies, collect(s.causal_role)[0] AS role, "
        "COUNT { (s)-[:CAUSED_BY]->() } AS causes, COUNT { (s)<-[:CAUSED_BY]-() } AS effects, "
        "COUNT { (s)-[:CAUSED_BY {primary: true}]->() } AS primaries",
        p=project,
    )
    assert sorted(row["id"] for row in rows) == sorted([*names, "seed", "shared"])
    assert {row["copies"] for row in rows} == {1}
    assert all(row["primaries"] == (row["causes"] > 0) for row in rows)
    assert [row for row in rows if row["role"] != role(row["causes"], row["effects"])] == []

    links = await run(
        graph,
        "MATCH (a:Snapshot)-[r:CAUSED_BY]->(b) WHERE a.project = $p AND a.created_at IS NOT NULL "
        "RETURN a.id AS effect, b.id AS cause, count(r) AS copies",
        p=project,
    )
    assert {row["copies"] for row in links} == {1}
    stored = {(row["effect"], row["cause"]) for row in links}
    acknowledged = {tuple(link) for report in reports for link in report["linked"]} | {(name, "seed") for name in names}
    assert stored == acknowledged
    assert acyclic(stored)


def role(causes: int, effects: int) -> str:
    if causes == 0:
        return "root" if effects else "isolated"
    return "leaf" if effects == 0 else "link" if effects == 1 else "branch"


def acyclic(links: set[tuple[str, str]]) -> bool:
    from graphlib import CycleError, TopologicalSorter

    sorter: TopologicalSorter[str] = TopologicalSorter()
    for effect, cause in links:
        sorter.add(effect, cause)
    try:
        sorter.prepare()
    except CycleError:
        return False
    return True


@pytest.mark.parametrize("named", [True, False])
async def test_the_same_save_eight_times_at_once_is_one(wake: Wakegraph, project: str, named: bool) -> None:
    for round_ in range(50 if named else 15):
        name = f"same-{round_}" if named else None
        saves = (wake.snapshots.save(f"text {round_}", project=project, id=name, author="ann") for _ in range(8))
        done = await asyncio.gather(*saves)
        assert len({saved.snapshot.id for saved in done}) == 1
        assert sorted(saved.already_saved for saved in done) == [False, *[True] * 7]


async def test_the_same_id_with_other_content_at_once_is_one_and_seven_errors(wake: Wakegraph, project: str) -> None:
    saves = (wake.snapshots.save(f"text {number}", project=project, id="x") for number in range(8))
    done = await asyncio.gather(*saves, return_exceptions=True)
    errors = [result for result in done if isinstance(result, WakegraphError)]
    assert len(errors) == 7
    assert all("other content" in str(error) for error in errors)


async def test_twenty_different_calls_at_once_all_answer(wake: Wakegraph, project: str) -> None:
    for name in "abcde":
        await wake.snapshots.save(name, project=project, id=name)
    for round_ in range(4):
        calls = [
            *(
                wake.snapshots.save(f"new {round_} {n}", project=project, id=f"n{round_}-{n}", caused_by=["a"])
                for n in range(8)
            ),
            *(wake.snapshots.link(name, project=project, depends_on=["a"]) for name in "bcde"),
            *(wake.snapshots.update(name, project=project, tags=[f"{round_}"]) for name in "abcde"),
            *(wake.snapshots.delete(f"n{round_ - 1}-{n}", project=project, confirm=True) for n in range(3) if round_),
        ]
        done = await asyncio.gather(*calls, return_exceptions=True)
        assert [result for result in done if isinstance(result, BaseException)] == []
    found = await wake.snapshots.get(["a", "b", "n3-7"], project=project)
    assert [detail.tags for detail in found] == [["3"], ["3"], []]
    assert found[0].effect_count == 4 * 8 - 9
    assert (await wake.snapshots.save("later", project=project)).snapshot.project == project


async def test_a_link_to_what_is_deleted_meanwhile_is_an_error_or_gone(wake: Wakegraph, project: str) -> None:
    for round_ in range(15):
        for name in ("cause", "effect"):
            await wake.snapshots.save(name, project=project, id=f"{name}-{round_}", detect_dependencies=False)
        done = await asyncio.gather(
            wake.snapshots.delete(f"cause-{round_}", project=project, confirm=True),
            wake.snapshots.link(f"effect-{round_}", project=project, caused_by=[f"cause-{round_}"]),
            wake.snapshots.save("new", project=project, id=f"new-{round_}", caused_by=[f"cause-{round_}"]),
            return_exceptions=True,
        )
        assert all(not isinstance(result, BaseException) or isinstance(result, WakegraphError) for result in done), done
        for name in (f"effect-{round_}", f"new-{round_}"):
            for found in await wake.snapshots.get([name], project=project) if name.startswith("e") else []:
                assert found.caused_by == []
                assert found.causal_role == "isolated"
