"""Write the lock of a Neo4j version: `python -m wakegraph.engine.lock 2026.08.1`.

A tool of the maintainers: it resolves the artifacts with jgo, leaves out what the engine has no use for, downloads the
rest and writes `locks/VERSION.lock` with their sizes and SHA-256 sums, one a line, sorted.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_BROWSER = "org.neo4j.client:neo4j-browser:5.24.0"
_MAINS = ("org.neo4j.server.Neo4jCommunity", "org.neo4j.server.CommunityEntryPoint")

# What can go: nothing that is loaded while a server runs refers to it (constant pools searched, classes loaded by a run
# of all kinds of statements logged, both versions started and tested without it).
_UNUSED = {
    "Parquet files of the import tool": ("hadoop-", "parquet-", "snappy-java", "neo4j-import-tool"),
    "archives of dump and load, which the engine does not offer": ("zstd-jni", "zstd-proxy", "commons-compress"),
    "encrypted PEM keys: there is no TLS on loopback": ("bcprov-", "bcpkix-", "bcutil-"),
    "test libraries that leak into the dependencies": ("junit", "hamcrest", "mockito-", "objenesis", "byte-buddy"),
    "compile-time macros of Scala": ("scala-reflect", "neo4j-cypher-macros"),
    "XML data binding, of which only the interfaces are referred to": (
        "jaxb-runtime", "txw2", "stax-ex", "istack-", "FastInfoset",
    ),
    "referred to by nothing": ("jts-core", "gson"),
}  # fmt: skip


def main(versions: list[str]) -> None:
    for version in versions:
        with tempfile.TemporaryDirectory() as folder:
            text = _lock(version, Path(folder))
        target = Path(__file__).parent / "locks" / f"{version}.lock"
        target.write_text(text, encoding="utf-8")
        sys.stderr.write(f"{target}: {len(text.splitlines()) - 1} artifacts\n")


def _lock(version: str, cache: Path) -> str:
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=cache, timeout=60)
    roots = [f"org.neo4j.app:neo4j-server:{version}", f"org.neo4j:neo4j:{version}", _BROWSER]
    wanted = [context.create_dependency(root) for root in roots]
    _, nodes = context.resolver.get_dependency_list(wanted)
    found: list[Any] = [node.dep for node in nodes] + wanted
    used = {str(each.artifact): each.artifact for each in found if _is_used(each)}
    with ThreadPoolExecutor(8) as pool:
        files: list[Path] = list(pool.map(lambda artifact: artifact.resolve(), used.values()))
    names = [file.name for file in files]
    if len(names) != len(set(names)):
        raise SystemExit("two artifacts have the same file name")
    lines = sorted(_line(artifact, file) for artifact, file in zip(used.values(), files, strict=True))
    return "\n".join([f"main {_main_class(files)}", *lines, ""])


def _is_used(dependency: Any) -> bool:
    prefixes = tuple(prefix for group in _UNUSED.values() for prefix in group)
    return dependency.scope not in ("test", "provided", "system") and not dependency.artifactId.startswith(prefixes)


def _line(artifact: Any, file: Path) -> str:
    parts = (artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier)
    data = file.read_bytes()
    return f"{':'.join(part for part in parts if part)} {len(data)} {hashlib.sha256(data).hexdigest()}"


def _main_class(files: list[Path]) -> str:
    for file in files:
        with zipfile.ZipFile(file) as jar:
            names = set(jar.namelist())
        for name in _MAINS:
            if f"{name.replace('.', '/')}.class" in names:
                return name
    raise SystemExit("no known main class in the artifacts")


if __name__ == "__main__":
    main(sys.argv[1:])
