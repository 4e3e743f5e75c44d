"""A process of its own that saves and links: `python worker.py PROJECT NUMBER COUNT`, connection from WAKEGRAPH_...

Each save is caused by a random one of those known to be there, and linked afterwards to two others of any process; a
link that would close a cycle is refused. Prints what was acknowledged, as one JSON document.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys

from wakegraph.app import Wakegraph
from wakegraph.errors import ConflictError, NotFoundError


async def main(project: str, number: int, count: int) -> None:
    dice = random.Random(number)
    saved: list[str] = []
    linked: list[tuple[str, str]] = []
    refused = 0
    async with Wakegraph.open() as wake:
        for step in range(count):
            name = f"{number}-{step}"
            await wake.snapshots.save(name, project=project, id=name, caused_by=["seed"], session=f"s{number}")
            saved.append(name)
            effect = f"{dice.randrange(number + 1)}-{dice.randrange(step + 1)}"
            for cause in (name, "shared"):
                try:
                    await wake.snapshots.link(effect, project=project, caused_by=[cause])
                except ConflictError:
                    refused += 1
                except NotFoundError:
                    continue  # another process is not that far yet
                except Exception as error:
                    if "itself" not in str(error):
                        raise
                else:
                    linked.append((effect, cause))
    print(json.dumps({"saved": saved, "linked": linked, "refused": refused}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
