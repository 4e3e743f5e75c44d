"""Candidates for what will be needed next, ranked by their activation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from wakegraph.graph.driver import Row
from wakegraph.memory.tiers import TierThresholds, epoch_ms
from wakegraph.models import SnapshotRef
from wakegraph.propagation.activation import (
    ActivationConstants,
    BaseLevel,
    Floats,
    Ragged,
    Spreading,
    base_level,
    spread,
    squash,
)
from wakegraph.propagation.models import ActivationPart, Prediction
from wakegraph.snapshots.records import snapshot_from_row

__all__ = ["Candidates", "Ranking"]


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is ranked.

    Attributes:
        ids: ids of N snapshots of one project.
        facts: their row of `propagation/columns`, in the order of `ids`.
        neighbours: for each snapshot in hand, the ids of its neighbours, those in hand too.
        superseded: ids of those that were superseded.
    """

    ids: Sequence[str]
    facts: Row
    neighbours: Sequence[Sequence[str]]
    superseded: Iterable[str]


class Ranking:
    """Candidates with their activation, A = B + spreading.

    Args:
        candidates: what is ranked.
        constants: of activation.
        now: the moment.
    """

    def __init__(self, candidates: Candidates, constants: ActivationConstants, now: datetime) -> None:
        self.ids = list(candidates.ids)
        self._superseded = set(candidates.superseded)
        self._constants = constants
        facts = candidates.facts
        created, accessed, counts = (np.array(facts[name], np.int64) for name in ("created", "accessed", "counts"))
        recent = Ragged.of(facts["recent"])
        self._base: BaseLevel = base_level(created, accessed, counts, recent, epoch_ms(now), constants)
        self._first_source, self._spreading = _spread(self.ids, candidates.neighbours, constants)

    @cached_property
    def activation(self) -> Floats:
        """A of each candidate."""
        return self._base.level + self._spreading.total[: len(self.ids)]

    def best(self, limit: int) -> list[int]:
        """Positions of the highest activations, the superseded ones after all others."""
        order = sorted(
            range(len(self.ids)),
            key=lambda k: (self.ids[k] in self._superseded, -self.activation[k], self.ids[k]),
        )
        return order[:limit]

    def prediction(
        self, position: int, row: Row, given: Sequence[SnapshotRef], now: datetime, thresholds: TierThresholds
    ) -> Prediction:
        """One candidate as answers show it, from its row of `propagation/nodes`."""
        spreading = float(self._spreading.total[position])
        strength = self._base.strength[position : position + 1] * np.exp(spreading)
        mine = np.flatnonzero(self._spreading.target == position)
        return Prediction(
            snapshot=snapshot_from_row(row["node"], now, thresholds, row["superseded_by"]),
            score=float(squash(strength, self._constants)[0]),
            activation=float(self.activation[position]),
            base_level=float(self._base.level[position]),
            creation=float(self._base.created[position]),
            kept_accesses=float(self._base.kept[position]),
            older_accesses=float(self._base.older[position]),
            spreading=spreading,
            spreading_from=[
                ActivationPart(
                    source=given[int(self._spreading.source[k]) - self._first_source],
                    amount=float(self._spreading.amount[k]),
                )
                for k in mine
            ],
        )


def _spread(
    ids: Sequence[str], neighbours: Sequence[Sequence[str]], constants: ActivationConstants
) -> tuple[int, Spreading]:
    """Number of the first source, and the spreading. Neighbours that are no candidates count for the fan only."""
    place: dict[Any, int] = {id_: position for position, id_ in enumerate(ids)}
    for others in neighbours:
        for other in others:
            place.setdefault(other, len(place))
    first = len(place)
    source = [first + number for number, others in enumerate(neighbours) for _ in others]
    target = [place[other] for others in neighbours for other in others]
    found = spread(
        first + len(neighbours),
        np.array(source, np.int64),
        np.array(target, np.int64),
        np.ones(len(target)),
        np.arange(first, first + len(neighbours)),
        constants,
    )
    return first, found
