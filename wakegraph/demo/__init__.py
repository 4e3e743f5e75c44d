"""A real decision graph to try wakegraph with: the Python Enhancement Proposals and what replaced what."""

from wakegraph.demo.decisions import PROJECT, decisions
from wakegraph.demo.tour import LongChain, longest_chain

__all__ = ["PROJECT", "LongChain", "decisions", "longest_chain"]
