"""The page of the HTTP server: the same tokens and limits to projects as for the tools."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx2 as httpx
import pytest

from wakegraph.app import Wakegraph
from wakegraph.mcp.auth import TokenList, new_token
from wakegraph.mcp.http import http_app
from wakegraph.mcp.options import ServerOptions
from wakegraph.mcp.server import create_server
from wakegraph.models import Scope

pytestmark = pytest.mark.db


@asynccontextmanager
async def serving(
    wake: Wakegraph, grants: Sequence[tuple[list[Scope], list[str]]] = ()
) -> AsyncIterator[tuple[httpx.AsyncClient, list[str]]]:
    """A client of a server, and a token for each grant."""
    made = [new_token("someone", scopes, projects) for scopes, projects in grants]
    auth = TokenList(grant for _, grant in made) if made else None
    server = create_server(wake, ServerOptions(auth=auth))
    transport = httpx.ASGITransport(app=http_app(server, wake.settings, "127.0.0.1"))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        yield http, [token for token, _ in made]


async def test_without_tokens_the_local_user_sees_everything(wake: Wakegraph, project: str) -> None:
    await wake.snapshots.save("a", project=project, id="a")
    async with serving(wake) as (http, _):
        page = await http.get("/view")
        assert page.status_code == 200
        assert "default-src 'none'" in page.headers["content-security-policy"]
        picture = (await http.get("/view/api/project", params={"project": project})).json()
        assert [node["id"] for node in picture["nodes"]] == ["a"]


async def test_another_host_name_is_refused(wake: Wakegraph) -> None:
    async with serving(wake) as (http, _):
        for path in ("/view", "/view/api/projects"):
            answer = await http.get(path, headers={"Host": "evil.example"})
            assert 400 <= answer.status_code < 500, (path, answer.status_code)


async def test_a_token_shows_its_projects_and_nothing_of_others(
    wake: Wakegraph, project: str, other_project: str
) -> None:
    await wake.snapshots.save("seen", project=project, id="seen")
    await wake.snapshots.save("hidden", project=other_project, id="hidden")
    grants = [([Scope.READ], [project]), ([Scope.WRITE], [])]
    async with serving(wake, grants) as (http, (reader, writer)):
        assert (await http.get("/view")).status_code == 200
        for name in ("project", "projects", "around", "snapshot", "search"):
            assert (await http.get(f"/view/api/{name}")).status_code == 401
        wrong = await http.get("/view/api/projects", headers={"Authorization": "Bearer wrong"})
        assert wrong.status_code == 401
        mine = {"Authorization": f"Bearer {reader}"}
        shown = await http.get("/view/api/project", params={"project": project}, headers=mine)
        assert [node["id"] for node in shown.json()["nodes"]] == ["seen"]
        for path, given in (
            ("project", {"project": other_project}),
            ("around", {"id": f"{other_project}::hidden"}),
            ("snapshot", {"id": f"{other_project}::hidden"}),
        ):
            assert (await http.get(f"/view/api/{path}", params=given, headers=mine)).status_code == 404
        assert other_project not in (await http.get("/view/api/projects", headers=mine)).text
        not_mine = await http.get("/view/api/projects", headers={"Authorization": f"Bearer {writer}"})
        assert not_mine.status_code == 403
