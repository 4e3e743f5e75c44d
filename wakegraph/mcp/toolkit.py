"""How a tool is declared: one typed function, from which its schemas, its checks and its wire names are made.

Names on the wire are the camelCase forms of the parameters. The published input schemas are flat (no `anyOf`, `$ref`,
null types), because clients' converters fail on anything else; arguments are checked here, against the same schema, so
that every refusal is one line which says what is accepted.
"""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar, get_args, get_type_hints

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, create_model
from pydantic.alias_generators import to_camel

from wakegraph.errors import InvalidInputError
from wakegraph.models import Model, Scope

__all__ = ["Answer", "Object", "Real", "Texts", "ToolSpec", "Whole", "input_schema", "output_schema", "tool"]

M = TypeVar("M", bound=Model)

_SYNONYMS = ("id", "snapshotId", "ids")
_ARGUMENTS = ConfigDict(
    strict=True, extra="forbid", alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
)


@dataclass(frozen=True, slots=True)
class Answer(Generic[M]):
    """What a tool answers.

    Attributes:
        data: the structured content.
        text: the same in a few readable lines.
    """

    data: M
    text: str


Handler = Callable[..., Awaitable[Answer[Any]]]


@dataclass(frozen=True)
class ToolSpec:
    """A tool as it is declared.

    Attributes:
        name: its name on the wire.
        title: its name for people.
        description: when to use it.
        scope: what a caller needs.
        writes: whether it may change anything but access counts.
        destructive: whether it may remove something.
        idempotent: whether repeating a call changes nothing more.
        core: whether the small tool set has it.
        all_projects: whether a caller limited to some projects is denied it.
        handler: the function.
        arguments: the model of its arguments.
        answer: the model of its answer.
    """

    name: str
    title: str
    description: str
    scope: Scope
    writes: bool
    destructive: bool
    idempotent: bool
    core: bool
    all_projects: bool
    handler: Handler
    arguments: type[BaseModel]
    answer: type[Model]

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the handler takes them, by parameter name: only those given.

        Raises:
            InvalidInputError: one cannot be accepted; the line says what is.
        """
        named = self._named(given)
        try:
            parsed = self.arguments.model_validate(named)
        except ValidationError as error:
            raise InvalidInputError(self._explained(error)) from None
        return {name: getattr(parsed, name) for name in parsed.model_fields_set}

    def _named(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by wire name. One that is null counts as left out."""
        fields = self.arguments.model_fields
        wire = {name: field.alias or name for name, field in fields.items()}
        own = [name for name in _SYNONYMS if name in wire.values()]
        named: dict[str, Any] = {}
        for key, value in given.items():
            if value is None:
                continue
            name = wire.get(key, key)
            if own and name not in wire.values() and to_camel(name) in _SYNONYMS:
                name = own[0]
            if name in named:
                raise InvalidInputError(f"{self.name}: {name} was given twice (as {key!r} too): give it once")
            named[name] = value
        return named

    def _explained(self, error: ValidationError) -> str:
        properties = input_schema(self.arguments)["properties"]
        lines = []
        for item in error.errors(include_url=False):
            name = str(item["loc"][0])
            if item["type"] == "extra_forbidden":
                lines.append(f"there is no argument {name!r}; {self.name} accepts {', '.join(properties)}")
                continue
            wire = name if name in properties else to_camel(name)
            schema = properties[wire]
            if item["type"] == "missing":
                lines.append(f"{wire} is required: {schema['description']}")
            else:
                lines.append(f"{wire} {_shown(item['input'])} is not accepted: use {_expected(schema)}")
        return f"{self.name}: {'; '.join(dict.fromkeys(lines))}"


def tool(
    title: str,
    *,
    scope: Scope = Scope.READ,
    writes: bool = False,
    destructive: bool = False,
    idempotent: bool = True,
    core: bool = False,
    all_projects: bool = False,
) -> Callable[[Handler], ToolSpec]:
    """Declare a tool. The function's first parameter is the `Call`; its docstring is the description."""

    def declare(handler: Handler) -> ToolSpec:
        hints = get_type_hints(handler, include_extras=True)
        parameters = list(inspect.signature(handler).parameters.values())[1:]
        fields: dict[str, Any] = {
            parameter.name: (
                hints[parameter.name],
                ... if parameter.default is inspect.Parameter.empty else parameter.default,
            )
            for parameter in parameters
        }
        name = handler.__name__
        return ToolSpec(
            name=name,
            title=title,
            description=" ".join((inspect.getdoc(handler) or "").split()),
            scope=scope,
            writes=writes,
            destructive=destructive,
            idempotent=idempotent,
            core=core,
            all_projects=all_projects,
            handler=handler,
            arguments=create_model(name, __config__=_ARGUMENTS, **fields),
            answer=get_args(hints["return"])[0],
        )

    return declare


