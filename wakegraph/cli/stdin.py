"""The mark that stands for standard input or output."""

from __future__ import annotations

__all__ = ["STDIN"]

STDIN = "\0stdin"
"""What a lone `-` becomes: no argument of a program can hold a NUL, so it is mistaken for nothing else."""
