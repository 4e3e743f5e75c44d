"""All commands by name. Their modules are imported when they are run: `wakegraph --help` loads none of them."""

from __future__ import annotations

import sys

from cyclopts import App

__all__ = ["app"]


def _version() -> str:
    from wakegraph import __version__

    return __version__


app = App(
    name="wakegraph",
    help="The causal memory of AI agents, on Neo4j: why a thing exists, and what follows from it.",
    help_format="plaintext",
    help_formatter="default" if sys.stdout.isatty() else "plain",
    version=_version,
    suppress_keyboard_interrupt=False,
)

_GROUPS = {
    "import": "Bring snapshots in from somewhere else.",
    "export": "Write snapshots out.",
    "engine": "The local Neo4j: start, stop, status, logs.",
    "schema": "Constraints and indexes of the database.",
}

# Command -> (module below wakegraph.cli and function in it, help).
_COMMANDS = {
    "setup": ("engine:setup", "Fetch and start the local Neo4j."),
    "demo": ("demo:demo", "Load a real decision graph and ask it the first questions."),
    "resume": ("resume:resume", "Where work stands: one page to go on from."),
    "serve": ("serve:serve", "Serve agents over MCP: on stdin and stdout, or over HTTP."),
    "mcp-config": ("serve:mcp_config", "Print what a host of agents needs to use wakegraph."),
    "token": ("serve:token", "Make a bearer token for HTTP, and its line for the token file."),
    "save": ("snapshots:save", "Save a snapshot: a decision, an edit, a finding, with its causes."),
    "link": ("snapshots:link", "Say afterwards why a snapshot exists, or take that back."),
    "load": ("snapshots:load", "List the snapshots of a project."),
    "get": ("snapshots:get", "Show snapshots in full, with their links."),
    "search": ("snapshots:search", "Find snapshots by words."),
    "update": ("snapshots:update", "Change summary, tags, rationale, metadata or action type; content stays."),
    "delete": ("snapshots:delete", "Delete a snapshot; without --confirm, say what that would do."),
    "projects": ("snapshots:projects", "List the projects."),
    "chain": ("causality:chain", "The causal chain of a snapshot, root first."),
    "ancestry": ("causality:ancestry", "Everything that led to a snapshot."),
    "impact": ("causality:impact", "Everything that follows from a snapshot."),
    "why": ("causality:why", "Why a snapshot, or a path, is as it is."),
    "stats": ("causality:stats", "Figures of a project."),
    "validate": ("causality:validate", "What is odd in the graph of a project."),
    "refresh": ("propagation:refresh", "Bring scores, tiers and roles up to date: the script for cron."),
    "high-value": ("propagation:high_value", "What is worth keeping at hand."),
    "predict-next": ("propagation:predict_next", "What will probably be needed next."),
    "explain-score": ("propagation:explain_score", "The score of a snapshot, taken apart."),
    "configure": ("propagation:configure", "Show or change how a project scores."),
    "recalculate-tiers": ("memory:recalculate_tiers", "Bring the stored memory tiers up to date."),
    "prune": ("memory:prune", "Remove what is expired and needed by nothing; without --apply, say what that would do."),
    "import jsonl": ("interchange:import_jsonl", "Import snapshots from a JSONL file, plain or gzip."),
    "import git": ("interchange:import_git", "Import the history of a git repository."),
    "import memory-json": ("interchange:import_memory_json", "Import the file of the MCP memory server."),
    "import sqlite": ("interchange:import_sqlite", "Import a database file of Wake Intelligence."),
    "export jsonl": ("interchange:export_jsonl", "Export a project as JSONL."),
    "export prov": ("interchange:export_prov", "Export a project as W3C PROV."),
    "backup": ("backup:backup", "Write everything into one file."),
    "restore": ("backup:restore", "Bring back what a backup holds."),
    "browser": ("see:browser", "Open Neo4j Browser with everything filled in."),
    "view": ("see:view", "Look at a project or a chain on a page of your own."),
    "engine start": ("engine:start", "Start the local Neo4j when it is not up."),
    "engine stop": ("engine:stop", "Stop the local Neo4j."),
    "engine status": ("engine:status", "Whether the local Neo4j is up, and where."),
    "engine logs": ("engine:logs", "The last lines of the local Neo4j's log."),
    "schema apply": ("schema:apply", "Create what is missing, also in a database that holds other data."),
    "schema status": ("schema:status", "Version of the schema, and which indexes are online."),
    "doctor": ("doctor:doctor", "Check the whole installation."),
}


def _register() -> None:
    groups = {name: App(name=name, help=text) for name, text in _GROUPS.items()}
    for group in groups.values():
        app.command(group)
    for path, (target, text) in _COMMANDS.items():
        above, _, name = path.rpartition(" ")
        parent = groups[above] if above else app
        parent.command(f"wakegraph.cli.{target}", name=name, help=text)


_register()