def input_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """The flat JSON schema of a tool's arguments. Unknown ones are refused although the schema does not say so."""
    return _Compact(arguments.model_json_schema(by_alias=True), keep=("description", "default", "enum")).schema()


def output_schema(answer: type[Model]) -> dict[str, Any]:
    """The JSON schema of a tool's answer: every field with its type.

    Definitions used more than once stay definitions. What is always there is not listed, nor are closed values: all
    tools together must fit the window of an agent beside its work.
    """
    return _Compact(answer.model_json_schema(by_alias=True, mode="serialization"), keep=()).schema()


_BOUNDS = {"ge": "minimum", "le": "maximum"}
_NOISE = frozenset({"title", "$defs", "additionalProperties", "required", "description", "default", "enum"})


class _Compact:
    """A schema without what says nothing to a client, or what some client's converter fails on."""

    def __init__(self, schema: Mapping[str, Any], keep: tuple[str, ...]) -> None:
        self._root = schema
        self._definitions: Mapping[str, Any] = schema.get("$defs", {})
        self._keep = keep
        self._dropped = _NOISE - set(keep)
        self._uses = Counter(_references(schema))

    def schema(self) -> dict[str, Any]:
        result = self._walk(self._root)
        required = self._root.get("required", ())
        if required and self._keep:
            result["required"] = list(required)
        shared = {name: self._walk(part) for name, part in self._definitions.items() if self._shared(name)}
        return {**result, "$defs": shared} if shared else result

    def _shared(self, name: str) -> bool:
        return self._uses[name] > 1 and "properties" in self._definitions[name]

    def _walk(self, node: Mapping[str, Any]) -> dict[str, Any]:
        if "$ref" in node:
            name = node["$ref"].rpartition("/")[2]
            return {"$ref": node["$ref"]} if self._shared(name) else self._walk(self._definitions[name])
        if "anyOf" in node:
            # An absent value is left out of an answer, and may be left out of a call: null is never needed.
            (only,) = [part for part in node["anyOf"] if part.get("type") != "null"]
            own = {key: value for key, value in node.items() if key in self._keep and value is not None}
            return self._walk({**only, **own})
        result = {_BOUNDS.get(key, key): value for key, value in node.items() if key not in self._dropped}
        if result.get("default") in ([], False):
            del result["default"]  # what is left out is empty or false anyway
        if "properties" in node:
            result["properties"] = {name: self._walk(part) for name, part in node["properties"].items()}
        if "items" in node:
            result["items"] = self._walk(node["items"])
        return result


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, Mapping):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].rpartition("/")[2]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _expected(schema: Mapping[str, Any]) -> str:
    """What a value must be, in words."""
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    low, high = schema.get("minimum"), schema.get("maximum")
    span = f" from {low} to {high}" if high is not None else f" of {low} or more" if low is not None else ""
    return {
        "integer": f"a whole number{span}",
        "number": f"a number{span}",
        "boolean": "true or false",
        "array": f"a list of {schema.get('minItems', 0)} to {schema['maxItems']} texts"
        if "maxItems" in schema
        else "a list of texts",
        "object": "a JSON object",
    }.get(schema["type"], f"a text of {schema['maxLength']} characters at most" if "maxLength" in schema else "a text")


def _whole(value: object) -> object:
    # JSON has one kind of number: 5.0 is 5.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _real(value: object) -> object:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _listed(value: object) -> object:
    """A list as it is; one that was sent as JSON text; a lone text as a list of one."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            return [value]
    return [value]


def _object(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


Whole = Annotated[int, BeforeValidator(_whole)]
Real = Annotated[float, BeforeValidator(_real)]
Texts = Annotated[list[str], BeforeValidator(_listed)]
Object = Annotated[dict[str, Any], BeforeValidator(_object)]
