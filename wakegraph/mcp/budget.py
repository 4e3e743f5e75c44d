"""Keeping answers within a budget, whatever the size of what is stored.

The unit is the byte of the answer's JSON: four of them are about one token of a language model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from pydantic import BaseModel

__all__ = ["DEFAULT", "LARGE", "clipped", "excerpt", "fitting", "shares", "size", "sliced", "weight"]

T = TypeVar("T", bound=BaseModel)
L = TypeVar("L")

DEFAULT = 28_000
"""Structured content of an answer whose size the caller did not ask for; with its text it stays under 10,000 tokens."""

LARGE = 80_000
"""Structured content of an answer that was asked for in full or with a limit of its own."""

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def size(model: BaseModel) -> int:
    """Bytes of a model as an answer."""
    return len(model.model_dump_json(by_alias=True, exclude_none=True).encode())


def fitting(build: Callable[[L], T], levels: Iterable[L], budget: int = DEFAULT) -> T:
    """The answer at the first level of detail that keeps to the budget, or at the last one.

    Args:
        build: makes the answer at a level.
        levels: from the most to the least detailed.
        budget: bytes.
    """
    tried: Iterator[L] = iter(levels)
    answer = build(next(tried))
    for level in tried:
        if size(answer) <= budget:
            break
        answer = build(level)
    return answer


def clipped(text: str, width: int) -> str:
    """The beginning of a text, at most `width` characters, with an ellipsis where it was cut."""
    return text if len(text) <= width else text[: max(0, width - 1)].rstrip() + _ELLIPSIS


def excerpt(text: str, around: str | None, width: int) -> str:
    """The part of a text around a passage that it holds, at most `width` characters, ellipses where it was cut."""
    at = text.find(around) if around else -1
    if at < 0 or len(text) <= width:
        return clipped(text, width)
    begin = max(0, min(at - (width - len(around or "")) // 2, len(text) - width))
    part = text[begin : begin + width]
    return f"{_ELLIPSIS if begin else ''}{part}{_ELLIPSIS if begin + width < len(text) else ''}"


def sliced(text: str, offset: int, budget: int) -> str:
    """As much of a text from an offset on as keeps to a budget of bytes in JSON; at least one character."""
    part = text[offset : offset + budget]
    while len(part) > 1 and weight(part) > budget:
        part = part[: max(1, int(len(part) * min(0.9, budget / weight(part))))]
    return part


def shares(needs: Sequence[int], budget: int) -> list[int]:
    """Divide a budget so that small needs are met whole and large ones get equal parts."""
    given = [0] * len(needs)
    order = sorted(range(len(needs)), key=lambda index: needs[index])
    for position, index in enumerate(order):
        given[index] = min(needs[index], budget // (len(needs) - position))
        budget -= given[index]
    return given


def weight(text: str) -> int:
    """Bytes of a text in JSON, without its quotation marks."""
    return len(json.dumps(text, ensure_ascii=False).encode()) - 2
