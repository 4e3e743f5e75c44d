"""Neo4j Browser itself, in a real Chromium: connects, runs the first query, takes style sheet and favourites."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import browser, picture, until
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from wakegraph.app import Wakegraph
from wakegraph.browser.address import first_query
from wakegraph.graph.driver import Graph
from wakegraph.settings import Settings

pytestmark = [pytest.mark.db, pytest.mark.process]

DROP = """
const [content, name] = arguments;
const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
const data = new DataTransfer();
data.items.add(new File([bytes], name));
const target = document.querySelector('.filedrop');
for (const type of ['dragenter', 'dragover', 'drop'])
  target.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data}));
"""


def one(driver: WebDriver, name: str) -> WebElement | None:
    found = driver.find_elements(By.CSS_SELECTOR, f"[data-testid='{name}']")
    return found[0] if found else None


def drop(driver: WebDriver, path: Path) -> None:
    driver.execute_script(DROP, base64.b64encode(path.read_bytes()).decode(), path.name)


async def browser_of(graph: Graph) -> str:
    """Where the server of the run serves Neo4j Browser."""
    async with graph.session("READ") as session:
        result = await session.run("SHOW SETTINGS 'server.http.listen_address' YIELD value RETURN value")
        record = await result.single()
    port = str(record["value"] if record else "").rpartition(":")[2]
    if not port.isdigit():
        pytest.skip("the Neo4j of this run has no HTTP port, so it serves no Browser")
    return f"http://127.0.0.1:{port}/browser/"


def run_command(settings: Settings, *arguments: str) -> subprocess.CompletedProcess[str]:
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    environment = {
        **os.environ,
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_USERNAME": settings.neo4j_username,
        "WAKEGRAPH_NEO4J_PASSWORD": password,
    }
    command = [sys.executable, "-m", "wakegraph", "browser", "--no-open", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture
async def story(wake: Wakegraph, project: str) -> str:
    steps = [
        ("goal", "Answer why a decision was made", []),
        ("graph", "Keep causes as relationships", ["goal"]),
        ("acyclic", "Refuse causal cycles", ["graph"]),
        ("roles", "Classify causal roles", ["graph"]),
        ("lock", "One lock for all links", ["acyclic"]),
    ]
    for id_, text, causes in steps:
        await wake.snapshots.save(
            text, project=project, id=id_, caused_by=causes, action_type="decision", detect_dependencies=False
        )
    await wake.propagation.refresh(project=project)
    return project


async def test_the_first_query_is_filled_in_and_runs_in_colour(
    settings: Settings, graph: Graph, story: str, tmp_path: Path
) -> None:
    base = await browser_of(graph)
    ran = run_command(settings, "-p", story, "--address", base, "--kit", str(tmp_path), "--show-password", "--json")
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["answers"]
    assert report["painted"] == 5
    with browser() as driver:
        driver.get(report["address"])
        password = until(lambda: one(driver, "password"), "the form of the connection")
        assert until(lambda: one(driver, "boltaddress"), "the address").get_attribute("value") in report["uri"]
        assert until(lambda: one(driver, "username"), "the user").get_attribute("value") == report["username"]
        password.send_keys(report["password"])
        until(lambda: one(driver, "connect"), "the button").click()
        until(lambda: one(driver, "password") is None, "the connection")
        editor = until(lambda: driver.find_elements(By.CSS_SELECTOR, ".view-lines"), "the editor")[0]
        assert editor.text.replace("\xa0", " ") == first_query(story)
        picture(driver, "browser-connected")
        drop(driver, tmp_path / "wakegraph.grass")
        drop(driver, tmp_path / "wakegraph-favourites.zip")
        until(lambda: one(driver, "editor-Run"), "the run button").click()
        until(lambda: len(driver.find_elements(By.CSS_SELECTOR, "svg g.node")) == 5, "five snapshots drawn")
        fills = {
            node.get_attribute("fill").lower()
            for node in driver.find_elements(By.CSS_SELECTOR, "svg g.node circle.b-outline")
        }
        assert {"#5cc8a8", "#f3c55f", "#8cc6ec", "#e0a3c6"} <= fills  # root, branch, link, leaf
        until(lambda: one(driver, "navigationFavorites"), "the drawer").click()
        until(lambda: one(driver, "expandFolder-wakegraph"), "the folder of favourites").click()
        until(lambda: "Why this" in driver.find_element(By.TAG_NAME, "body").text, "the saved queries")
        driver.implicitly_wait(0)
        picture(driver, "browser-coloured")


def test_the_password_is_printed_only_when_asked_for(settings: Settings) -> None:
    secret = settings.neo4j_password.get_secret_value() if settings.neo4j_password else "-"
    quiet = run_command(settings, "--no-paint")
    assert quiet.returncode == 0, quiet.stderr
    assert secret not in quiet.stdout + quiet.stderr
    assert "--show-password" in quiet.stdout
    loud = run_command(settings, "--no-paint", "--show-password")
    assert secret in loud.stdout


def test_an_address_where_nothing_answers_is_said(settings: Settings) -> None:
    ran = run_command(settings, "--no-paint", "--address", "http://127.0.0.1:9/browser/")
    assert ran.returncode == 0
    assert "Nothing answers at that address" in ran.stdout


def test_a_project_that_does_not_exist_is_an_error(settings: Settings) -> None:
    ran = run_command(settings, "--project", "no-such-project")
    assert ran.returncode == 3
    assert "there is no project 'no-such-project'" in ran.stderr


async def test_labels_are_taken_off_again(settings: Settings, graph: Graph, story: str) -> None:
    assert run_command(settings, "-p", story).returncode == 0
    assert run_command(settings, "-p", story, "--unpaint").returncode == 0
    async with graph.session("READ") as session:
        result = await session.run("MATCH (s:Snapshot {project: $p}) RETURN DISTINCT labels(s) AS labels", p=story)
        assert [record["labels"] async for record in result] == [["Snapshot"]]
