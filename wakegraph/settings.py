"""All settings, and the only reader of the environment.

Every setting has the environment name `WAKEGRAPH_<NAME>`; the connection may also come from the `NEO4J_...` names that
other Neo4j tools read.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from wakegraph.errors import ConfigurationError

__all__ = ["Settings", "load_settings"]

_CONNECTION_NAMES = ("uri", "username", "password", "database")


def _default_home() -> Path:
    return Path(platformdirs.user_data_dir("wakegraph", appauthor=False))


class Settings(BaseSettings):
    """Settings of one wakegraph process. Use `load_settings` to get errors of one line."""

    model_config = SettingsConfigDict(env_prefix="WAKEGRAPH_", extra="ignore", frozen=True, env_ignore_empty=True)

    # Database: an address makes that server the database; without one the local engine is used.
    neo4j_uri: str | None = None
    neo4j_username: str = "neo4j"
    neo4j_password: SecretStr | None = None
    neo4j_database: str | None = None
    connection_timeout: Annotated[float, Field(gt=0, le=600)] = 5.0
    retry_time: Annotated[float, Field(gt=0, le=600)] = 15.0
    pool_size: Annotated[int, Field(ge=1, le=1000)] = 50

    # Local engine
    home: Path = Field(default_factory=_default_home)
    engine_version: str = "2026.08.1"
    engine_bolt_port: Annotated[int | None, Field(ge=1, le=65535)] = None
    engine_http_port: Annotated[int | None, Field(ge=1, le=65535)] = None
    engine_heap_mb: Annotated[int, Field(ge=256)] = 512
    engine_page_cache_mb: Annotated[int, Field(ge=16)] = 128
    engine_idle_seconds: Annotated[float, Field(ge=0)] = 1800.0
    offline: bool = False

    # Who and where
    project: str | None = None
    author: str | None = None
    read_only: bool = False
    log_level: str = "WARNING"

    # Layer 1
    detection_window_seconds: Annotated[float, Field(gt=0)] = 3600.0
    detection_limit: Annotated[int, Field(ge=0, le=100)] = 5
    retry_window_seconds: Annotated[float, Field(ge=0)] = 600.0
    future_tolerance_seconds: Annotated[float, Field(ge=0)] = 300.0

    # Layer 2
    tier_active_hours: Annotated[float, Field(gt=0)] = 1.0
    tier_recent_hours: Annotated[float, Field(gt=0)] = 24.0
    tier_archived_hours: Annotated[float, Field(gt=0)] = 720.0
    tier_weight_active: Annotated[float, Field(gt=0)] = 1.2
    tier_weight_recent: Annotated[float, Field(gt=0)] = 1.1
    tier_weight_archived: Annotated[float, Field(gt=0)] = 1.0
    tier_weight_expired: Annotated[float, Field(gt=0)] = 0.8

    # Layer 3
    prediction_profile: str = "wake"
    weight_temporal: float = 0.4
    weight_causal: float = 0.3
    weight_frequency: float = 0.3
    steps_boosts: bool = False
    prediction_constants: dict[str, Any] = {}
    stale_threshold_hours: Annotated[float, Field(ge=0)] = 24.0
    refresh_before_answer: Annotated[int, Field(ge=0)] = 5000

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, value: str) -> str:
        level = value.upper()
        if level not in {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}:
            raise ValueError("use DEBUG, INFO, WARNING, ERROR or CRITICAL")
        return level

    @field_validator("home")
    @classmethod
    def _absolute_home(cls, value: Path) -> Path:
        return value.expanduser().absolute()


def load_settings(**overrides: Any) -> Settings:
    """Read the settings from the environment; arguments win over it.

    Args:
        overrides: values by field name; those that are None are ignored.

    Returns:
        The settings.

    Raises:
        ConfigurationError: a value cannot be used; the line names the variable and the value.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    given = {**_fallback_connection(given), **given}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise ConfigurationError(_one_line(error)) from None


def _fallback_connection(given: dict[str, Any]) -> dict[str, str]:
    """The NEO4J_... names count only as a whole, and only when wakegraph's own address is not set."""
    if given.get("neo4j_uri") or os.environ.get("WAKEGRAPH_NEO4J_URI") or not os.environ.get("NEO4J_URI"):
        return {}
    values = {f"neo4j_{name}": os.environ.get(f"NEO4J_{name.upper()}") for name in _CONNECTION_NAMES}
    return {name: value for name, value in values.items() if value}


def _one_line(error: ValidationError) -> str:
    parts = []
    for item in error.errors():
        name = "WAKEGRAPH_" + "_".join(str(part) for part in item["loc"]).upper()
        secret = "PASSWORD" in name
        shown = "" if secret else f" {item['input']!r}"
        parts.append(f"setting {name}{shown} cannot be used: {item['msg'].removeprefix('Value error, ')}")
    return "; ".join(parts)
