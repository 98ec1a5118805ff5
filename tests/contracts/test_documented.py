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
from memory.vocabulary import INVALID_CODES
from tests.contracts.field_rules import FIELDS
from tests.valid_calls import ALL, Route, a_body
from tests.wire import InProcess

ROOT: Final = Path(__file__).parents[2]
DOCUMENT: Final = ROOT / "docs" / "openapi.yaml"
OURS: Final = ("memory", "feedback", "review")
#: Refusals that no route can give: commands and the console's accounts have them.
NOT_ON_THE_WIRE: Final = {"name_taken", "predicate_conflict", "account_exists", "password_weak"}


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
    given |= set(INVALID_CODES.values())
    given |= {internal(Dialect.RECORDS).code, method_not_allowed(Dialect.RECORDS, "").code}

    assert {errors.NotFound, http_errors.UnknownRoute, ReportAlreadyPromoted} <= set(_all_errors())
    assert set(_rows("docs/errors.md")) == given


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

    # Of no route in particular: there is none of that path, or of that method.
    assert listed - documented == {(404, "unknown_route"), (405, "method_not_allowed")}
    assert documented - listed == set()


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
    assert list(document["paths"]) == [at.path for at in ALL]
    assert {tuple(methods) for methods in document["paths"].values()} == {("post",)}
    tags = {tag["name"] for tag in document["tags"]}
    for methods in document["paths"].values():
        assert set(methods["post"]["tags"]) <= tags


@pytest.mark.parametrize("at", ALL, ids=str)
def test_every_route_has_examples_errors_and_limits(at: Route, document: dict[str, Any]) -> None:
    operation = document["paths"][at.path]["post"]
    body = operation["requestBody"]["content"]["application/json"]
    success = operation["responses"]["200"]["content"]["application/json"]

    assert body["examples"]
    assert success["examples"]
    assert operation["summary"]
    assert f"at most {BODY_BYTES} bytes" in operation["description"]
    expected = {"200", "400", "401", "413", "429", "500", "503"}
    expected |= {"403"} if at.is_write else set()
    expected |= {"409"} if at.view.takes_key else set()
    assert expected <= operation["responses"].keys() <= expected | {"404"}
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
    for part in (at.input, at.view.output_serializer()):
        schema = document["components"]["schemas"][type(part).__name__]
        for name, described in schema["properties"].items():
            assert described.get("description", "").endswith("."), name


def test_a_meaning_that_no_field_has_is_none(document: dict[str, Any]) -> None:
    described = {
        field["description"]
        for schema in document["components"]["schemas"].values()
        for field in schema.get("properties", {}).values()
        if "description" in field
    }
    for at in ALL:
        assert set(at.view.field_meanings.values()) <= described


@pytest.mark.parametrize("at", ALL, ids=str)
def test_examples_are_as_described_and_requests_are_taken(
    at: Route, document: dict[str, Any], call: InProcess
) -> None:
    operation = document["paths"][at.path]["post"]
    request = operation["requestBody"]["content"]["application/json"]
    answer = operation["responses"]["200"]["content"]["application/json"]
    for media in (request, answer):
        validator = Draft202012Validator({**media["schema"], "components": document["components"]})
        for example in media["examples"].values():
            assert [error.message for error in validator.iter_errors(example["value"])] == []
    for example in request["examples"].values():
        assert call(at.path, example["value"]).status in (200, 404)


@pytest.mark.parametrize("at", ALL, ids=str)
def test_answers_have_the_fields_of_their_example_in_its_order(
    at: Route, document: dict[str, Any], call: InProcess, agent: Actor
) -> None:
    media = document["paths"][at.path]["post"]["responses"]["200"]["content"]["application/json"]
    validator = Draft202012Validator({**media["schema"], "components": document["components"]})

    answer = call(at.path, a_body(at, agent)).body

    assert [error.message for error in validator.iter_errors(answer)] == []
    known = list(_resolved(document, media["schema"])["properties"])
    assert [name for name in known if name in answer] == list(answer)


def _field(document: dict[str, Any], schema: dict[str, Any], path: str) -> dict[str, Any]:
    for step in path.replace("[0]", "").split("."):
        schema = _resolved(document, schema)
        if schema.get("type") == "array":
            schema = _resolved(document, schema["items"])
        schema = schema["properties"][step]
        if "oneOf" in schema:
            schema = schema["oneOf"][0]
    return _resolved(document, schema)


@pytest.mark.parametrize("at", ALL, ids=str)
def test_the_document_refuses_the_faults_that_a_schema_can_tell(
    at: Route, document: dict[str, Any]
) -> None:
    body = document["paths"][at.path]["post"]["requestBody"]["content"]["application/json"]
    for path, rule in FIELDS[at.name].items():
        schema = _field(document, body["schema"], path)
        validator = Draft202012Validator({**schema, "components": document["components"]})
        for value in rule.fits:
            assert validator.is_valid(value), (path, value)
        if not rule.is_cursor:
            wrong = [value for value in rule.faults if not isinstance(value, str | float)]
            assert [value for value in wrong if validator.is_valid(value)] == [], path


def test_the_conventions_state_the_limits_of_the_code(document: dict[str, Any]) -> None:
    text = document["info"]["description"]

    for limit in (BODY_BYTES, OPEN_BRACKETS, CONTAINERS):
        assert str(limit) in text
    assert f"{COMMAS} commas" in text
    assert form_of({"type": "integer", "minimum": 1, "maximum": 100}) == "integer, 1 to 100"
