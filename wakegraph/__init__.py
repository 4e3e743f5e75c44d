"""wakegraph: the causal memory of AI agents, on Neo4j."""

from importlib.metadata import version as _version

__version__ = _version("wakegraph")
