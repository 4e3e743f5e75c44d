"""chain, ancestry, impact, why, stats, validate on the command line."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from tests.cli.conftest import Run
from wakegraph.app import Wakegraph
from wakegraph.cli.causality import show_chain, show_tree
from wakegraph.cli.options import Options
from wakegraph.cli.output import Output


@pytest.fixture
def ladder(run: Run, project: str) -> str:
    """a <- b <- c <- d, with e caused by b too and f depending on d."""
    plan = {"a": (), "b": ("--caused-by", "a"), "c": ("--caused-by", "b"), "d": ("--caused-by", "c")}
    plan |= {"e": ("--caused-by", "b", "--caused-by", "a"), "f": ("--depends-on", "d")}
    for day, (name, links) in enumerate(plan.items(), start=1):
        words = ("--id", name, "--about", f"src/{name}.py", "--created-at", f"2026-01-{day:02}T00:00:00Z")
        assert run("save", f"what {name} says", *words, *links, "--project", project).code == 0
    return project


def test_chain_lists_all_steps_root_first(run: Run, ladder: str) -> None:
    answer = run("chain", "d", "--project", ladder, "--json").json()
    assert [(step["id"], step["depth"], step["project"]) for step in answer["steps"]] == [
        (name, depth, ladder) for depth, name in enumerate("abcd")
    ]
    lines = run("chain", "d", "--project", ladder).out.splitlines()
    assert [line.split("  ")[-3].lstrip(" └") for line in lines] == ["a", "b", "c", "d"]


def test_chain_shows_a_gap_when_limited(run: Run, ladder: str) -> None:
    assert "... 1 steps between ..." in run("chain", "d", "--limit", "3", "--project", ladder).out
    assert "limit" in run("chain", "d", "--limit", "0", "--project", ladder).error()


def test_impact_and_ancestry_list_each_snapshot_once_with_its_distance(run: Run, ladder: str) -> None:
    impact = run("impact", "a", "--project", ladder, "--json").json()
    assert {node["id"]: node["distance"] for node in impact["nodes"]} == {
        "a": 0, "b": 1, "e": 1, "c": 2, "d": 3, "f": 4
    }  # fmt: skip
    assert {(edge["type"], edge["source"], edge["target"]) for edge in impact["edges"]} >= {
        ("CAUSED_BY", "e", "a"),
        ("DEPENDS_ON", "f", "d"),
    }
    assert impact["truncated"] is False
    near = run("impact", "a", "--depth", "1", "--project", ladder, "--json").json()
    assert near["nodes"][0]["id"] == "a"
    assert len(near["nodes"]) == 3
    assert near["truncated"] is True
    ancestry = run("ancestry", "f", "--limit", "2", "--project", ladder, "--json").json()
    assert [node["id"] for node in ancestry["nodes"]] == ["f", "d"]
    assert ancestry["truncated"] is True


def test_impact_is_a_tree_for_people(run: Run, ladder: str) -> None:
    assert run("impact", "a", "--project", ladder).out.splitlines() == [
        "a  root  what a says",
        "├── b  branch  what b says",
        "│   └── c  link  what c says",
        "│       └── d  leaf  what d says",
        "│           └── f  isolated  what f says",
        "└── e  leaf  what e says",
    ]
    assert "2 of 6 snapshots shown" in run("impact", "a", "--limit", "2", "--project", ladder).out


def test_what_was_superseded_and_guesses_are_said_in_plain_text(run: Run, ladder: str) -> None:
    run("save", "instead of b", "--id", "b2", "--supersedes", "b", "--project", ladder)
    line = b'{"id": "x", "content": "guessed", "caused_by": [{"id": "b", "origin": "inferred"}]}'
    assert run("import", "jsonl", "-", "--project", ladder, stdin=line).code == 0
    tree = run("impact", "b", "--project", ladder).out
    assert tree.startswith("b  branch  (superseded by b2)  what b says\n")
    assert "x  leaf  (inferred link)  guessed" in tree
    for words in (("load", "--limit", "9"), ("search", "says"), ("get", "b")):
        lines = run(*words, "--project", ladder).out.splitlines()
        facts = [line.split("\t") for line in lines if line.startswith(("b\t", "c\t"))]
        assert {(fact[0], fact[6]) for fact in facts} >= {("b", "b2")}
        assert ("c", "b2") not in {(fact[0], fact[6]) for fact in facts}
    assert "caused by b (stated, primary, superseded by b2) what b says" in run("get", "c", "--project", ladder).out
    assert "supersedes b (superseded by b2)" in run("get", "b2", "--project", ladder).out


async def test_tree_fits_the_terminal_and_keeps_ids_whole(ladder: str, wake: Wakegraph) -> None:
    answer = await wake.causality.impact("a", project=ladder)
    output = Output(Options())
    output.console = Console(width=30, record=True, file=io.StringIO())
    show_tree(answer, output)
    lines = output.console.export_text().splitlines()
    assert len(lines) == 6
    assert all(len(line) <= 30 for line in lines)


@pytest.fixture
async def history(wake: Wakegraph, project: str) -> list[str]:
    """A line of 40 snapshots with ids as long as those of commits; the last two are about one file."""
    names = [f"{number:040x}" for number in range(40)]
    for number, name in enumerate(names):
        await wake.snapshots.save(
            f"the title of step {number}",
            project=project,
            id=name,
            caused_by=names[number - 1 : number],
            about=["deep.py"] if number > 37 else [],
            detect_dependencies=False,
        )
    return names


def terminal(width: int) -> Output:
    output = Output(Options())
    output.rich = True
    output.console = Console(width=width, record=True, file=io.StringIO(), highlight=False, emoji=False)
    return output


async def test_deep_chain_and_tree_keep_ids_whole_and_titles_readable(
    history: list[str], wake: Wakegraph, project: str
) -> None:
    tree, chain = terminal(80), terminal(80)
    show_tree(await wake.causality.impact(history[0], project=project), tree)
    show_chain(await wake.causality.chain(history[-1], project=project), chain)
    lines = tree.console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == f"{history[0]}  root  the title of step 0"
    assert lines[-2:] == [f"39         └── {history[39]}  leaf", "                   the title of step 39"]
    assert [line for line in lines if "title" not in line and "step" not in line] == [
        f"{number}         └── {name}  {'leaf' if number == 39 else 'link'}"
        for number, name in enumerate(history)
        if number > 3
    ]
    steps = chain.console.export_text().splitlines()[::2]
    for number, line in enumerate(steps):
        assert f"{history[number]}  the title of step" in line
        assert len(line) <= 80


def test_why_of_a_path_shows_common_steps_once(run: Run, history: list[str], project: str) -> None:
    lines = run("why", "deep.py", "--project", project).out.splitlines()
    first, _, second = "\n".join(lines).partition("\n\n")
    assert len(first.splitlines()) == 40
    assert second.splitlines()[0] == "... 38 steps as above ..."
    assert len(second.splitlines()) == 2


def test_why_explains_an_id_and_a_path(run: Run, ladder: str) -> None:
    assert "Caused by c" in run("why", "d", "--project", ladder).out
    assert run("why", "d", "--project", ladder, "--json").json()["chain_length"] == 4
    about = run("why", "src/d.py", "--project", ladder, "--json").json()
    assert [step["id"] for step in about["chains"][0]["steps"]] == ["a", "b", "c", "d"]
    assert run("why", "src/d.py", "--project", ladder).out.count("\n") == 4


def test_why_says_that_it_knows_neither_an_id_nor_a_path(run: Run, ladder: str) -> None:
    done = run("why", "src/nothing.py", "--project", ladder)
    assert "'src/nothing.py'" in done.error()
    assert done.code == 3


def test_stats_and_validate(run: Run, ladder: str) -> None:
    stats = run("stats", "--project", ladder, "--json").json()
    assert (stats["snapshots"], stats["max_chain_length"], stats["roots"]) == (6, 4, 1)
    assert "role leaf\t2" in run("stats", "--project", ladder).out
    run("save", "earlier effect", "--id", "g", "--created-at", "2025-01-01", "--caused-by", "f", "--project", ladder)
    report = run("validate", "--project", ladder, "--json").json()
    assert [found["effect"] for found in report["time_inversions"]] == ["g"]
    assert "f after g" in run("validate", "--project", ladder).out
