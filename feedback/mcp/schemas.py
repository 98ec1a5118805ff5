"""JSON Schemas of the tools, drawn from the serializers that check and render.

Arguments are closed objects, answers are open: later versions may add fields. Left out is what
only the server has to know: the pattern of blank texts, exceptions inside of patterns, and that
`null` means left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from feedback.mcp.tool import NOTICE
from memory.http.fields import NOT_BLANK
from memory.http.serializers import InputSerializer, ListOf, OutputSerializer, compiled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from feedback.mcp.tool import Tool

_EXCEPTION: Final = re.compile(r"\(\?![^()]*\)")


def input_schema(tool: Tool) -> dict[str, Any]:
    """What the tool takes: a closed object."""
    members = compiled(tool.input).members
    schema = _object({name: members[name] for name in tool.arguments}, tool, tool.input)
    for name, value in tool.defaults.items():
        schema["properties"][name]["default"] = value
    schema["required"] = [name for name in schema["required"] if name not in tool.defaults]
    return {**schema, "additionalProperties": False}


def output_schema(tool: Tool) -> dict[str, Any]:
    """What the tool answers when it succeeds."""
    properties = {"data": _described(compiled(tool.output), tool)}
    if tool.is_reading:
        properties = {
            "untrusted": {"type": "boolean", "const": True},
            "notice": {"type": "string", "const": NOTICE},
            **properties,
        }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _object(fields: Mapping[str, Any], tool: Tool, owner: type[Any]) -> dict[str, Any]:
    properties = {}
    for name, field in fields.items():
        properties[name] = _described(field, tool)
        meaning = _meaning_of(name, owner.__mro__, tool.meanings)
        if meaning:
            properties[name]["description"] = meaning
    required = [name for name, field in fields.items() if field.required]
    return {"type": "object", "properties": properties, "required": required}


def _meaning_of(name: str, owners: Iterable[type], meanings: Mapping[str, str]) -> str | None:
    keys = [*(f"{owner.__name__}.{name}" for owner in owners), name]
    return next((meanings[key] for key in keys if key in meanings), None)


def _described(field: Any, tool: Tool) -> dict[str, Any]:
    if isinstance(field, InputSerializer):
        schema = _object(field.members, tool, type(field)) | {"additionalProperties": False}
    elif isinstance(field, OutputSerializer):
        schema = _nullable(field, _object(dict(field.fields), tool, type(field)))
    elif isinstance(field, ListOf):
        schema = {"type": "array", "items": _described(field.child, tool)}
        schema |= {"minItems": field.minimum} if field.minimum else {}
        schema |= {} if field.maximum is None else {"maxItems": field.maximum}
    else:
        schema = _value(field)
    return schema


def _value(field: Any) -> dict[str, Any]:
    schema: dict[str, Any] = field.describe()
    pattern = schema.pop("pattern", NOT_BLANK)
    if pattern != NOT_BLANK:
        schema["pattern"] = _EXCEPTION.sub("", pattern)
    if schema.get("enum") == []:
        return {"type": "null"}
    if isinstance(field.parent, InputSerializer):
        has_default = field.fallback is not None
        return schema | ({"default": field.fallback} if has_default else {})
    return _nullable(field, schema)


def _nullable(field: Any, schema: dict[str, Any]) -> dict[str, Any]:
    if not field.allow_null:
        return schema
    nullable = {**schema, "type": [schema["type"], "null"]}
    if "enum" in schema:
        nullable["enum"] = [*schema["enum"], None]
    return nullable
