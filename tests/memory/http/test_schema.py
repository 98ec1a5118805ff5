"""OpenAPI says what the views, serializers and fields do."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from rest_framework.views import APIView

from memory.http.schema import WireSchema


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    generator: Any = SchemaGenerator
    generated = generator(urlconf="tests.memory.http.wire_urls").get_schema(public=True)
    return {**generated, "complaints": bool(GENERATOR_STATS)}


def _operation(schema: dict[str, Any], path: str, method: str = "post") -> dict[str, Any]:
    operation: dict[str, Any] = schema["paths"][path][method]
    return operation


def _response(schema: dict[str, Any], operation: dict[str, Any], status: str) -> dict[str, Any]:
    response: dict[str, Any] = operation["responses"][status]
    if "$ref" in response:
        response = schema["components"]["responses"][response["$ref"].rpartition("/")[2]]
    return response


def _codes(schema: dict[str, Any], operation: dict[str, Any]) -> dict[str, list[str]]:
    codes = {}
    for status in operation["responses"]:
        media = _response(schema, operation, status)["content"]["application/json"]
        if int(status) >= 400:
            error = media["schema"]["allOf"][1]["properties"]["error"]
            codes[status] = error["properties"]["code"]["enum"]
            assert sorted(media["examples"]) == codes[status]
    return codes


def test_the_generator_has_nothing_to_complain_about(schema: dict[str, Any]) -> None:
    assert schema["openapi"] == "3.1.0"
    assert schema["complaints"] is False
    renderer: Any = OpenApiYamlRenderer()
    assert renderer.render(schema, renderer_context={}).startswith(b"openapi: 3.1.0")


def test_inputs_are_closed_and_say_their_limits(schema: dict[str, Any]) -> None:
    written = schema["components"]["schemas"]["WriteInput"]

    assert written["additionalProperties"] is False
    assert written["required"] == ["id", "note"]
    assert written["properties"]["id"]["format"] == "uuid"
    assert written["properties"]["note"] | {"pattern": ""} == {
        "type": "string",
        "minLength": 1,
        "maxLength": 64,
        "x-max-bytes": 64,
        "pattern": "",
    }
    assert re.match(written["properties"]["note"]["pattern"], "\u00a0") is None
    assert written["properties"]["fault"]["type"] == ["string", "null"]
    assert written["properties"]["fault"]["default"] == "none"


def test_each_kind_of_field_is_described(schema: dict[str, Any]) -> None:
    asked = schema["components"]["schemas"]["CountInput"]["properties"]
    counted = schema["components"]["schemas"]["CountOutput"]["properties"]
    statuses = ["current", "superseded", "retracted"]

    assert asked["status"] == {"type": ["string", "null"], "enum": [*statuses, None]}
    assert asked["name"]["maxLength"] == 8
    assert "x-max-bytes" not in asked["name"]
    assert "maxLength" not in asked["word"]
    assert asked["word"]["pattern"] == "^[a-z]+$"
    assert asked["since"]["format"] == "date-time"
    assert re.match(asked["since"]["pattern"], "2026-11-30T18:03:11.204518Z")
    assert asked["above"] == {
        "type": ["number", "null"],
        "exclusiveMinimum": 0,
        "maximum": 1,
        "default": 0.5,
    }
    assert counted["count"] == {"type": "integer", "minimum": 0}
    assert counted["trust"]["enum"] == ["untrusted", "asserted", "verified", "policy_approved"]
    assert counted["disputed"] == {"type": ["boolean", "null"]}


def test_the_rest_of_a_docstring_is_the_description(schema: dict[str, Any]) -> None:
    counted = _operation(schema, "/v1/context/count")

    assert counted["summary"] == "Count."
    assert counted["description"].startswith("More about counting.\n\nAny credential.")


def test_lists_and_nullable_values_are_described(schema: dict[str, Any]) -> None:
    page = schema["components"]["schemas"]["PageOutput"]
    row = schema["components"]["schemas"]["RowOutput"]

    assert page["properties"]["rows"]["items"] == {"$ref": "#/components/schemas/RowOutput"}
    assert page["required"] == ["rows"]
    assert row["required"] == ["id", "note"]
    assert row["properties"]["note"]["type"] == ["string", "null"]
    assert "additionalProperties" not in row


def test_each_route_lists_its_refusals_with_codes_and_examples(schema: dict[str, Any]) -> None:
    write = _operation(schema, "/v1/write")

    assert _codes(schema, write) == {
        "400": ["invalid_body", "invalid_feedback"],
        "401": ["unauthenticated"],
        "403": ["forbidden"],
        "404": ["not_found"],
        "409": ["idempotency_conflict", "idempotency_in_progress", "record_conflict"],
        "413": ["payload_too_large"],
        "429": ["rate_limited"],
        "500": ["internal"],
        "503": ["unavailable"],
    }
    conflict = write["responses"]["409"]["content"]["application/json"]["examples"]
    assert conflict["record_conflict"]["value"]["error"]["message"].startswith("The record has")
    invalid = write["responses"]["400"]["content"]["application/json"]["examples"]
    assert invalid["invalid_feedback"]["value"]["error"]["message"] == 'Field "id" is required.'


def test_a_read_has_fewer(schema: dict[str, Any]) -> None:
    assert list(_codes(schema, _operation(schema, "/v1/list"))) == [
        "400",
        "401",
        "413",
        "429",
        "500",
        "503",
    ]
    listed = _operation(schema, "/v1/list")["responses"]["400"]["content"]["application/json"]
    assert "limit" in listed["examples"]["invalid_feedback"]["value"]["error"]["message"]
    assert list(_codes(schema, _operation(schema, "/v1/rows/{row_id}", "get"))) == [
        "401",
        "429",
        "500",
        "503",
    ]


def test_the_upper_case_dialect_is_described_as_it_answers(schema: dict[str, Any]) -> None:
    write = _operation(schema, "/v1/context/write")

    assert _codes(schema, write)["400"] == ["VALIDATION_ERROR"]
    assert _codes(schema, write)["409"] == ["CONFLICT"]
    assert [status for status in write["responses"] if int(status) < 300] == ["200", "201"]
    success = write["responses"]["201"]["content"]["application/json"]["schema"]
    assert success["required"] == ["data", "meta"]


def test_headers_are_described(schema: dict[str, Any]) -> None:
    write = _operation(schema, "/v1/write")

    assert [p["name"] for p in write["parameters"]] == ["Idempotency-Key"]
    headers = {s: _response(schema, write, s)["headers"] for s in write["responses"]}
    assert all("X-Request-Id" in names for names in headers.values())
    assert {s for s, names in headers.items() if "Retry-After" in names} == {"409", "429", "503"}
    assert {s for s, names in headers.items() if "WWW-Authenticate" in names} == {"401"}
    assert "parameters" not in _operation(schema, "/v1/list")


def test_a_query_is_described_as_parameters(schema: dict[str, Any]) -> None:
    listed = _operation(schema, "/v1/lists", "get")

    assert {p["name"]: p["in"] for p in listed["parameters"]} == {
        "after": "query",
        "limit": "query",
        "open_only": "query",
    }
    assert "requestBody" not in listed


def test_every_route_wants_a_bearer_token_and_has_words(schema: dict[str, Any]) -> None:
    assert schema["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    for path in schema["paths"].values():
        for operation in path.values():
            assert operation["security"] == [{"bearer": []}]
            assert operation["summary"]
            assert "a minute and credential" in operation["description"]


def test_examples_of_the_view_are_shown(schema: dict[str, Any]) -> None:
    write = _operation(schema, "/v1/write")

    request = write["requestBody"]["content"]["application/json"]["examples"]
    answer = write["responses"]["200"]["content"]["application/json"]["examples"]
    assert write["requestBody"]["required"] is True
    assert json.dumps(request).count("0b7f3a52") == 1
    assert answer["answer"]["value"]["replayed"] is False


def test_names_of_operations_are_those_of_the_audit_log(schema: dict[str, Any]) -> None:
    assert _operation(schema, "/v1/rows/{row_id}", "get")["operationId"] == "record_get"


def test_views_that_are_not_of_the_wire_are_described_as_usual() -> None:
    class Plain(APIView):
        """Something else."""

        schema = WireSchema()

        def get(self, request: Any) -> None:
            """Get it."""

    from django.urls import path

    generator: Any = SchemaGenerator
    plain = generator(patterns=[path("plain", Plain.as_view())]).get_schema(public=True)["paths"][
        "/plain"
    ]["get"]

    assert plain["description"] == "Get it."
    assert "200" in plain["responses"]
