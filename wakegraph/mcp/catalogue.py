"""Everything a server offers: its tools, resources, prompts and completions, each with the scope it needs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastmcp.exceptions import ToolError
from fastmcp.prompts import Prompt
from fastmcp.resources import Resource, ResourceTemplate
from fastmcp.server.dependencies import get_context
from fastmcp.tools import Tool
from fastmcp.tools.base import ToolResult
from mcp_types import TextContent, ToolAnnotations
from mcp_types import Tool as ListedTool
from pydantic import PrivateAttr
from rapidfuzz import process

from wakegraph.errors import DatabaseError, WakegraphError
from wakegraph.mcp import metrics
from wakegraph.mcp.call import caller_from_token, open_call
from wakegraph.mcp.database import Database
from wakegraph.mcp.offers import complete_project, prompts, resources, templates
from wakegraph.mcp.options import ServerOptions
from wakegraph.mcp.toolkit import ToolSpec, input_schema, output_schema
from wakegraph.mcp.tools import ALL
from wakegraph.models import Scope

if TYPE_CHECKING:
    from fastmcp.server.auth import AuthCheck, AuthContext

__all__ = ["Catalogue"]

logger = logging.getLogger(__name__)


class WakegraphTool(Tool):
    """A declared tool on a database."""

    _spec: ToolSpec = PrivateAttr()
    _database: Database = PrivateAttr()

    @classmethod
    def of(cls, spec: ToolSpec, database: Database, auth: AuthCheck) -> WakegraphTool:
        made = cls(
            name=spec.name,
            title=spec.title,
            description=spec.description,
            parameters=input_schema(spec.arguments),
            output_schema=output_schema(spec.answer),
            annotations=ToolAnnotations(
                read_only_hint=not spec.writes,
                destructive_hint=spec.destructive if spec.writes else None,
                idempotent_hint=spec.idempotent if spec.writes else None,
            ),
            auth=auth,
        )
        made._spec, made._database = spec, database
        return made

    def to_mcp_tool(self, **overrides: Any) -> ListedTool:
        """The tool as it is listed, without the library's own marks: they tell an agent nothing and cost it tokens."""
        return super().to_mcp_tool(**{**overrides, "_meta": None})

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        """Check the arguments, wait for the database, answer. Every expected failure is one line."""
        try:
            given = self._spec.read(arguments)
            call = await open_call(self._database, get_context(), frozenset(given))
            answer = await self._spec.handler(call, **given)
        except WakegraphError as error:
            self._note(error)
            raise ToolError(str(error), log_level=logging.DEBUG) from error
        self._note(None)
        return ToolResult(
            content=[TextContent(type="text", text=answer.text)],
            structured_content=answer.data.model_dump(mode="json", by_alias=True, exclude_none=True),
        )

    def _note(self, error: WakegraphError | None) -> None:
        """Remember whether writing works, for the readiness check."""
        if not self._spec.writes:
            return
        if error is None:
            self._database.write_error = None
        elif isinstance(error, DatabaseError):
            self._database.write_error = str(error)


class Catalogue:
    """What one server offers.

    Args:
        database: the database behind it.
        options: the tool set, and whether it may write.
    """

    def __init__(self, database: Database, options: ServerOptions) -> None:
        self._database = database
        self._options = options
        self._missing: dict[str, str] = {}
        self.tools: dict[str, WakegraphTool] = {}
        for spec in ALL:
            reason = self._left_out(spec)
            if reason is None:
                self.tools[spec.name] = WakegraphTool.of(spec, database, self._check(spec.scope, spec.all_projects))
            else:
                self._missing[spec.name] = reason
        readable = self._check(Scope.READ)
        self.resources: list[Resource] = resources(database, readable)
        self.templates: list[ResourceTemplate] = templates(database, readable)
        self.prompts: list[Prompt] = prompts(self._check)
        metrics.know({spec.name for spec in ALL})

    async def complete(self, reference: Any, argument: Any, context: Any) -> list[str]:
        """Values that an argument of a prompt or resource may have."""
        del reference, context
        return await complete_project(self._database, argument)

    def why_missing(self, name: str) -> str:
        """Why there is no tool of this name for the caller."""
        if name in self._missing:
            return self._missing[name]
        if name in self.tools:
            spec = next(spec for spec in ALL if spec.name == name)
            limit = " and is not for callers that are limited to some projects" if spec.all_projects else ""
            return f"{name} needs the scope {spec.scope.value}{limit}: this token may not use it"
        near = process.extract(name, list(self.tools), score_cutoff=60, limit=3)
        hint = f"; did you mean {', '.join(hit[0] for hit in near)}?" if near else ": see tools/list"
        return f"there is no tool {name[:80]!r}{hint}"

    def _left_out(self, spec: ToolSpec) -> str | None:
        if self._options.read_only and spec.writes:
            return f"{spec.name} writes, and this server is read-only: nothing was changed"
        if self._options.toolset == "core" and not spec.core:
            return f"{spec.name} is not in the tool set core of this server; it is in the tool set all"
        return None

    def _check(self, scope: Scope, all_projects: bool = False) -> Callable[[AuthContext], bool]:
        """A check of the caller's scope. Where no tokens are configured, everybody is the user of this machine."""
        if self._options.auth is None:
            return lambda _: True

        def allowed(context: AuthContext) -> bool:
            if context.token is None:
                return False
            caller = caller_from_token(context.token)
            return scope in caller.scopes and not (all_projects and caller.projects is not None)

        return allowed
