"""What a host of agents needs to be told so that it starts wakegraph."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wakegraph.models import Model

if TYPE_CHECKING:
    from wakegraph.settings import Settings

__all__ = ["ConfigPart", "HostConfig", "NewToken", "host_config", "program"]

_PASSED = ("neo4j_uri", "neo4j_username", "neo4j_database", "project", "author", "home")
NAME = "wakegraph"


class ConfigPart(Model):
    """One text and where it goes."""

    where: str
    text: str


class HostConfig(Model):
    """Everything to configure in one host."""

    host: str
    command: str
    args: list[str]
    env: dict[str, str]
    parts: list[ConfigPart]


class NewToken(Model):
    """A token and its line for the token file."""

    token: str
    line: str


def program() -> list[str]:
    """The command that starts this wakegraph, with an absolute path: graphical hosts do not have the user's PATH."""
    folder = Path(sys.executable).parent
    for name in ("wakegraph", "wakegraph.exe"):
        if (folder / name).exists():
            return [str(folder / name)]
    return [sys.executable, "-m", "wakegraph"]


def host_config(host: str, settings: Settings, *, toolset: str = "all") -> HostConfig:
    """What to configure in a host.

    Args:
        host: one of claude-desktop, claude-code, cursor, vscode, codex, gemini.
        settings: those that were given are passed on; a password is not: it is named, to be put in by hand.
        toolset: `all` or `core`.
    """
    first, *rest = program()
    args = [*rest, "serve", *(["--toolset", toolset] if toolset != "all" else [])]
    given = settings.model_fields_set
    env = {f"WAKEGRAPH_{name.upper()}": str(getattr(settings, name)) for name in _PASSED if name in given}
    if settings.neo4j_password is not None:
        env["WAKEGRAPH_NEO4J_PASSWORD"] = "PUT THE PASSWORD HERE"  # noqa: S105  a place for one
    entry: dict[str, Any] = {"command": first, "args": args, **({"env": env} if env else {})}
    # A hook runs outside the server's entry: without the same settings it would look into another database.
    surrounding = ["env", *(f"{name}={value}" for name, value in env.items())] if env and os.name == "posix" else []
    hook = " ".join(_quoted(word) for word in [*surrounding, first, *rest, "resume"])
    parts = {
        "claude-desktop": _claude_desktop,
        "claude-code": _claude_code,
        "cursor": _cursor,
        "vscode": _vscode,
        "codex": _codex,
        "gemini": _gemini,
    }[host](entry, hook)
    return HostConfig(host=host, command=first, args=args, env=env, parts=parts)


def _claude_desktop(entry: dict[str, Any], _: str) -> list[ConfigPart]:
    where = (
        "claude_desktop_config.json (macOS: ~/Library/Application Support/Claude, Windows: %APPDATA%\\Claude, "
        "Linux: ~/.config/Claude)"
    )
    return [ConfigPart(where=where, text=_json({"mcpServers": {NAME: entry}}))]


def _claude_code(entry: dict[str, Any], hook: str) -> list[ConfigPart]:
    hooks = {
        "hooks": {
            "SessionStart": [
                {"matcher": "startup|resume|clear|compact", "hooks": [{"type": "command", "command": hook}]}
            ]
        }
    }
    return [
        ConfigPart(where=".mcp.json in the project", text=_json({"mcpServers": {NAME: {"type": "stdio", **entry}}})),
        ConfigPart(
            where=".claude/settings.json in the project: each session starts with what wakegraph knows",
            text=_json(hooks),
        ),
    ]


def _cursor(entry: dict[str, Any], hook: str) -> list[ConfigPart]:
    hooks = {"version": 1, "hooks": {"sessionStart": [{"command": hook}]}}
    return [
        ConfigPart(
            where="~/.cursor/mcp.json, or .cursor/mcp.json in the project", text=_json({"mcpServers": {NAME: entry}})
        ),
        ConfigPart(where=".cursor/hooks.json in the project", text=_json(hooks)),
    ]


def _vscode(entry: dict[str, Any], _: str) -> list[ConfigPart]:
    return [
        ConfigPart(
            where=".vscode/mcp.json in the workspace", text=_json({"servers": {NAME: {"type": "stdio", **entry}}})
        )
    ]


def _codex(entry: dict[str, Any], _: str) -> list[ConfigPart]:
    lines = [
        f"[mcp_servers.{NAME}]",
        f"command = {_toml(entry['command'])}",
        f"args = [{', '.join(_toml(word) for word in entry['args'])}]",
        "startup_timeout_sec = 20",
        "tool_timeout_sec = 60",
    ]
    if "env" in entry:
        lines += ["", f"[mcp_servers.{NAME}.env]", *(f"{key} = {_toml(value)}" for key, value in entry["env"].items())]
    return [ConfigPart(where="~/.codex/config.toml", text="\n".join(lines))]


def _gemini(entry: dict[str, Any], hook: str) -> list[ConfigPart]:
    values = {
        "mcpServers": {NAME: {**entry, "timeout": 60_000}},
        "hooks": {
            "SessionStart": [{"matcher": "*", "hooks": [{"type": "command", "name": NAME, "command": hook}]}],
        },
    }
    return [ConfigPart(where="~/.gemini/settings.json, or .gemini/settings.json in the project", text=_json(values))]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _toml(text: str) -> str:
    # A JSON string is a valid basic string of TOML.
    return json.dumps(text, ensure_ascii=False)


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word
