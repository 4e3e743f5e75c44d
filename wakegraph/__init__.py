"""wakegraph: the causal memory of AI agents, on Neo4j."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wakegraph.app import Wakegraph
    from wakegraph.errors import (
        AccessDeniedError,
        ConfigurationError,
        ConflictError,
        DatabaseError,
        DatabaseUnavailableError,
        EngineError,
        ImportFileError,
        InvalidInputError,
        NotFoundError,
        WakegraphError,
    )
    from wakegraph.models import (
        ActionType,
        AuthorType,
        Caller,
        CausalRole,
        Direction,
        Edge,
        LinkRef,
        LinkType,
        MemoryTier,
        NamedRef,
        Order,
        Origin,
        Profile,
        Scope,
        Snapshot,
        SnapshotDetail,
        SnapshotRef,
        Source,
    )
    from wakegraph.settings import Settings, load_settings

__all__ = [
    "AccessDeniedError",
    "ActionType",
    "AuthorType",
    "Caller",
    "CausalRole",
    "ConfigurationError",
    "ConflictError",
    "DatabaseError",
    "DatabaseUnavailableError",
    "Direction",
    "Edge",
    "EngineError",
    "ImportFileError",
    "InvalidInputError",
    "LinkRef",
    "LinkType",
    "MemoryTier",
    "NamedRef",
    "NotFoundError",
    "Order",
    "Origin",
    "Profile",
    "Scope",
    "Settings",
    "Snapshot",
    "SnapshotDetail",
    "SnapshotRef",
    "Source",
    "Wakegraph",
    "WakegraphError",
    "load_settings",
]

__version__ = _version("wakegraph")

_HOMES = ("errors", "models", "settings", "app")


def __getattr__(name: str) -> Any:
    """Import a public name on first use: a server's handshake must not wait for numpy and the driver."""
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"wakegraph.{home}")
            if name in module.__all__:
                return getattr(module, name)
    raise AttributeError(f"module 'wakegraph' has no attribute {name!r}")
