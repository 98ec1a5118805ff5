"""The page at `/docs/` draws the whole document, for people, without script and session."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
import yaml
from django.test import Client

from memory.http.docs import document_bytes
from memory.http.manual import form_of, manual_of
from tests.review.test_templates import Page


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(document_bytes())
    return loaded


def _got(path: str, **how: Any) -> Any:
    return Client().get(path, **how)


def test_the_document_is_served_as_it_was_committed() -> None:
    response = _got("/docs/openapi.yaml")

    assert response.content == document_bytes()
    assert response["Content-Type"] == "application/yaml; charset=utf-8"


def test_the_page_is_whole_and_accessible_in_its_structure() -> None:
    response = _got("/docs/")
    page = Page(response.content.decode())
    ids = [str(attributes["id"]) for _tag, attributes in page.elements if "id" in attributes]

    assert response.status_code == 200
    assert len(ids) == len(set(ids))
    assert len(page.all("h1")) == 1
    assert len(page.all("table")) == len(page.all("caption"))
    captions = re.findall(r"<caption [^>]*>([^<]+)</caption>", response.content.decode())
    assert len(captions) == len(set(captions))
    for attributes in page.all("a"):
        target = str(attributes["href"])
        assert not target.startswith("#") or target[1:] in ids


def test_the_page_needs_nothing_but_its_own_stylesheet_and_icon() -> None:
    response = _got("/docs/")
    page = Page(response.content.decode())

    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert not response.cookies
    assert "style" not in {tag for tag, _ in page.elements}
    for _tag, attributes in page.elements:
        for name in ("src", "href"):
            address = attributes.get(name) or ""
            assert address.startswith(("/static/review/", "#", "openapi.yaml")) or address in (
                "",
                "/",
            )
        assert not [key for key in attributes if key == "style" or key.startswith("on")]


def test_the_page_shows_every_route_with_its_fields_errors_and_examples(
    document: dict[str, Any],
) -> None:
    text = html.unescape(_got("/docs/").content.decode())

    for group in manual_of(document).groups:
        assert group.routes
        for route in group.routes:
            part = text[text.index(f'id="{route.name}"') :]
            part = part[: part.find('class="panel stack"')]
            assert route.path in part
            assert route.summary in part
            for form in route.forms:
                for field in (*form.inputs, *form.outputs):
                    assert f"<code>{field.path}</code>" in part
                    assert field.form in part
                    assert field.meaning in part
                assert form.call in part
                assert form.answer in part
            for refused in route.refusals:
                assert refused.code in part
                assert refused.message in part


def test_every_route_of_the_document_stands_in_a_group(document: dict[str, Any]) -> None:
    drawn = [(r.method, r.path) for group in manual_of(document).groups for r in group.routes]

    assert sorted(drawn) == sorted(
        (method.upper(), path) for path, ways in document["paths"].items() for method in ways
    )


def test_a_route_with_two_forms_shows_both(document: dict[str, Any]) -> None:
    routes = {route.path: route for group in manual_of(document).groups for route in group.routes}
    turn, evidence = routes["/v1/observations"].forms

    assert (turn.name, evidence.name) == ("turn", "evidence")
    assert {"messages[].role", "idempotency_key"} <= {field.path for field in turn.inputs}
    assert {"kind", "source.type"} <= {field.path for field in evidence.inputs}
    assert "log_offset" in {field.path for field in turn.outputs}
    assert "data.observation_id" in {field.path for field in evidence.outputs}
    assert '"messages":[' in turn.call
    assert '"kind":"tool_result"' in evidence.call
    assert '"observation_id": "obs_' in evidence.answer


def test_a_route_that_is_read_shows_path_and_query(document: dict[str, Any]) -> None:
    routes = {route.path: route for group in manual_of(document).groups for route in group.routes}
    [runs] = routes["/v1/context/runs"].forms
    [run] = routes["/v1/context/{context_id}"].forms
    [outcome] = routes["/v1/context/{context_id}/feedback"].forms
    [freshness] = routes["/v1/freshness"].forms

    assert [field.path for field in runs.inputs] == ["after", "limit", "outcome", "subject_id"]
    assert {field.path: field.default for field in runs.inputs}["limit"] == "20"
    assert [(field.path, field.is_required) for field in run.inputs] == [("context_id", True)]
    assert "/v1/context/ctx_" in run.call
    assert "-d" not in run.call
    assert outcome.inputs[0].path == "context_id"
    assert {"outcome", "claim_id", "client_mutation_id"} < {f.path for f in outcome.inputs}
    assert (freshness.inputs, freshness.call.count("/v1/freshness")) == ((), 1)


def test_the_page_is_the_same_for_everybody() -> None:
    assert _got("/docs/").content == _got("/docs/", headers={"Accept": "application/json"}).content
    assert Client().head("/docs/").content == b""
    assert Client(enforce_csrf_checks=False).post("/docs/").status_code == 405


def test_fields_are_listed_with_the_paths_that_errors_name(document: dict[str, Any]) -> None:
    routes = {route.name: route for group in manual_of(document).groups for route in group.routes}
    asserted = {field.path: field for field in routes["record_assert"].forms[0].inputs}
    got = {field.path: field for field in routes["record_get"].forms[0].outputs}

    assert asserted["records[].statement"].form == "text, 1 to 16384 bytes"
    assert asserted["records[].statement"].is_required
    assert asserted["records[].predicate"].form == (
        "text, 1 to 128 bytes, of the form [a-z][a-z0-9_]*"
    )
    assert asserted["records[].confidence"].form == "number above 0, at most 1"
    assert asserted["records[].confidence"].default == "1"
    assert asserted["records[].source.type"].is_required
    assert got["valid.until"].form == "time or null"
    assert got["valid.from_inclusive"].form == "always true"
    assert got["subject_entity_id"].form == "always null"
    assert not got["retraction"].is_required


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string", "format": "uuid"}, "id"),
        ({"type": "string", "maxLength": 9}, "text, 1 to 9 characters"),
        ({"type": "string"}, "text"),
        ({"type": "array", "minItems": 1, "maxItems": 20}, "list, 1 to 20"),
        ({"type": "array", "minItems": 0}, "list"),
        ({"type": "integer", "minimum": 1}, "integer, at least 1"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "object"}, "object"),
        ({"type": "string", "enum": ["a", "b", None]}, "one of a, b"),
        ({"type": "string", "enum": ["a"]}, 'always "a"'),
    ],
)
def test_a_type_is_told_in_a_few_words(schema: dict[str, Any], words: str) -> None:
    assert form_of(schema) == words
