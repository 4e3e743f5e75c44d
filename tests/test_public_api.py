"""The public API is what `__all__` says: complete, sorted and importable."""

import subprocess
import sys

import pytest

import wakegraph


def test_every_public_name_can_be_imported_and_is_documented() -> None:
    for name in wakegraph.__all__:
        assert getattr(wakegraph, name).__doc__, f"{name} has no docstring"


def test_public_names_are_sorted() -> None:
    assert wakegraph.__all__ == sorted(wakegraph.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wakegraph.nothing


def test_importing_the_package_imports_neither_numpy_nor_the_driver() -> None:
    code = "import sys, wakegraph; print([m for m in ('numpy', 'neo4j', 'fastmcp') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
