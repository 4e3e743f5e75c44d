"""The local engine: a real Neo4j Community in a background process of the user's own.

Brought up on first use, shared by all wakegraph processes of the user, gone by itself when it is not used. Nothing here
writes to standard output or reads the environment's settings.
"""

from wakegraph.engine.client import await_browser, ensure, log_tail, prefetch, status, stop
from wakegraph.engine.config import Endpoint, EngineConfig, EngineStatus, Progress

__all__ = [
    "Endpoint",
    "EngineConfig",
    "EngineStatus",
    "Progress",
    "await_browser",
    "ensure",
    "log_tail",
    "prefetch",
    "status",
    "stop",
]
