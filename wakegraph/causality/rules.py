"""The rules of layer 1. Pure: no database, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wakegraph.causality.models import ChainGap
from wakegraph.models import CausalRole

__all__ = ["Findings", "Page", "chain_gap", "cyclic_groups", "role_of"]


def role_of(causes: int, effects: int) -> CausalRole:
    """The place of a snapshot in its causal graph.

    Args:
        causes: snapshots it was caused by, directly.
        effects: snapshots it caused, directly.
    """
    if causes == 0:
        return CausalRole.ROOT if effects else CausalRole.ISOLATED
    if effects == 0:
        return CausalRole.LEAF
    return CausalRole.LINK if effects == 1 else CausalRole.BRANCH


def chain_gap(length: int, distances: Sequence[int]) -> ChainGap | None:
    """What is left out between the root and the nearest steps shown.

    Args:
        length: steps of the whole chain.
        distances: those shown, counted from the asked snapshot, ascending; the root's own is `length - 1`.
    """
    if not distances:
        return None
    first = 1 if distances[-1] == length - 1 else 0
    in_a_row = distances[-1] - distances[0] == len(distances) - 1
    last = length - 2 - (distances[-1] if in_a_row else distances[-2])
    return ChainGap(from_depth=first, to_depth=last, count=last - first + 1) if last >= first else None


def cyclic_groups(targets: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups of which each node leads to each other, and nodes that lead to themselves.

    The strongly connected components of Kosaraju and Sharir (Comput. Math. Appl. 7(1), 1981), without recursion: each
    node and link is visited twice.

    Args:
        targets: for each node the nodes its links lead to.

    Returns:
        The groups, each in ascending order, by their first node.
    """
    sources: list[list[int]] = [[] for _ in targets]
    for node, leads_to in enumerate(targets):
        for target in leads_to:
            sources[target].append(node)
    taken = bytearray(len(targets))
    groups = []
    for node in reversed(_finishing_order(targets)):
        group = [] if taken[node] else _flood(node, sources, taken)
        if len(group) > 1 or (group and node in targets[node]):
            groups.append(sorted(group))
    return sorted(groups)


def _finishing_order(targets: Sequence[Sequence[int]]) -> list[int]:
    """All nodes, each after everything that a depth-first search reached from it."""
    order: list[int] = []
    seen = bytearray(len(targets))
    for start in range(len(targets)):
        if seen[start]:
            continue
        seen[start] = True
        trail = [(start, iter(targets[start]))]
        while trail:
            node, links = trail[-1]
            target = next((link for link in links if not seen[link]), None)
            if target is None:
                order.append(node)
                trail.pop()
            else:
                seen[target] = True
                trail.append((target, iter(targets[target])))
    return order


def _flood(start: int, sources: Sequence[Sequence[int]], taken: bytearray) -> list[int]:
    """Everything not yet taken that leads to a node, the node included; it is taken by this."""
    group: list[int] = []
    found = [start]
    while found:
        node = found.pop()
        if not taken[node]:
            taken[node] = True
            group.append(node)
            found.extend(source for source in sources[node] if not taken[source])
    return group


@dataclass(frozen=True, slots=True)
class Page:
    """Columns of some snapshots of a project, position by position.

    Attributes:
        ids: their ids.
        times: created_at in microseconds since 1970.
        causes: ids of their causes in the same project.
        cause_counts: causes in any project.
        primaries: primary causes in any project.
        dependencies: ids of their dependencies in the same project, detected ones left out.
        linked: whether there is any link.
    """

    ids: Sequence[str]
    times: Sequence[int]
    causes: Sequence[Sequence[str]]
    cause_counts: Sequence[int]
    primaries: Sequence[int]
    dependencies: Sequence[Sequence[str]]
    linked: Sequence[bool]


@dataclass(slots=True)
class Findings:
    """What is odd in a project, gathered page by page.

    Attributes:
        ids: all snapshots, in the order of the pages.
        unlinked: those without any link.
        primary_faults: those with causes of which not exactly one is primary: id, causes, primary ones.
    """

    ids: list[str] = field(default_factory=list)
    unlinked: list[str] = field(default_factory=list)
    primary_faults: list[tuple[str, int, int]] = field(default_factory=list)
    _times: list[int] = field(default_factory=list)
    _causes: list[Sequence[str]] = field(default_factory=list)
    _dependencies: list[Sequence[str]] = field(default_factory=list)

    def add(self, page: Page) -> None:
        self.ids.extend(page.ids)
        self._times.extend(page.times)
        self._causes.extend(page.causes)
        self._dependencies.extend(page.dependencies)
        self.unlinked.extend(name for name, linked in zip(page.ids, page.linked, strict=True) if not linked)
        self.primary_faults.extend(
            (name, causes, primaries)
            for name, causes, primaries in zip(page.ids, page.cause_counts, page.primaries, strict=True)
            if causes and primaries != 1
        )

    def time_inversions(self) -> list[tuple[str, str, float]]:
        """Effects with a cause dated later: effect, cause, seconds between."""
        times = dict(zip(self.ids, self._times, strict=True))
        return [
            (effect, cause, (times[cause] - time) / 1e6)
            for effect, time, causes in zip(self.ids, self._times, self._causes, strict=True)
            for cause in sorted(causes)
            if cause in times and times[cause] > time
        ]

    def causal_cycles(self, detours: Iterable[tuple[Sequence[str], Sequence[str]]] = ()) -> list[list[str]]:
        """Groups that cause each other.

        Args:
            detours: effects and causes of this project that are joined by ways through other projects.
        """
        targets = self._numbered(self._causes)
        numbers = {name: number for number, name in enumerate(self.ids)}
        for effects, causes in detours:
            back = [numbers[cause] for cause in causes if cause in numbers]
            for effect in effects:
                if effect in numbers:
                    targets[numbers[effect]] = [*targets[numbers[effect]], *back]
        return self._named(cyclic_groups(targets))

    def dependency_groups(self) -> list[list[str]]:
        """Groups that depend on each other."""
        return self._named(cyclic_groups(self._numbered(self._dependencies)))

    def _numbered(self, links: Sequence[Sequence[str]]) -> list[list[int]]:
        numbers = {name: number for number, name in enumerate(self.ids)}
        # A snapshot written while the pages were read may be missing among them.
        return [[numbers[target] for target in targets if target in numbers] for targets in links]

    def _named(self, groups: list[list[int]]) -> list[list[str]]:
        return [[self.ids[number] for number in group] for group in groups]
