"""resume_work."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from wakegraph.mcp.call import Call
from wakegraph.mcp.parameters import Project
from wakegraph.mcp.toolkit import Answer, Whole, tool
from wakegraph.models import Model

__all__ = ["resume_work"]


class Resumed(Model):
    project: str
    text: str


@tool("Resume work", core=True)
async def resume_work(
    call: Call,
    project: Project | None = None,
    session: Annotated[str | None, Field(description="Sitting to go on with; default: the newest")] = None,
    author: Annotated[str | None, Field(description="Who asks: others' changes since your last save are shown")] = None,
    budget_tokens: Annotated[Whole, Field(ge=200, le=20_000, description="Length of the page")] = 2000,
) -> Answer[Resumed]:
    """Begin here, and come back after you lost context: one page with the newest chain, open decisions, what others
    changed, and what will be needed next, all with ids.
    """
    page = await call.wake.resume.resume(
        project=project, session=session, author=author, budget_tokens=budget_tokens, caller=call.caller, now=call.now
    )
    return Answer(Resumed(project=page.project, text=page.text), page.text)
