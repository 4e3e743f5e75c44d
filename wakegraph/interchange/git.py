r"""Reading the history of a git repository.

Every commit that HEAD leads to becomes a snapshot: id is the full hash, `created_at` the commit time, `summary` the
subject, `content` the whole message, `rationale` its body without trailers, `author` the author, `action_type`
`file_edit`, `about` the paths it touched (of a merge: those it changed against all of its parents).

Causes. For each path that a commit touched, the latest of its ancestors that touched the path is a candidate. The
candidate that touched most of the commit's paths is the cause, the latest of them when several did; when there is no
candidate, the first parent is. This is a guess and says so (`inferred`). Only ancestors count, so what a commit is
caused by does not depend on what is fetched or merged later. Later of two is the one with the later commit time, which
counts as no earlier than that of any ancestor, then the one further from the root. A trailer `Caused-By: ID` (a commit,
also abbreviated, or a stored snapshot) is a `stated` cause and comes before the guess. The parents are `imported`
dependencies.

Bytes that are not UTF-8 appear as `\xNN`. A commit time in the future (a wrong clock) is replaced by that of the newest
parent, or by the time of the import; `committed_at` in the metadata keeps it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from wakegraph.errors import InvalidInputError
from wakegraph.interchange.models import Problem
from wakegraph.interchange.records import Link, Record, node_properties
from wakegraph.memory.tiers import TierThresholds
from wakegraph.models import ActionType, LinkType, Origin, Source
from wakegraph.snapshots import rules

__all__ = ["Commit", "CommitReader", "History"]

_TRAILERS: Final = "%(trailers:key=Caused-By,valueonly,separator=%x1f)"
_FIELDS: Final = ("%H", "%ct", "%aI", "%an", "%ae", "%cn", _TRAILERS, "%B")
_MARK: Final = b"\x01"
_CHUNK: Final = 1 << 20
_HEX: Final = re.compile(r"[0-9a-f]{4,64}")
_TRAILER_LINE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*\s*:\s|\s|\(cherry picked from commit ")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit as git tells it."""

    hash: str
    committed: int
    authored_at: str
    author: str
    author_email: str
    committer: str
    caused_by: tuple[str, ...]
    message: str
    paths: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The commits that HEAD of a repository led to when it was opened, parents before children.

    Attributes:
        path: the repository, or a folder in it.
        hashes: all commits.
        parents: positions of the parents of each.
    """

    path: Path
    hashes: Sequence[str]
    parents: Sequence[tuple[int, ...]]

    @classmethod
    def open(cls, path: Path) -> History:
        """Look up which commits there are.

        Raises:
            InvalidInputError: it is no git repository, or has no commits, or git is missing.
        """
        if not path.is_dir():
            raise InvalidInputError(f"{str(path)!r} is not a folder: give a git repository")
        inside = _git(path, "rev-parse", "--git-dir")
        if inside.returncode:
            raise InvalidInputError(f"{str(path)!r} is not a git repository: {_complaint(inside.stderr)}")
        head = _git(path, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if head.returncode:
            raise InvalidInputError(f"the git repository {str(path)!r} has no commits yet")
        listed = _git(path, "rev-list", "--reverse", "--date-order", "--parents", head.stdout.decode("ascii").strip())
        if listed.returncode:
            raise InvalidInputError(f"git could not read the history of {str(path)!r}: {_complaint(listed.stderr)}")
        position: dict[str, int] = {}
        parents: list[tuple[int, ...]] = []
        for line in listed.stdout.decode("ascii").splitlines():
            commit, *named = line.split()
            position[commit] = len(parents)
            parents.append(tuple(position[parent] for parent in named if parent in position))
        return cls(path, tuple(position), parents)

    @property
    def head(self) -> str:
        return self.hashes[-1]

    def commits(self) -> Iterator[Commit]:
        """All commits, in order, with what they touched.

        Raises:
            InvalidInputError: git stopped before the end.
        """
        with tempfile.TemporaryFile() as wanted, tempfile.TemporaryFile() as complaints:
            wanted.write("".join(f"{commit}\n" for commit in self.hashes).encode("ascii"))
            wanted.seek(0)
            # The plumbing command: what it prints does not depend on the user's configuration.
            command = ["diff-tree", "--stdin", "-r", "-z", "-c", "--root", "--always", "--name-only"]
            text = ["--encoding=UTF-8", f"--format={_MARK.decode()}" + "%x00".join(_FIELDS) + "%x00"]
            process = subprocess.Popen(
                ["git", "-C", str(self.path), *command, *text], stdin=wanted, stdout=subprocess.PIPE, stderr=complaints
            )
            assert process.stdout is not None  # noqa: S101  it is a pipe
            try:
                yield from self._parsed(_fields(process.stdout))
                if process.wait():
                    complaints.seek(0)
                    raise InvalidInputError(
                        f"git could not read the history of {str(self.path)!r}: {_complaint(complaints.read())}"
                    )
            finally:
                process.stdout.close()
                process.kill()
                process.wait()

    def _parsed(self, fields: Iterator[bytes]) -> Iterator[Commit]:
        marks = [_MARK + commit.encode("ascii") for commit in self.hashes]
        token = next(fields, b"")
        for number, mark in enumerate(marks):
            if token != mark:
                return  # git ended early; its exit code says so
            following = marks[number + 1] if number + 1 < len(marks) else None
            values = [next(fields, b"") for _ in _FIELDS[1:]]
            merge = len(self.parents[number]) > 1
            paths: list[bytes] = []
            # A path cannot be taken for the next commit's mark, whose hash depends on this one.
            while (token := next(fields, None)) is not None and token != following:  # type: ignore[assignment]
                if not paths and not merge:
                    token = token.removeprefix(b"\n")  # git ends the text of a commit so, but not that of a merge
                if token:
                    paths.append(token)
            yield _commit(self.hashes[number], values, paths)

    def foreign_causes(self) -> list[str]:
        """What `Caused-By` trailers name that is no commit of this history."""
        listed = _git(
            self.path, "rev-list", "--regexp-ignore-case", "--grep=^caused-by:", f"--format={_TRAILERS}%x00", self.head
        )
        names: set[str] = set()
        for entry in listed.stdout.split(b"\x00"):
            # Each entry begins with a line "commit HASH".
            names.update(_names(entry.strip(b"\n").partition(b"\n")[2]))
        finder = _Finder(self.hashes)
        return sorted({form for name in names for form in _forms(name) if finder.find(form) is None})


def _git(path: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", "-C", str(path), *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        raise InvalidInputError("the program git was not found: install git to import a repository") from None


def _complaint(stderr: bytes) -> str:
    lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[0].removeprefix("fatal: ")[:300] if lines else "git gave no reason"


def _fields(stream: Any) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\x00")
        yield from whole
    if rest:
        yield rest


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _names(raw: bytes) -> tuple[str, ...]:
    return tuple(name for part in raw.split(b"\x1f") if (name := " ".join(_text(part).split())))


def _commit(commit: str, values: Sequence[bytes], paths: Sequence[bytes]) -> Commit:
    committed, authored_at, author, email, committer, causes, message = values
    return Commit(
        commit,
        int(committed or b"0"),
        _text(authored_at),
        _text(author),
        _text(email),
        _text(committer),
        _names(causes),
        _text(message).strip("\n"),
        tuple(paths),
    )


def _forms(name: str) -> tuple[str, ...]:
    """A trailer's value may be an id, or an id and a remark."""
    first = name.split(maxsplit=1)[0]
    return (name,) if first == name else (name, first)


