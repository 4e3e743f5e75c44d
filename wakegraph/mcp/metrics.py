"""Figures of a running server, for Prometheus."""

from __future__ import annotations

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, generate_latest

__all__ = ["count", "exposed", "know", "set_database"]

_calls = Counter("wakegraph_tool_calls", "Tool calls by outcome: ok, error, refused", ["tool", "outcome"])
_seconds = Histogram("wakegraph_tool_seconds", "Seconds a tool call took", ["tool"])
_database = Gauge("wakegraph_database_up", "1 when the database answered the last readiness check")
_known: set[str] = set()


def count(tool: str, outcome: str, seconds: float) -> None:
    """Record a call. Names that are no tools are counted together: a client must not create series at will."""
    name = tool if tool in _known else "unknown"
    _calls.labels(name, outcome).inc()
    _seconds.labels(name).observe(seconds)


def know(names: set[str]) -> None:
    """Say which tools there are."""
    _known.update(names)


def set_database(up: bool) -> None:
    """Record whether the database answers."""
    _database.set(up)


def exposed() -> bytes:
    """All figures in the Prometheus text format."""
    return generate_latest(REGISTRY)
