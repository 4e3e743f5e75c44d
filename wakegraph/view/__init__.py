"""A page to look at chains with: its files, its data, and a server for one person on loopback."""

from __future__ import annotations

from wakegraph.view.web import Authorise, Memory, routes

__all__ = ["Authorise", "Memory", "routes"]
