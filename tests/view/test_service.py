"""What the page asks for: the picture of a project, of a neighbourhood, and what a caller may not see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from wakegraph.app import Wakegraph
from wakegraph.errors import InvalidInputError, NotFoundError
from wakegraph.models import Caller, Scope
from wakegraph.view import routes
from wakegraph.view.local import LocalPage
from wakegraph.view.service import View

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

pytestmark = pytest.mark.db


async def chain(wake: Wakegraph, project: str, count: int) -> None:
    for number in range(count):
        await wake.snapshots.save(
            f"step {number}",
            project=project,
            id=f"s{number}",
            caused_by=[f"s{number - 1}"] if number else [],
            created_at=START + timedelta(hours=number),
            detect_dependencies=False,
        )


async def test_a_project_is_drawn_oldest_first_with_the_links_that_leave_each_snapshot(
    wake: Wakegraph, project: str
) -> None:
    await chain(wake, project, 3)
    picture = await View(wake).project(project)
    assert [node.id for node in picture.nodes] == ["s0", "s1", "s2"]
    assert [[(link.type, link.id, link.primary) for link in node.links] for node in picture.nodes] == [
        [],
        [("CAUSED_BY", "s0", True)],
        [("CAUSED_BY", "s1", True)],
    ]
    assert [node.effects for node in picture.nodes] == [1, 1, 0]
    assert [node.causal_role for node in picture.nodes] == ["root", "link", "leaf"]
    assert (picture.total, picture.truncated, picture.focus) == (3, False, None)


async def test_of_a_large_project_the_newest_are_drawn(wake: Wakegraph, project: str) -> None:
    await chain(wake, project, 4)
    picture = await View(wake).project(project, limit=2)
    assert [node.id for node in picture.nodes] == ["s2", "s3"]
    assert (picture.total, picture.truncated) == (4, True)


async def test_a_neighbourhood_holds_the_chain_to_the_root_and_says_what_was_asked(
    wake: Wakegraph, project: str
) -> None:
    await chain(wake, project, 9)
    picture = await View(wake).around(f"{project}::s7", depth=2)
    assert [node.id for node in picture.nodes] == [f"s{number}" for number in range(9)]
    assert picture.focus is not None
    assert picture.focus.id == "s7"
    step = await View(wake).around(f"{project}::s7", depth=1, direction="effects")
    assert [node.id for node in step.nodes] == ["s7", "s8"]


async def test_a_snapshot_that_is_cause_and_dependency_counts_as_one_effect(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("a", project=project, id="a")
    await wake.snapshots.save("b", project=project, id="b", caused_by=["a"], depends_on=["a"])
    nodes = {node.id: node for node in (await View(wake).project(project)).nodes}
    assert nodes["a"].effects == 1


async def test_looking_counts_no_access(wake: Wakegraph, project: str) -> None:
    await chain(wake, project, 1)
    await View(wake).detail(f"{project}::s0")
    await View(wake).project(project)
    assert (await wake.snapshots.get(["s0"], project=project))[0].access_count == 0


async def test_a_caller_limited_to_a_project_sees_nothing_of_another(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    await wake.snapshots.save("hidden", project=other_project, id="hidden")
    await wake.snapshots.save(
        "seen", project=project, id="seen", caused_by=[f"{other_project}::hidden"], cross_project=True
    )
    caller = Caller(projects=frozenset({project}))
    view = View(wake)
    for picture in (await view.project(project, caller=caller), await view.around("seen", caller=caller)):
        assert "hidden" not in picture.model_dump_json()
        assert other_project not in picture.model_dump_json()
        assert [node.leads_elsewhere for node in picture.nodes] == [True]
    with pytest.raises(NotFoundError):
        await view.project(other_project, caller=caller)
    with pytest.raises(NotFoundError):
        await view.around(f"{other_project}::hidden", caller=caller)
    assert other_project not in (await view.projects(caller=caller)).model_dump_json()


async def test_an_unknown_project_and_a_limit_out_of_range_are_errors(wake: Wakegraph, project: str) -> None:
    with pytest.raises(NotFoundError, match="there is no project"):
        await View(wake).project(project)
    with pytest.raises(InvalidInputError, match="limit"):
        await View(wake).project(project, limit=5001)


async def test_a_search_names_the_found_and_where_they_matched(wake: Wakegraph, project: str) -> None:
    await chain(wake, project, 2)
    await wake.graph.read("schema/await_indexes", seconds=30)
    found = await View(wake).search("step", project=project)
    assert {hit.id for hit in found.hits} == {"s0", "s1"}


async def asked(wake: Wakegraph, caller: Caller | None, path: str) -> tuple[int, dict[str, Any], Any]:
    """Ask without leaving this event loop, which the database connection belongs to."""
    import httpx2 as httpx

    async def authorise(_: Request) -> Caller | None:
        return caller

    app = Starlette(routes=routes(wake, authorise))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1") as http:
        answer = await http.get(path)
        kind = answer.headers["content-type"]
        return answer.status_code, dict(answer.headers), answer.json() if "json" in kind else answer.text


async def test_the_page_holds_no_data_and_everything_has_the_strict_policy(wake: Wakegraph, project: str) -> None:
    await chain(wake, project, 1)
    for path in ("/view", "/view/page.js", "/view/page.css", "/view/icon.svg", f"/view/api/project?project={project}"):
        status, headers, _ = await asked(wake, Caller(), path)
        assert status == 200
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    _, _, page = await asked(wake, None, "/view")
    assert "<style" not in page
    assert "//" not in page.replace("<!doctype html>", "")


async def test_data_needs_a_caller_with_the_scope_to_read(wake: Wakegraph, project: str) -> None:
    path = f"/view/api/project?project={project}"
    status, headers, body = await asked(wake, None, path)
    assert (status, headers["www-authenticate"]) == (401, "Bearer")
    assert "token" in body["error"]
    status, _, body = await asked(wake, Caller(scopes=frozenset({Scope.WRITE})), path)
    assert status == 403
    assert "scope read" in body["error"]


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("project?project=no-such-project-here", 404, "there is no project"),
        ("project?project=x&limit=many", 400, "limit 'many'"),
        ("around", 400, "id is missing"),
        ("around?id=a&direction=up", 400, "direction"),
        ("search", 400, "query is missing"),
        ("snapshot?id=no-such-snapshot-here", 404, "no-such-snapshot-here"),
    ],
)
async def test_what_cannot_be_answered_is_said_in_one_line(wake: Wakegraph, path: str, status: int, words: str) -> None:
    found, _, body = await asked(wake, Caller(), f"/view/api/{path}")
    assert found == status
    assert words in body["error"]


async def test_the_code_of_an_address_is_worth_one_token(wake: Wakegraph) -> None:
    import httpx2 as httpx

    page = LocalPage(wake, Caller())
    code = page.address(1).partition("code=")[2]
    transport = httpx.ASGITransport(app=page.app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:1") as http:
        assert (await http.get("/view/api/projects")).status_code == 401
        assert (await http.post("/view/api/session", headers={"X-Wakegraph-Code": "guess"})).status_code == 401
        token = (await http.post("/view/api/session", headers={"X-Wakegraph-Code": code})).json()["token"]
        again = await http.post("/view/api/session", headers={"X-Wakegraph-Code": code})
        assert again.status_code == 401
        assert "wakegraph view" in again.json()["error"]
        allowed = await http.get("/view/api/projects", headers={"Authorization": f"Bearer {token}"})
        assert allowed.status_code == 200
        assert (await http.get("/view", headers={"Host": "evil.example"})).status_code == 400
        assert (await http.get("/")).headers["location"] == "/view"
