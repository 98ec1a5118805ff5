"""What operators and callers can meet is documented: codes, commands, routes, limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from django.core.management import get_commands
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from feedback.errors import ReportAlreadyPromoted
from memory import errors
from memory.actor import Actor
from memory.errors import DomainError, FieldInvalid
from memory.http import errors as http_errors
from memory.http.error_table import Dialect, internal, method_not_allowed
from memory.http.manual import form_of
from memory.http.strict_json import BODY_BYTES, COMMAS, CONTAINERS, OPEN_BRACKETS
from memory.vocabulary import INVALID_CODES, LOOP_INVALID
from tests.contracts.field_rules import FIELDS
from tests.valid_calls import ALL, ASKED, POSTED, UPPER, Route, a_body
from tests.wire import InProcess

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = ROOT / "docs" / "openapi.yaml"
OURS: Final = ("memory", "feedback", "review")
#: Refusals that no route can give: commands and the console's accounts have them.
NOT_ON_THE_WIRE: Final = {
    "name_taken",
    "predicate_conflict",
    "account_exists",
    "password_weak",
    "integrity_conflict",
}


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _rows(name: str) -> dict[str, int]:
    """Codes and statuses of the table in docs/errors.md."""
    found: dict[str, int] = {}
    for line in re.findall(r"^\| (\d{3} \|[^|]*)\|", _text(name), re.MULTILINE):
        found |= dict.fromkeys(re.findall(r"`(\w+)`", line), int(line[:3]))
    return found


def _all_errors(base: type[DomainError] = DomainError) -> Iterator[type[DomainError]]:
    for error in base.__subclasses__():
        if error.__module__.startswith(tuple(f"{app}." for app in OURS)):
            yield error
            yield from _all_errors(error)


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
    return loaded


def _resolved(document: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in part:
        target: Any = document
        for step in part["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        part = target
    return part


def test_errors_md_lists_the_codes_that_the_table_can_give_and_no_others() -> None:
    given = {
        error.code
        for error in _all_errors()
        if hasattr(error, "code") and not error.__module__.startswith("review")
    }
    given -= {FieldInvalid.code, *NOT_ON_THE_WIRE}
    given |= {code for at in ALL if not at.is_loop for code in at.view().invalid_codes}
    given |= set(INVALID_CODES.values()) - {LOOP_INVALID}
    given |= {internal(Dialect.RECORDS).code, method_not_allowed(Dialect.RECORDS, "").code}

    assert {errors.NotFound, http_errors.UnknownRoute, ReportAlreadyPromoted} <= set(_all_errors())
    assert set(_rows("docs/errors.md")) == given


def _upper(name: str) -> dict[str, tuple[int, str]]:
    """Upper-case codes of the second table in docs/errors.md: status, and the lower-case codes."""
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\d{3}) \| ([^|]+) \|", _text(name), re.MULTILINE)
    return {code: (int(status), lower) for code, status, lower in rows}


def test_errors_md_says_which_codes_an_upper_case_one_stands_for() -> None:
    listed = _upper("docs/errors.md")

    assert {code: status for code, (status, _) in listed.items()} == {
        UPPER[lower]: status for lower, status in _rows("docs/errors.md").items() if lower in UPPER
    } | {"VALIDATION_ERROR": 400}
    for code, (_, lower) in listed.items():
        named = set(re.findall(r"`([a-z_]+)`", lower))
        assert named == {low for low, up in UPPER.items() if up == code} - {"validation_error"}


def test_errors_md_and_the_document_agree_on_status_and_code(document: dict[str, Any]) -> None:
    documented = {
        (int(status), code)
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, response in operation["responses"].items()
        if int(status) >= 400
        for code in _resolved(document, response)["content"]["application/json"]["examples"]
    }
    listed = {(status, code) for code, status in _rows("docs/errors.md").items()}
    upper = {(status, code) for code, (status, _) in _upper("docs/errors.md").items()}

    # Of no route in particular: there is none of that path, or of that method.
    assert listed - documented == {(404, "unknown_route"), (405, "method_not_allowed")}
    assert documented - listed == upper - {(405, "METHOD_NOT_ALLOWED")}


def test_every_command_of_ours_is_named_for_operators() -> None:
    ours = {name for name, app in get_commands().items() if app in (*OURS, "config")}
    text = _text("README.md") + _text("docs/operate.md")

    assert ours
    assert {name for name in ours if not re.search(rf"\b{name}\b", text)} == set()


def test_the_committed_document_is_what_the_code_describes() -> None:
    generator: Any = SchemaGenerator
    renderer: Any = OpenApiYamlRenderer()
    generated = generator().get_schema(request=None, public=True)

    assert not GENERATOR_STATS
    assert renderer.render(generated, renderer_context={}) == DOCUMENT.read_bytes()


def test_the_document_has_the_routes_there_are(document: dict[str, Any]) -> None:
    assert list(document["paths"]) == list(dict.fromkeys(at.path for at in ALL))
    tags = {tag["name"] for tag in document["tags"]}
    for at in ALL:
        [(method, operation)] = document["paths"][at.path].items()
        assert method == at.method.lower()
        assert set(operation["tags"]) <= tags
        described = operation.get("parameters", [])
        named = {(part["in"], part["name"]) for part in described}
        expected = {("path", name) for name in at.ids}
        expected |= {("query", name) for name in at.members if at.method == "GET"}
        expected |= {("header", "Idempotency-Key")} if at.view.takes_key else set()
        assert named == expected
        assert all(part["required"] for part in described if part["in"] == "path")


def _codes_of_a_call(at: Route) -> list[tuple[str, str]]:
    """Status and code of refusals that any call of the route may get."""
    codes = [("401", "unauthenticated"), ("429", "rate_limited"), ("500", "internal")]
    if at.form:
        codes += [("400", "invalid_body"), ("400", at.invalid_code)]
        codes += [("400", at.invalid_code_of("question"))] if "question" in at.members else []
    if at.view.takes_key:
        codes += [("409", "idempotency_conflict"), ("409", "idempotency_in_progress")]
    return [(status, at.spelled(code)) for status, code in codes]


@pytest.mark.parametrize("at", ALL, ids=str)
def test_every_route_has_examples_errors_and_limits(at: Route, document: dict[str, Any]) -> None:
    operation = document["paths"][at.path][at.method.lower()]
    successes = {str(at.made), str(at.repeated)} if at.view.takes_key else {str(at.made)}

    for status in successes:
        assert operation["responses"][status]["content"]["application/json"]["examples"]
    assert operation["summary"]
    expected = {"401", "429", "500", "503"} | successes
    if at.method == "POST":
        assert operation["requestBody"]["content"]["application/json"]["examples"]
        assert f"at most {BODY_BYTES} bytes" in operation["description"]
        expected |= {"413"}
    expected |= {"400"} if at.form else set()
    expected |= {"403"} if at.is_write else set()
    expected |= {"404"} if at.ids else set()
    expected |= {"409"} if at.view.takes_key else set()
    expected |= {"200"} if at.url_name == "memory:source-observe" else set()  # the other form's
    assert expected <= operation["responses"].keys() <= expected | {"404"}
    for status, code in _codes_of_a_call(at):
        media = _resolved(document, operation["responses"][status])["content"]["application/json"]
        assert code in media["examples"]
    for status, response in operation["responses"].items():
        described = _resolved(document, response)
        assert "X-Request-Id" in described["headers"]
        assert ("Retry-After" in described["headers"]) == (status in ("409", "429", "503"))
        if int(status) >= 400:
            examples = described["content"]["application/json"]["examples"].values()
            assert all(example["value"]["error"]["message"] for example in examples)


@pytest.mark.parametrize("at", ALL, ids=str)
def test_every_field_says_what_it_means_and_how_long_it_may_be(
    at: Route, document: dict[str, Any]
) -> None:
    parts = [at.output, *([at.form] if at.form and at.method == "POST" else [])]
    for part in parts:
        for name, described in _properties(document, part.__name__):
            assert described.get("description", "").endswith("."), name
    for parameter in document["paths"][at.path][at.method.lower()].get("parameters", []):
        assert parameter["description"].endswith("."), parameter["name"]


def _properties(document: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The fields of an object, and of all objects in it."""
    for field, described in document["components"]["schemas"][name]["properties"].items():
        yield f"{name}.{field}", described
        for inner in re.findall(r"#/components/schemas/(\w+)", str(described)):
            if "properties" in document["components"]["schemas"][inner]:
                yield from _properties(document, inner)


