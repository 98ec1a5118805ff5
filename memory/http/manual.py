"""The OpenAPI document as a page draws it: routes with their fields, limits, errors and examples.

Pure: a document in, frozen rows out, no request and no template.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Any, Final

from memory.http.fields import NOT_BLANK

_CALL: Final = (
    'curl -s "$ERRATA_URL{path}" -H "Authorization: Bearer $ERRATA_TOKEN" \\\n'
    '  -H "Content-Type: application/json" -d {body}'
)


@dataclass(frozen=True, slots=True)
class Field:
    """One field of an input or an answer, with the path that an error would name."""

    path: str
    form: str
    is_required: bool
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Refused:
    """One way in which a route refuses."""

    status: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Route:
    """One operation of the document."""

    name: str
    method: str
    path: str
    summary: str
    notes: tuple[str, ...]
    takes_key: bool
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    refusals: tuple[Refused, ...]
    call: str
    answer: str


@dataclass(frozen=True, slots=True)
class Group:
    """Routes under one heading."""

    name: str
    text: str
    routes: tuple[Route, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Manual:
    """The whole document."""

    title: str
    version: str
    summary: str
    sections: tuple[Section, ...]
    groups: tuple[Group, ...]


def manual_of(document: dict[str, Any]) -> Manual:
    """The manual of an OpenAPI document."""
    info = document["info"]
    summary, *sections = info["description"].split("\n\n## ")
    routes = [
        (operation["tags"][0], _route(document, method.upper(), path, operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    groups = [
        Group(
            name=tag["name"],
            text=tag["description"],
            routes=tuple(route for name, route in routes if name == tag["name"]),
        )
        for tag in document["tags"]
    ]
    return Manual(
        title=info["title"],
        version=info["version"],
        summary=summary,
        sections=tuple(Section(*section.split("\n\n", 1)) for section in sections),
        groups=tuple(groups),
    )


def _route(document: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> Route:
    body = operation["requestBody"]["content"]["application/json"]
    [request] = (example["value"] for example in body["examples"].values())
    status = min(operation["responses"])
    success = operation["responses"][status]["content"]["application/json"]
    [answer] = (example["value"] for example in success["examples"].values())
    return Route(
        name=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        notes=tuple(operation["description"].split("\n\n")),
        takes_key=any(p["name"] == "Idempotency-Key" for p in operation.get("parameters", ())),
        inputs=tuple(_fields(document, body["schema"])),
        outputs=tuple(_fields(document, success["schema"], is_answer=True)),
        refusals=tuple(_refusals(document, operation["responses"])),
        call=_CALL.format(path=path, body=shlex.quote(_compact(request))),
        answer=json.dumps(answer, indent=2, ensure_ascii=False),
    )


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _refusals(document: dict[str, Any], responses: dict[str, Any]) -> list[Refused]:
    found = []
    for status, response in responses.items():
        if int(status) < 400:
            continue
        examples = _resolved(document, response)["content"]["application/json"]["examples"]
        found += [
            Refused(int(status), code, example["value"]["error"]["message"])
            for code, example in examples.items()
        ]
    return found


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """What a reference stands for; its own words stay."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    target: Any = document
    for step in reference.removeprefix("#/").split("/"):
        target = target[step]
    return {**target, **{name: part for name, part in schema.items() if name != "$ref"}}


def _fields(
    document: dict[str, Any], schema: dict[str, Any], *, path: str = "", is_answer: bool = False
) -> list[Field]:
    """The fields of an object and of what lies in it, in the order of the document."""
    resolved = _resolved(document, schema)
    found = []
    for name, described in resolved.get("properties", {}).items():
        inner, may_be_null = _without_null(document, described)
        says_null = is_answer and may_be_null and inner.get("enum") != [None]
        field = Field(
            path=path + name,
            form=form_of(inner) + (" or null" if says_null else ""),
            is_required=name in resolved.get("required", ()),
            default=_compact(described["default"]) if "default" in described else "",
            meaning=described.get("description", ""),
        )
        found.append(field)
        for member, place in ((inner, "."), (inner.get("items", {}), "[].")):
            found += _fields(document, member, path=field.path + place, is_answer=is_answer)
    return found


def _without_null(
    document: dict[str, Any], described: dict[str, Any]
) -> tuple[dict[str, Any], bool]:
    """The schema of a value that is there, and whether null may stand for it."""
    if "oneOf" in described:
        [inner] = [option for option in described["oneOf"] if option != {"type": "null"}]
        return _resolved(document, inner), True
    kinds = described.get("type")
    if isinstance(kinds, list):
        [kind] = [kind for kind in kinds if kind != "null"]
        return {**described, "type": kind}, True
    return _resolved(document, described), False


def form_of(schema: dict[str, Any]) -> str:
    """A type and its limits in a few words."""
    values = [value for value in schema.get("enum", ()) if value is not None]
    if "enum" in schema:
        if len(values) < 2:
            return f"always {_compact(values[0] if values else None)}"
        return f"one of {', '.join(values)}"
    match schema.get("type"):
        case "string":
            return _text_form(schema)
        case "array":
            return f"list{_range(schema, 'minItems', 'maxItems')}"
        case "integer" | "number" as kind:
            return f"{kind}{_range(schema, 'minimum', 'maximum')}"
        case kind:
            return str(kind)


def _text_form(schema: dict[str, Any]) -> str:
    names = {"uuid": "id", "date-time": "time"}
    if "format" in schema:
        return names[schema["format"]]
    pattern = schema.get("pattern", NOT_BLANK)
    words = ["text"]
    if "x-max-bytes" in schema:
        words.append(f"1 to {schema['x-max-bytes']} bytes")
    elif "maxLength" in schema:
        words.append(f"1 to {schema['maxLength']} characters")
    if pattern != NOT_BLANK:
        words.append(f"of the form {pattern.removeprefix('^').removesuffix('$')}")
    return ", ".join(words)


def _range(schema: dict[str, Any], least: str, most: str) -> str:
    low, high = schema.get(least), schema.get(most)
    if "exclusiveMinimum" in schema:
        return f" above {schema['exclusiveMinimum']:g}, at most {high:g}"
    if high is None:
        return f", at least {low:g}" if low else ""
    return f", {low:g} to {high:g}"
