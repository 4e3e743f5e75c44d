"""Write the outputs of the commands that a page shows: `python -m tools.docs_output docs/concepts.md`.

Runs them on the database that the tests use, where they leave a small project. A block that shows no output at all
keeps none: write a line where the output belongs, and it is replaced.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from uuid import uuid4

from tests.databases import database
from tests.docs.pages import PARSED_ONLY, adapted, plain, rendered, write_files
from wakegraph.settings import Settings


def render(page: Path, settings: Settings) -> str:
    """The page with outputs as they are now."""
    project = f"test-{uuid4().hex[:12]}"
    environment = {
        "WAKEGRAPH_NEO4J_URI": settings.neo4j_uri or "",
        "WAKEGRAPH_NEO4J_USERNAME": settings.neo4j_username,
        "WAKEGRAPH_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value() if settings.neo4j_password else "",
        "WAKEGRAPH_HOME": str(settings.home),
        "WAKEGRAPH_PROJECT": project,
    }
    minutes = count()
    with tempfile.TemporaryDirectory() as folder:
        write_files(page, Path(folder), project)

        def run(words: list[str]) -> str:
            if words[0] in PARSED_ONLY:
                return ""
            command = [sys.executable, "-m", "wakegraph", *adapted(words, project, minutes)]
            done = subprocess.run(
                command, check=True, capture_output=True, cwd=folder, env={**os.environ, **environment}, text=True
            )
            return plain(done.stdout, project)

        return rendered(page, run)


async def _write(pages: list[Path]) -> None:
    async with database() as settings:
        for page in pages:
            page.write_text(await asyncio.to_thread(render, page.resolve(), settings), encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(_write([Path(name) for name in sys.argv[1:]]))