class _Finder:
    """Finds commits by the beginning of their hash."""

    def __init__(self, hashes: Sequence[str]) -> None:
        self._sorted = sorted(hashes)

    def find(self, name: str) -> str | None:
        """The only commit whose hash begins so, or None."""
        wanted = name.lower()
        if not _HEX.fullmatch(wanted):
            return None
        at = bisect_left(self._sorted, wanted)
        found = self._sorted[at : at + 2]
        matches = [commit for commit in found if commit.startswith(wanted)]
        return matches[0] if len(matches) == 1 else None


@dataclass(slots=True)
class _Causes:
    """Guesses the cause of each commit, given in order, from the paths it touched.

    For every commit whose children are still to come, the latest toucher of each path is known: `_latest`. A line of
    history hands its table on; only where it forks is one copied, only where it joins are two compared.
    """

    parents: Sequence[tuple[int, ...]]
    _children: Counter[int] = field(init=False)
    _latest: dict[int, dict[int, int]] = field(default_factory=dict, init=False)
    _touched: list[frozenset[int]] = field(default_factory=list, init=False)
    _rank: list[tuple[int, int, str]] = field(default_factory=list, init=False)
    _paths: dict[bytes, int] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._children = Counter(parent for parents in self.parents for parent in set(parents))

    def cause(self, commit: Commit) -> int | None:
        """The position of the guessed cause of the next commit, or None for a root."""
        number = len(self._touched)
        parents = tuple(dict.fromkeys(self.parents[number]))
        self._rank.append(self._ranked(commit, parents))
        latest = self._joined(parents)
        touched = frozenset(self._paths.setdefault(path, len(self._paths)) for path in commit.paths)
        candidates = {latest[path] for path in touched if path in latest}
        self._touched.append(touched)
        latest.update(dict.fromkeys(touched, number))
        if self._children[number]:
            self._latest[number] = latest
        if not candidates:
            return parents[0] if parents else None
        return max(candidates, key=lambda other: (len(touched & self._touched[other]), self._rank[other]))

    def _ranked(self, commit: Commit, parents: Sequence[int]) -> tuple[int, int, str]:
        """What makes a commit later than another: time, then distance from the root, both beyond all its ancestors."""
        time = max([commit.committed, *(self._rank[parent][0] for parent in parents)])
        return time, 1 + max((self._rank[parent][1] for parent in parents), default=0), commit.hash

    def _joined(self, parents: Sequence[int]) -> dict[int, int]:
        tables = [self._taken(parent) for parent in parents]
        if not tables:
            return {}
        tables.sort(key=len)
        latest = tables.pop()
        for other in tables:
            for path, number in other.items() - latest.items():
                known = latest.get(path)
                if known is None or self._rank[number] > self._rank[known]:
                    latest[path] = number
        return latest

    def _taken(self, parent: int) -> dict[int, int]:
        self._children[parent] -= 1
        return self._latest[parent].copy() if self._children[parent] else self._latest.pop(parent)


