"""Public names: listed in __all__, there, and documented."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import wakegraph

MODULES = sorted(module.name for module in pkgutil.walk_packages(wakegraph.__path__, "wakegraph."))


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_everything_in_all_is_there_and_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} has no docstring"
    for public in getattr(module, "__all__", []):
        value = getattr(module, public)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), f"{name}.{public} has no docstring"


def test_the_public_api_is_sorted_and_there() -> None:
    assert wakegraph.__all__ == sorted(wakegraph.__all__)
    for name in wakegraph.__all__:
        assert getattr(wakegraph, name).__name__ == name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        wakegraph.nothing  # noqa: B018
