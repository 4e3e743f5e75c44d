"""The documentation of the tools is what they answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.mcp.conftest import closed
from wakegraph.mcp.hosts import host_config
from wakegraph.mcp.toolkit import input_schema, output_schema
from wakegraph.mcp.tools import ALL
from wakegraph.models import ActionType, Detail, Direction, MemoryTier, Order, Profile
from wakegraph.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.db
async def test_example_dialogues_are_what_the_tools_answer(settings: Settings) -> None:
    from tools.tool_docs import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == await page(settings), "run `python -m tools.tool_docs`"


def test_input_schemas_are_flat() -> None:
    """F44"""

    def walk(node: object, path: str) -> None:
        if isinstance(node, dict):
            assert not {"anyOf", "oneOf", "allOf", "$ref", "$defs", "additionalProperties"} & node.keys(), path
            assert not isinstance(node.get("type"), list), path
            for key, value in node.items():
                walk(value, f"{path}.{key}")

    for spec in ALL:
        schema = input_schema(spec.arguments)
        walk(schema, spec.name)
        assert schema["type"] == "object"
        for name, parameter in schema["properties"].items():
            assert parameter["type"], (spec.name, name)
            assert parameter["description"], (spec.name, name)


def test_closed_lists_are_those_of_the_models() -> None:
    kinds = {
        "actionType": ActionType,
        "tier": MemoryTier,
        "detail": Detail,
        "direction": Direction,
        "order": Order,
        "profile": Profile,
    }
    for spec in ALL:
        for name, parameter in input_schema(spec.arguments)["properties"].items():
            if name in kinds:
                assert set(parameter["enum"]) == {member.value for member in kinds[name]}, (spec.name, name)


def test_every_tool_is_described() -> None:
    for spec in ALL:
        assert spec.title
        assert 40 < len(spec.description) < 400
        assert output_schema(spec.answer)["type"] == "object"
        assert closed(output_schema(spec.answer))["additionalProperties"] is False


def test_schemas_are_those_that_clients_know() -> None:
    """A change of a published schema is a change of the contract: look at the difference, then write the file anew."""
    published = {
        spec.name: {"input": input_schema(spec.arguments), "output": output_schema(spec.answer)} for spec in ALL
    }
    known = json.loads((ROOT / "tests" / "data" / "mcp-schemas.json").read_text(encoding="utf-8"))
    assert published == known


@pytest.mark.parametrize("host", ["claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini"])
def test_host_configuration(host: str) -> None:
    config = host_config(host, Settings(neo4j_uri="bolt://db:7687", neo4j_password="very-secret", project="shop"))  # type: ignore[arg-type]
    assert Path(config.command).is_absolute()
    text = "\n".join(part.text for part in config.parts)
    assert "very-secret" not in text
    assert "bolt://db:7687" in text
    for part in config.parts:
        if "toml" in part.where:
            import tomllib

            assert tomllib.loads(part.text)["mcp_servers"]["wakegraph"]["command"] == config.command
        else:
            json.loads(part.text)
    if host in {"claude-code", "cursor", "gemini"}:
        hook = re.search(r'"command": "(env .*resume)"', text)
        assert hook is not None
        assert "WAKEGRAPH_NEO4J_URI=bolt://db:7687" in hook[1], "the hook would look into another database"


def test_registry_entry_is_of_this_version() -> None:
    from wakegraph import __version__

    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert entry["version"] == entry["packages"][0]["version"] == __version__
    assert len(entry["description"]) <= 100
    names = {f"WAKEGRAPH_{name.upper()}" for name in Settings.model_fields}
    assert {item["name"] for item in entry["packages"][0]["environmentVariables"]} <= names


def test_compose_service_is_safe() -> None:
    import yaml

    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]["wakegraph"]
    assert service["read_only"] is True
    assert service["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    # Neo4j alone comes up without a token; wakegraph itself refuses to start without one.
    assert service["environment"]["WAKEGRAPH_HTTP_TOKEN"] == "${WAKEGRAPH_HTTP_TOKEN:-}"
    assert "0.0.0.0" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "USER 10001" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
