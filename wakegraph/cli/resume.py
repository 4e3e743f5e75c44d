"""resume: one page to go on from, for the start-of-session hooks of agent hosts."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from wakegraph.cli.options import OPTIONS, Options
from wakegraph.cli.session import opened

__all__ = ["resume"]


async def resume(
    *,
    session: Annotated[str | None, Parameter(help="Go on where this sitting ended.")] = None,
    author: Annotated[str | None, Parameter(help="Whose work; by default the setting WAKEGRAPH_AUTHOR.")] = None,
    budget_tokens: Annotated[int, Parameter(help="Most tokens of the page, four characters each.")] = 2000,
    options: Options = OPTIONS,
) -> None:
    """Print where work stands in a project."""
    async with opened(options) as cli:
        answer = await cli.wake.resume.resume_work(
            project=cli.project, session=session, author=author, budget_tokens=budget_tokens, caller=cli.caller
        )
        cli.output.show(answer, lambda page, output: output.verbatim(page.text))
