"""By which formula the scores of a project are made: the installation's settings, and the project's own over them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from wakegraph.errors import ConfigurationError
from wakegraph.memory.tiers import TierThresholds
from wakegraph.models import Profile
from wakegraph.propagation.models import FormulaInfo, TierHours, WeightValues
from wakegraph.propagation.scoring import Constants, Weights
from wakegraph.settings import Settings

__all__ = ["PROJECT_KEYS", "Formula", "Scoring", "changed_constants", "with_constants"]

PROJECT_KEYS: Final = (
    "prediction_profile",
    "weight_temporal",
    "weight_causal",
    "weight_frequency",
    "steps_boosts",
    "stale_threshold_hours",
    "prediction_constants",
)
"""Settings that a project may have of its own: properties of its `WakegraphProject` node, named as in `Settings`."""

_CONSTANTS: Final = "prediction_constants"
_VERSION: Final = 1  # of the formulas themselves: a change of their code makes all scores stale
_RELEVANT: Final = {
    Profile.WAKE: ("wake.", "reasons."),
    Profile.STEPS: ("steps.", "reasons."),
    Profile.ACTIVATION: ("activation.", "wake.", "reasons."),
}


@dataclass(frozen=True, slots=True)
class Formula:
    """Everything that scores depend on besides the facts and the moment."""

    profile: Profile = Profile.WAKE
    weights: Weights = field(default_factory=Weights)
    thresholds: TierThresholds = field(default_factory=TierThresholds)
    constants: Constants = field(default_factory=Constants)

    def text(self) -> str:
        """The formula in one canonical line: two formulas that give other scores have other lines.

        Weights and constants that the profile does not use are left out, so that changing them makes nothing stale.
        """
        relevant = _RELEVANT[self.profile]
        parts: dict[str, Any] = {
            "version": _VERSION,
            "profile": self.profile.value,
            "tiers": [
                self.thresholds.active_hours,
                self.thresholds.recent_hours,
                self.thresholds.archived_hours,
            ],
            "constants": {
                name: value for name, value in changed_constants(self.constants) if name.startswith(relevant)
            },
        }
        if self.profile is not Profile.ACTIVATION:
            parts["weights"] = [self.weights.temporal, self.weights.causal, self.weights.frequency]
        return json.dumps(parts, sort_keys=True, separators=(",", ":"))

    def info(self) -> FormulaInfo:
        """The formula as answers show it."""
        weights, tiers = self.weights, self.thresholds
        return FormulaInfo(
            profile=self.profile,
            weights=None
            if self.profile is Profile.ACTIVATION
            else WeightValues(temporal=weights.temporal, causal=weights.causal, frequency=weights.frequency),
            tier_hours=TierHours(active=tiers.active_hours, recent=tiers.recent_hours, archived=tiers.archived_hours),
            boosts=self.profile is Profile.STEPS and self.constants.steps.boosts.enabled,
            changed_constants=[f"{name}={json.dumps(value)}" for name, value in changed_constants(self.constants)],
        )


@dataclass(frozen=True, slots=True)
class Scoring:
    """The settings of layer 3 in force for a project."""

    formula: Formula
    stale_threshold_hours: float
    own: tuple[str, ...] = ()

    @classmethod
    def of(cls, settings: Settings, stored: Mapping[str, Any], where: str) -> Scoring:
        """From the installation's settings and the properties of a project's node.

        Args:
            settings: of the installation.
            stored: properties by name; those of `PROJECT_KEYS` count.
            where: whose settings these are, for messages.

        Raises:
            ConfigurationError: a value cannot be used; the line says whose, which and why.
        """
        own = tuple(name for name in PROJECT_KEYS if stored.get(name) is not None)
        values = {name: getattr(settings, name) for name in PROJECT_KEYS} | {name: stored[name] for name in own}
        try:
            constants = with_constants(Constants(), settings.prediction_constants)
            if _CONSTANTS in own:
                constants = with_constants(constants, _parsed(stored[_CONSTANTS]))
            boosts = replace(constants.steps.boosts, enabled=_flag("steps_boosts", values["steps_boosts"]))
            constants = replace(constants, steps=replace(constants.steps, boosts=boosts))
            weights = [_number(name, values[name]) for name in PROJECT_KEYS[1:4]]
            hours = (settings.tier_active_hours, settings.tier_recent_hours, settings.tier_archived_hours)
            formula = Formula(
                _profile(values["prediction_profile"]), Weights(*weights), TierThresholds(*hours), constants
            )
            threshold = _threshold(values["stale_threshold_hours"])
        except ValueError as error:
            raise ConfigurationError(f"settings of {where} cannot be used: {error}") from None
        return cls(formula, threshold, own)

    def with_profile(self, profile: Profile | None) -> Scoring:
        """The same with another profile."""
        return self if profile is None else replace(self, formula=replace(self.formula, profile=profile))


def with_constants(constants: Constants, changes: Mapping[str, Any]) -> Constants:
    """Constants with some of them changed.

    Args:
        constants: all constants.
        changes: by dotted name, such as `wake.time_constant_hours` or `steps.boosts.root`; lists stand for tuples.

    Raises:
        ValueError: there is no such constant, or the value cannot be one; the line says which.
    """
    known = dict(_leaves(constants))
    for name, value in changes.items():
        if name not in known or name == "steps.boosts.enabled":
            near = get_close_matches(name, known, 3)
            hint = f", did you mean {', '.join(near)}?" if near else f": use one of {', '.join(known)}"
            raise ValueError(f"there is no constant {name!r}{hint}")
        known[name] = _like(name, known[name], value)
    return _rebuilt(constants, known, "")  # type: ignore[no-any-return]


def changed_constants(constants: Constants) -> list[tuple[str, Any]]:
    """Dotted names and values of the constants that are not the published ones, sorted."""
    published = dict(_leaves(Constants()))
    return sorted((name, value) for name, value in _leaves(constants) if value != published[name])


def _leaves(owner: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for part in fields(owner):
        value = getattr(owner, part.name)
        if is_dataclass(value):
            yield from _leaves(value, f"{prefix}{part.name}.")
        else:
            yield f"{prefix}{part.name}", value


def _rebuilt(owner: Any, leaves: Mapping[str, Any], prefix: str) -> Any:
    values = {}
    for part in fields(owner):
        value, name = getattr(owner, part.name), f"{prefix}{part.name}"
        values[part.name] = _rebuilt(value, leaves, f"{name}.") if is_dataclass(value) else leaves[name]
    return replace(owner, **values)


def _like(name: str, model: Any, value: Any) -> Any:
    """A value of the same type as the one it replaces."""
    if isinstance(model, tuple):
        if not isinstance(value, (list, tuple)):
            raise _wrong(name, "a list of numbers", value)
        kind = int if all(isinstance(item, int) for item in model) and name.endswith("counts") else float
        return tuple(_whole(name, item) if kind is int else _number(name, item) for item in value)
    return _whole(name, value) if isinstance(model, int) and not name.endswith("hours") else _number(name, value)


def _threshold(value: Any) -> float:
    hours = _number("stale_threshold_hours", value)
    if not 0 <= hours < math.inf:
        raise _wrong("stale_threshold_hours", "a number of hours of at least 0", value)
    return hours


def _wrong(name: str, wanted: str, value: Any) -> ValueError:
    return ValueError(f"{name} must be {wanted}, not {value!r}")


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _wrong(name, "a number", value)
    return float(value)


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(name, "a whole number", value)
    return value


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false", value)
    return value


def _profile(value: Any) -> Profile:
    try:
        return Profile(value)
    except ValueError:
        accepted = ", ".join(profile.value for profile in Profile)
        raise ValueError(f"prediction_profile {value!r} is not known: use one of {accepted}") from None


def _parsed(text: Any) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (TypeError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise _wrong(_CONSTANTS, "a JSON object of names and numbers", text)
    return found
