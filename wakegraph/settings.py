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

    model_config = SettingsConfigDict(
        env_prefix="WAKEGRAPH_",
        extra="ignore",
        frozen=True,
        env_ignore_empty=True,
        use_attribute_docstrings=True,
    )

    # Database: an address makes that server the database; without one the local engine is used.
    neo4j_uri: str | None = None
    """address of the Neo4j to use, `bolt://...` or `neo4j://...`; without one the local engine is used"""
    neo4j_username: str = "neo4j"
    """its user"""
    neo4j_password: SecretStr | None = None
    """its password"""
    neo4j_database: str | None = None
    """its database; by default the user's home database"""
    connection_timeout: Annotated[float, Field(gt=0, le=600)] = 5.0
    """seconds to wait for a connection"""
    retry_time: Annotated[float, Field(gt=0, le=600)] = 15.0
    """seconds that a failed transaction is retried"""
    pool_size: Annotated[int, Field(ge=1, le=1000)] = 50
    """connections at the most"""

    # Local engine
    home: Path = Field(default_factory=_default_home)
    """folder of the local engine and its data"""
    engine_version: str = "2026.08.1"
    """Neo4j version of the local engine"""
    engine_bolt_port: Annotated[int | None, Field(ge=1, le=65535)] = None
    """port of Bolt; by default 7687 when it is free, else any"""
    engine_http_port: Annotated[int | None, Field(ge=1, le=65535)] = None
    """port of Neo4j Browser; by default 7474 when it is free, else any"""
    engine_heap_mb: Annotated[int, Field(ge=256)] = 512
    """Java heap in megabytes"""
    engine_page_cache_mb: Annotated[int, Field(ge=16)] = 128
    """page cache in megabytes"""
    engine_idle_seconds: Annotated[float, Field(ge=0)] = 1800.0
    """the local engine stops after so long without a client; 0: never"""
    engine_archive: bool = True
    """keep an archive of loaded Java classes, which nearly halves the start of the local engine, at about 200 MB"""
    offline: bool = False
    """never download anything"""

    # Who and where
    project: str | None = None
    """the project that is meant when none is named"""
    author: str | None = None
    """who saves, when nobody is named"""
    read_only: bool = False
    """refuse everything that writes, and do not count access"""
    log_level: str = "WARNING"
    """DEBUG, INFO, WARNING, ERROR or CRITICAL; logs go to stderr"""

    # MCP over HTTP
    http_tokens: Path | None = None
    """file of bearer tokens, one JSON object a line (see `wakegraph token`)"""
    http_token: SecretStr | None = None
    """one bearer token that may do everything; at least 16 characters"""
    http_allowed_hosts: str | None = None
    """host names to accept in requests besides those of this machine, separated by commas"""
    http_allowed_origins: str | None = None
    """origins of web pages to accept, separated by commas"""
    http_max_body_mb: Annotated[int, Field(ge=1, le=1000)] = 16
    """size of a request at the most, in megabytes"""
    http_rate: Annotated[float, Field(gt=0)] = 50.0
    """requests a second that one client may make in the long run"""
    http_burst: Annotated[int, Field(ge=1)] = 200
    """requests that one client may make at once"""
    http_concurrency: Annotated[int, Field(ge=1)] = 64
    """tool calls in progress at the most"""
    jwt_jwks_uri: str | None = None
    """where the keys are that sign JSON web tokens"""
    jwt_issuer: str | None = None
    """who must have issued a JSON web token"""
    jwt_audience: str | None = None
    """for whom a JSON web token must be"""
    jwt_algorithm: str = "RS256"
    """how JSON web tokens are signed"""

    # Layer 1
    detection_window_seconds: Annotated[float, Field(gt=0)] = 3600.0
    """how long before a save another one counts as a detected dependency"""
    detection_limit: Annotated[int, Field(ge=0, le=100)] = 5
    """detected dependencies of a save at the most"""
    retry_window_seconds: Annotated[float, Field(ge=0)] = 600.0
    """how long the same save without an id is taken for a retry"""
    future_tolerance_seconds: Annotated[float, Field(ge=0)] = 300.0
    """how far in the future a given time may be"""

    # Layer 2
    tier_active_hours: Annotated[float, Field(gt=0)] = 1.0
    """ACTIVE below so many hours since the last activity"""
    tier_recent_hours: Annotated[float, Field(gt=0)] = 24.0
    """RECENT below so many"""
    tier_archived_hours: Annotated[float, Field(gt=0)] = 720.0
    """ARCHIVED below so many, EXPIRED from there on"""
    tier_weight_active: Annotated[float, Field(gt=0)] = 1.2
    """weight of ACTIVE in search"""
    tier_weight_recent: Annotated[float, Field(gt=0)] = 1.1
    """weight of RECENT in search"""
    tier_weight_archived: Annotated[float, Field(gt=0)] = 1.0
    """weight of ARCHIVED in search"""
    tier_weight_expired: Annotated[float, Field(gt=0)] = 0.8
    """weight of EXPIRED in search"""

    # Layer 3
    prediction_profile: str = "wake"
    """formulas of the scores: wake, steps or activation"""
    weight_temporal: float = 0.4
    """weight of the temporal score; the three sum to 1"""
    weight_causal: float = 0.3
    """weight of the causal score"""
    weight_frequency: float = 0.3
    """weight of the frequency score"""
    steps_boosts: bool = False
    """add the optional boosts of the profile steps"""
    prediction_constants: dict[str, Any] = {}
    """constants of the profiles, as a JSON object"""
    stale_threshold_hours: Annotated[float, Field(ge=0)] = 24.0
    """a prediction is stale after so many hours"""
    refresh_before_answer: Annotated[int, Field(ge=0)] = 5000
    """stale predictions that are refreshed before an answer, at the most"""

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
