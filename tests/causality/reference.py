"""The rules of layer 1 once more, in the plainest Python there is, to compare with."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping


def distances(start: str, links: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Fewest links from a node to each node it leads to, itself included."""
    leads: dict[str, set[str]] = {}
    for source, target in links:
        leads.setdefault(source, set()).add(target)
    found = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for target in leads.get(node, ()):
            if target not in found:
                found[target] = found[node] + 1
                queue.append(target)
    return found


def turned(links: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(target, source) for source, target in links]


def primary_chain(node: str, primary: Mapping[str, str]) -> list[str]:
    """From a node along its primary causes."""
    steps = [node]
    while steps[-1] in primary:
        steps.append(primary[steps[-1]])
    return steps


def roles(nodes: Iterable[str], causes: Iterable[tuple[str, str]]) -> dict[str, str]:
    pairs = set(causes)
    result = {}
    for node in nodes:
        up = sum(1 for effect, _ in pairs if effect == node)
        down = sum(1 for _, cause in pairs if cause == node)
        if up and down:
            result[node] = "branch" if down > 1 else "link"
        else:
            result[node] = "leaf" if up else "root" if down else "isolated"
    return result


def mutual_groups(nodes: Iterable[str], links: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of which each leads to each other, by comparing what every two nodes reach."""
    pairs = list(links)
    reach = {node: set(distances(node, pairs)) for node in nodes}
    groups = {tuple(sorted(other for other in reach[node] if node in reach[other])) for node in reach}
    return sorted([list(group) for group in groups if len(group) > 1 or (group[0], group[0]) in pairs])