def test_a_meaning_that_no_field_has_is_none(document: dict[str, Any]) -> None:
    described = {
        field["description"]
        for schema in document["components"]["schemas"].values()
        for field in schema.get("properties", {}).values()
        if "description" in field
    } | {
        parameter.get("description")
        for methods in document["paths"].values()
        for operation in methods.values()
        for parameter in operation.get("parameters", [])
    }
    for at in ALL:
        assert set(at.view.field_meanings.values()) <= described


@pytest.mark.parametrize("at", ALL, ids=str)
def test_examples_are_as_described_and_requests_are_taken(
    at: Route, document: dict[str, Any], call: InProcess
) -> None:
    operation = document["paths"][at.path][at.method.lower()]
    medias = [
        response["content"]["application/json"]
        for status, response in operation["responses"].items()
        if int(status) < 300
    ]
    if at.method == "POST":
        medias.append(operation["requestBody"]["content"]["application/json"])
    for media in medias:
        validator = Draft202012Validator({**media["schema"], "components": document["components"]})
        assert media["examples"]
        for example in media["examples"].values():
            assert [error.message for error in validator.iter_errors(example["value"])] == []
    if at.method == "POST":
        for example in medias[-1]["examples"].values():
            values = example["value"] | dict.fromkeys(at.ids, "ctx_x")
            assert at.send(call, values).status in (200, 201, 403, 404)