class CommitReader:
    """Makes records of the commits of a history.

    Args:
        history: the commits.
        project: the project they become snapshots of.
        now: the time of the import.
        tolerance: seconds that a commit time may be ahead of `now`.
        thresholds: of the memory tiers.
        stored: project and id of the stored snapshots that trailers name.
    """

    def __init__(
        self,
        history: History,
        project: str,
        now: datetime,
        tolerance: float,
        thresholds: TierThresholds,
        stored: Mapping[str, tuple[str, str]],
    ) -> None:
        self._history = history
        self._project = project
        self._now = now
        self._newest = now + timedelta(seconds=tolerance)
        self._thresholds = thresholds
        self._stored = stored
        self._finder = _Finder(history.hashes)
        self.notes: list[str] = []

    def records(self) -> Iterator[Record | Problem]:
        """All commits, parents before children. `notes` then says what could not be taken over as it is."""
        self.notes = []
        causes = _Causes(self._history.parents)
        times: list[datetime] = []
        for number, commit in enumerate(self._history.commits()):
            parents = self._history.parents[number]
            created = self._created(commit, [times[parent] for parent in parents])
            times.append(created)
            yield Record(
                number + 1,
                self._project,
                commit.hash,
                created,
                node_properties(
                    self._project,
                    commit.hash,
                    self._properties(commit, created),
                    created=created,
                    now=self._now,
                    thresholds=self._thresholds,
                ),
                self._links(commit, parents, causes.cause(commit)),
                self._about(commit),
            )

    def _note(self, commit: Commit, text: str) -> None:
        self.notes.append(f"commit {commit.hash[:10]}: {text}")

    def _created(self, commit: Commit, parents: Sequence[datetime]) -> datetime:
        try:
            moment = datetime.fromtimestamp(commit.committed, UTC)
        except (OverflowError, ValueError, OSError):
            moment = None
        if moment is not None and moment <= self._newest:
            return moment
        instead = max(parents, default=self._now)
        shown = "out of range" if moment is None else f"{moment.isoformat()}, in the future"
        self._note(commit, f"its time is {shown}; {instead.isoformat()} was taken instead")
        return instead

    def _properties(self, commit: Commit, created: datetime) -> dict[str, Any]:
        content, summary, rationale = self._texts(commit)
        metadata = {"author_email": commit.author_email, "authored_at": commit.authored_at}
        if commit.committer != commit.author:
            metadata["committer"] = commit.committer
        if int(created.timestamp()) != commit.committed:
            metadata["committed_at"] = f"@{commit.committed}"
        properties: dict[str, Any] = {
            "content": content,
            "summary": summary,
            "tags": [],
            "action_type": ActionType.FILE_EDIT.value,
            "source": Source.IMPORT.value,
            "metadata_json": rules.check_metadata(metadata),
            "access_count": 0,
            "recent_accesses": [],
            "recent_accessors": [],
        }
        author = _CONTROL.sub(" ", commit.author).strip()[: rules.NAME_LIMIT]
        if author:
            properties["author"] = author
        if rationale:
            properties["rationale"] = rationale
        return properties

    def _texts(self, commit: Commit) -> tuple[str, str, str]:
        """Content, summary and rationale."""
        message = commit.message
        if not message.strip():
            message = f"(commit {commit.hash[:10]} without a message)"
        if len(message) > rules.CONTENT_LIMIT:
            self._note(commit, f"its message of {len(message):,} characters was cut to {rules.CONTENT_LIMIT:,}")
            message = message[: rules.CONTENT_LIMIT]
        paragraphs = re.split(r"\n[ \t\r]*\n", message.strip())
        subject = " ".join(paragraphs[0].split())
        if len(subject) > rules.SUMMARY_LIMIT:
            subject = rules.summarise(subject)
        body = paragraphs[1:]
        if body and all(_TRAILER_LINE.match(line) for line in body[-1].splitlines()):
            body.pop()
        rationale = "\n\n".join(body).strip()
        return message, subject, rationale if len(rationale) <= rules.RATIONALE_LIMIT else ""

    def _links(self, commit: Commit, parents: Sequence[int], guess: int | None) -> list[Link]:
        causes: dict[tuple[str, str], Link] = {}
        for name in commit.caused_by:
            end = self._end(commit, name)
            if end is not None:
                causes.setdefault(end, Link(LinkType.CAUSED_BY, *end, Origin.STATED))
        if guess is not None:
            end = (self._project, self._history.hashes[guess])
            causes.setdefault(end, Link(LinkType.CAUSED_BY, *end, Origin.INFERRED))
        dependencies = [
            Link(LinkType.DEPENDS_ON, self._project, self._history.hashes[parent], Origin.IMPORTED)
            for parent in dict.fromkeys(parents)
        ]
        return [*causes.values(), *dependencies]

    def _end(self, commit: Commit, name: str) -> tuple[str, str] | None:
        for form in _forms(name):
            found = self._finder.find(form)
            end = (self._project, found) if found is not None else self._stored.get(form)
            if end is not None and end != (self._project, commit.hash):
                return end
        self._note(commit, f"Caused-By {name[:80]!r} is no commit of this history and no stored snapshot")
        return None

    def _about(self, commit: Commit) -> list[str]:
        paths = []
        for raw in commit.paths:
            path = _text(raw)
            if len(path) > rules.REF_LIMIT or len(path.encode()) > rules.REF_BYTES or not path.strip():
                self._note(commit, f"the path {path[:40]!r} of {len(path):,} characters cannot be kept as a reference")
            else:
                paths.append(path)
        return rules.unique(paths)
