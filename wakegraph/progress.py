"""How far long work is, told to whoever wants to show it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["OnProgress", "silent"]

OnProgress = Callable[[int, int | None], None]
"""Told how much is done, and of how much; None while that is not known."""


def silent(_done: int, _total: int | None) -> None:
    """No progress is wanted."""