@pytest.mark.parametrize("at", ALL, ids=str)
def test_answers_have_the_fields_of_their_example_in_its_order(
    at: Route, document: dict[str, Any], call: InProcess, agent: Actor
) -> None:
    operation = document["paths"][at.path][at.method.lower()]
    media = operation["responses"][str(at.made)]["content"]["application/json"]
    validator = Draft202012Validator({**media["schema"], "components": document["components"]})

    answer = at.send(call, a_body(at, agent))

    assert [error.message for error in validator.iter_errors(answer.body)] == []
    known = list(document["components"]["schemas"][at.output.__name__]["properties"])
    assert [name for name in known if name in at.told(answer)] == list(at.told(answer))
    examples = media["examples"]
    example = examples.get("other form" if at.name.endswith("/evidence") else "answer")["value"]
    shown = example["data"] if at.is_loop else example
    assert list(at.told(answer)) == [name for name in shown if name in at.told(answer)]
    if at.is_loop:
        assert list(answer.body) == list(example) == ["data", "meta"]
        assert list(answer.body["meta"]) == list(example["meta"])


def _field(document: dict[str, Any], schema: dict[str, Any], path: str) -> dict[str, Any]:
    for step in path.replace("[0]", "").split("."):
        schema = _resolved(document, schema)
        if schema.get("type") == "array":
            schema = _resolved(document, schema["items"])
        schema = schema["properties"][step]
        if "oneOf" in schema:
            schema = schema["oneOf"][0]
    return _resolved(document, schema)


@pytest.mark.parametrize("at", POSTED, ids=str)
def test_the_document_refuses_the_faults_that_a_schema_can_tell(
    at: Route, document: dict[str, Any]
) -> None:
    assert at.form
    form = {"$ref": f"#/components/schemas/{at.form.__name__}"}
    body = document["paths"][at.path]["post"]["requestBody"]["content"]["application/json"]
    assert form["$ref"] in str(_resolved(document, body["schema"])) + str(body["schema"])
    for path, rule in FIELDS[at.name].items():
        schema = _field(document, form, path)
        validator = Draft202012Validator({**schema, "components": document["components"]})
        for value in rule.fits:
            assert validator.is_valid(value), (path, value)
        if not rule.is_cursor:
            wrong = [value for value in rule.faults if not isinstance(value, str | float)]
            assert [value for value in wrong if validator.is_valid(value)] == [], path


@pytest.mark.parametrize("at", ASKED, ids=str)
def test_the_document_refuses_the_faults_of_a_query_that_a_schema_can_tell(
    at: Route, document: dict[str, Any]
) -> None:
    parameters = document["paths"][at.path]["get"]["parameters"]
    schemas = {part["name"]: part["schema"] for part in parameters}
    for name, rule in FIELDS[at.name].items():
        validator = Draft202012Validator({**schemas[name], "components": document["components"]})
        is_number = name == "limit"
        for value in rule.fits:
            assert validator.is_valid(int(str(value)) if is_number else value), (name, value)
        if not rule.is_cursor:
            wrong = [int(str(value)) if is_number else value for value in rule.faults]
            told = [value for value in wrong if is_number or str(value).isprintable()]
            plain = [value for value in told if is_number or str(value).isascii()]
            assert [value for value in plain if validator.is_valid(value)] == [], name


def test_the_conventions_state_the_limits_of_the_code(document: dict[str, Any]) -> None:
    text = document["info"]["description"]

    for limit in (BODY_BYTES, OPEN_BRACKETS, CONTAINERS):
        assert str(limit) in text
    assert f"{COMMAS} commas" in text
    assert form_of({"type": "integer", "minimum": 1, "maximum": 100}) == "integer, 1 to 100"
