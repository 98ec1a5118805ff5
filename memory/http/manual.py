"""The OpenAPI document as a page draws it: routes with their fields, limits, errors and examples.

Pure: a document in, frozen rows out, no request and no template.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from typing import Any, Final

from memory.http.fields import NOT_BLANK

_GET: Final = 'curl -s "$ERRATA_URL{path}" -H "Authorization: Bearer $ERRATA_TOKEN"'
_POST: Final = f'{_GET} \\\n  -H "Content-Type: application/json" -d {{body}}'


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
class Form:
    """One way to call a route; `name` is empty where it is the only one."""

    name: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    call: str
    answer: str


@dataclass(frozen=True, slots=True)
class Route:
    """One operation of the document."""

    name: str
    method: str
    path: str
    summary: str
    notes: tuple[str, ...]
    takes_key: bool
    forms: tuple[Form, ...]
    refusals: tuple[Refused, ...]


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
    parameters = operation.get("parameters", [])
    return Route(
        name=operation["operationId"],
        method=method,
        path=path,
        summary=operation["summary"],
        notes=tuple(operation["description"].split("\n\n")),
        takes_key=any(p["name"] == "Idempotency-Key" for p in parameters),
        forms=tuple(_forms(document, path, operation)),
        refusals=tuple(_refusals(document, operation["responses"])),
    )


def _forms(document: dict[str, Any], path: str, operation: dict[str, Any]) -> list[Form]:
    """The ways to call a route, with their examples in the same order."""
    sent = tuple(
        Field(
            path=parameter["name"],
            form=form_of(_without_null(document, parameter["schema"])[0]),
            is_required=parameter.get("required", False),
            default=_default_of(parameter["schema"]),
            meaning=parameter["description"],
        )
        for parameter in operation.get("parameters", ())
        if parameter["in"] != "header"
    )
    made = max(status for status in operation["responses"] if int(status) < 300)
    answers = _ways(document, operation["responses"][made])
    if "requestBody" not in operation:
        [(schema, answer)] = answers
        outputs = tuple(_fields(document, schema, is_answer=True))
        called = _GET.format(path=_filled(path, answer))
        return [Form("", sent, outputs, called, _shown(answer))]
    forms = []
    bodies = _ways(document, operation["requestBody"])
    for (body, request), (schema, answer) in zip(bodies, answers, strict=True):
        quoted = shlex.quote(_compact(request))
        forms.append(
            Form(
                name=_name_of(body) if len(bodies) > 1 else "",
                inputs=(*sent, *_fields(document, body)),
                outputs=tuple(_fields(document, schema, is_answer=True)),
                call=_POST.format(path=_filled(path, answer), body=quoted),
                answer=_shown(answer),
            )
        )
    return forms


def _ways(document: dict[str, Any], part: dict[str, Any]) -> list[tuple[dict[str, Any], Any]]:
    """The schemas of a body or an answer, one for each form, with their examples."""
    media = part["content"]["application/json"]
    schema = _resolved(document, media["schema"])
    examples = [example["value"] for example in media["examples"].values()]
    return list(zip(schema.get("oneOf", [media["schema"]]), examples, strict=True))


def _name_of(schema: dict[str, Any]) -> str:
    """What a form is called: its component without the ending."""
    component: str = schema["$ref"].rpartition("/")[2]
    return component.removesuffix("Input").lower()


def _filled(path: str, answer: Any) -> str:
    """The path with the ids that stand in the answer."""
    found = re.sub(r"\{(\w+)\}", lambda name: _first(answer, name[1]) or name[0], path)
    return str(found)


def _first(value: Any, name: str) -> str:
    """The first value of this name at any level, or nothing."""
    if not isinstance(value, dict):
        return ""
    return value.get(name) or next((x for x in (_first(v, name) for v in value.values()) if x), "")


def _shown(answer: Any) -> str:
    return json.dumps(answer, indent=2, ensure_ascii=False)


def _default_of(described: dict[str, Any]) -> str:
    return _compact(described["default"]) if "default" in described else ""


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
            default=_default_of(described),
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
