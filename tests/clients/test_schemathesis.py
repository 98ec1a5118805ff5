"""Calls made from the OpenAPI document: every answer is one that the document describes."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

import pytest
import requests
import schemathesis
import yaml
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks

from memory.actor import Actor
from memory.http.docs import document_bytes
from tests.invariants import assert_invariants
from tests.serving import Server
from tests.valid_calls import ALL, WRITES, a_body
from tests.wire import OverHttp

pytestmark = [pytest.mark.slow]

EXAMPLES: Final = 12
EXAMPLES_OF_A_REFUSAL: Final = 3
#: Rules between fields, which no document can say, refuse nearly all that is made from it.
RULED_BETWEEN_FIELDS: Final = frozenset({"/v1/consolidations"})
#: Longer texts are never drawn in so few examples, but strategies for them take seconds to make.
#: `tests/contracts/test_fields.py` sends texts at and above every bound.
LONGEST_BOUND: Final = 1024
PATHS: Final = tuple(dict.fromkeys(at.path for at in ALL))
REQUEST_ID: Final = re.compile(r"req_[0-9a-f]{32}")
CHECKS: Final[list[Any]] = [
    schemathesis.checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.response_headers_conformance,
    checks.negative_data_rejection,
]


@cache
def _operations() -> dict[str, Any]:
    """All operations by path, without the credential, which is ours to send, and huge bounds.

    Made when a test asks, not by every worker that collects it, and once, since an operation keeps
    the strategies that it has made.
    """
    document = yaml.load(document_bytes(), Loader=yaml.CSafeLoader)
    del document["components"]["securitySchemes"]
    for name, form in document["components"]["schemas"].items():
        for member in form.get("properties", {}).values():
            if member.get("maxLength", 0) > LONGEST_BOUND:
                assert name.endswith("Input")  # what is answered keeps its bounds
                del member["maxLength"]
    for methods in document["paths"].values():
        for operation in methods.values():
            del operation["security"]
    schema: Any = schemathesis.openapi.from_dict(document)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len({operation.path for operation in operations}) == len(operations)
    return {operation.path: operation for operation in operations}


def _statuses(operation: Any, url: str, token: str, *, examples: int) -> set[int]:
    """Send calls made from the document, valid and faulty ones; the statuses of the answers."""
    statuses: set[int] = set()
    cases = operation.as_strategy(GenerationMode.POSITIVE)
    cases |= operation.as_strategy(GenerationMode.NEGATIVE)

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def send(case: Any) -> None:
        response = case.call(
            base_url=url, session=session, headers={"Authorization": f"Bearer {token}"}
        )
        case.validate_response(response, checks=CHECKS)
        assert REQUEST_ID.fullmatch(response.headers["x-request-id"][0])
        statuses.add(response.status_code)

    with requests.Session() as session:
        send()
    return statuses


def _body_of(operation: Any) -> str:
    """What the document says of the body."""
    return str([part.definition for part in operation.body])


def test_calls_are_made_of_every_operation_of_the_document() -> None:
    assert _operations().keys() == set(PATHS)


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_to_a_read_write_credential_is_described(
    path: str, live: OverHttp, server: Server, agent: Actor
) -> None:
    operation = _operations()[path]
    asked = [at for at in ALL if at.path == path]
    around = () if asked[0].is_write else WRITES  # a read finds something of each kind
    for at in (*around, *asked):
        assert at.send(live, a_body(at, agent)).status == at.made

    statuses = _statuses(operation, server.url, live.default_token, examples=EXAMPLES)

    # Evidence may claim a trust above the credential's cap.
    assert statuses <= {200, 201, 400, 404, 409} | (
        {403} if "trust" in _body_of(operation) else set()
    )
    takes_anything = operation.method == "get" and not operation.query
    assert len(statuses) > 1 or takes_anything or path in RULED_BETWEEN_FIELDS
    assert_invariants()


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_to_a_read_only_credential_is_described(
    path: str, live: OverHttp, server: Server, agent: Actor, agent_ro_token: str
) -> None:
    operation = _operations()[path]
    asked = [at for at in ALL if at.path == path]
    for at in asked:
        assert at.send(live, a_body(at, agent)).status == at.made

    is_write = asked[0].is_write
    examples = EXAMPLES_OF_A_REFUSAL if is_write else EXAMPLES
    statuses = _statuses(operation, server.url, agent_ro_token, examples=examples)

    assert statuses <= ({403} if is_write else {200, 400, 404})
