# Needs Python 3.11 or newer, make, and the package registries. `make` alone lists the targets.

SHELL := /bin/sh
.SHELLFLAGS := -eu -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# Relative on purpose: the path of the checkout may hold spaces.
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := $(VENV)/.packages
STAMP := $(VENV)/.ready
LOCK_VENV := .venv-lock
UV_VERSION := 0.13.9
TESTS ?= tests
SIZES ?= 10000,100000

# The first Python on the path that is new enough; PYTHON=... names another.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done; :)

.PHONY: help setup demo test lint format bench conformance lock build clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 12

setup: $(STAMP)  ## make the virtual environment

$(STAMP): $(PACKAGES) pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(PACKAGES): requirements/dev.txt
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer found on the path; install one, or say make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) must be Python 3.11 or newer with venv and ensurepip (on Debian: the package python3-venv)" >&2; exit 1; }
	@echo "setting up $(VENV) with $(PYTHON): a minute or two, 500 MB on disk ..."
	@rm -rf $(VENV)
	@"$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

demo: $(STAMP)  ## a real Neo4j with a real decision graph in it, and the first answers
	@$(BIN)/python -m wakegraph demo

test: $(STAMP)  ## all tests, with coverage
	@$(BIN)/python -m pytest --cov --cov-report=term $(TESTS)

lint: $(STAMP)  ## ruff and mypy --strict
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy

format: $(STAMP)  ## mend what ruff can mend
	@$(BIN)/python -m ruff check --fix .
	@$(BIN)/python -m ruff format .

bench: $(STAMP)  ## all benchmarks; SIZES=10000,100000,1000000 wants a Neo4j with 3 GB of heap
	@$(BIN)/python -m benchmarks --sizes $(SIZES)

conformance: $(STAMP)  ## the public MCP judges against the server (needs npm)
	@$(BIN)/python -m tools.conformance

build: $(STAMP)  ## the wheel, in dist/
	@rm -rf dist
	@$(BIN)/python -m hatchling build --target wheel

lock: $(LOCK_VENV)/.ready  ## pin the requirements anew
	@$(LOCK_VENV)/bin/python tools/lock.py

$(LOCK_VENV)/.ready: Makefile
	@"$(PYTHON)" -m venv $(LOCK_VENV)
	@$(LOCK_VENV)/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

clean:  ## remove what the other targets made, the data of test runs included
	@if test -x $(BIN)/wakegraph && test -d .test-home; then WAKEGRAPH_HOME=.test-home $(BIN)/wakegraph engine stop >/dev/null 2>&1 || :; fi
	rm -rf $(VENV) $(LOCK_VENV) .test-home dist build .coverage .coverage.* .hypothesis .mypy_cache .pytest_cache .ruff_cache bench-out test-artifacts
	find wakegraph tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
