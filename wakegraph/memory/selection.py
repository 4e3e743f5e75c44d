"""Which expired snapshots may go. Pure: a graph of who needs whom in, an order of removal out."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

__all__ = ["Selection", "select"]


@dataclass(frozen=True, slots=True)
class Selection:
    """What becomes of N expired snapshots, numbered from the longest unused on.

    Attributes:
        groups: what may go within the limit, in an order in which nothing goes before what needs it; snapshots of
            one group need each other and go together.
        kept_for: the numbers of those that must stay, each with the number of one that needs it and stays, or with
            its own when something that has not expired needs it.
        remaining: how many more could go, beyond the limit.
    """

    groups: list[list[int]]
    kept_for: dict[int, int]
    remaining: int


def select(needs: Sequence[Sequence[int]], held: Iterable[int], limit: int) -> Selection:
    """Choose what may go: the longest unused first, as far as what needs them goes too.

    Args:
        needs: for each snapshot the numbers of the snapshots that it needs.
        held: numbers of those that something not expired needs.
        limit: how many may go at the most.
    """
    kept_for = _kept(needs, held)
    group_of, groups = _groups(needs, kept_for)
    waiting = [0] * len(groups)  # how many groups still there need a group
    needed: list[set[int]] = [set() for _ in groups]
    for number, group in enumerate(groups):
        for one in group:
            needed[number] |= {group_of[other] for other in needs[one] if group_of[other] not in {-1, number}}
        for other in needed[number]:
            waiting[other] += 1
    free = [(group[0], number) for number, group in enumerate(groups) if waiting[number] == 0]
    heapq.heapify(free)
    chosen: list[list[int]] = []
    left = limit
    while free and left:
        _, number = heapq.heappop(free)
        if len(groups[number]) > left:
            continue  # a group that needs itself goes as a whole or not at all
        chosen.append(groups[number])
        left -= len(groups[number])
        for other in needed[number]:
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(free, (groups[other][0], other))
    return Selection(chosen, kept_for, len(needs) - len(kept_for) - (limit - left))


def _kept(needs: Sequence[Sequence[int]], held: Iterable[int]) -> dict[int, int]:
    """Everything that what is held needs, step by step."""
    kept_for = {number: number for number in held}
    queue = deque(kept_for)
    while queue:
        number = queue.popleft()
        for other in needs[number]:
            if other not in kept_for:
                kept_for[other] = number
                queue.append(other)
    return kept_for


def _groups(needs: Sequence[Sequence[int]], kept: dict[int, int]) -> tuple[list[int], list[list[int]]]:
    """Strongly connected groups of those not kept (Tarjan 1972, without recursion), each sorted."""
    order, low, group_of = [-1] * len(needs), [0] * len(needs), [-1] * len(needs)
    groups: list[list[int]] = []
    opened: list[int] = []
    path: list[tuple[int, Iterator[int]]] = []
    visits = count()

    def enter(node: int) -> None:
        order[node] = low[node] = next(visits)
        opened.append(node)
        path.append((node, iter(needs[node])))

    for start in range(len(needs)):
        if order[start] < 0 and start not in kept:
            enter(start)
        while path:
            node, others = path[-1]
            for other in others:
                if other in kept or group_of[other] >= 0:
                    continue
                if order[other] < 0:
                    enter(other)
                    break
                low[node] = min(low[node], order[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    groups.append(_taken(opened, node, group_of, len(groups)))
    return group_of, groups


def _taken(opened: list[int], node: int, group_of: list[int], number: int) -> list[int]:
    group: list[int] = []
    while not group or group[-1] != node:
        group.append(opened.pop())
        group_of[group[-1]] = number
    return sorted(group)
