"""`docs/rcp.schema.json` says what the code does, and refuses what a schema can tell."""

from __future__ import annotations

import json
import re
from tomllib import loads
from typing import Any, Final

import pytest
from django.conf import settings
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from feedback.rcp import retrieve_params
from feedback.rcp.capabilities import MAX_K
from feedback.rcp.errors import Code
from feedback.rcp.feedback import SIGNALS
from feedback.rcp.filters import FIELDS, OPERATORS
from feedback.rcp.frames import CALLS_PER_BATCH
from feedback.vocabulary import SESSION_MINUTES, SESSIONS_PER_CREDENTIAL
from memory.vocabulary import VERSION, RecordKind, Relation, Trust
from tests.rcp import a_call, validator

ROOT: Final = settings.BASE_DIR


@pytest.fixture(scope="module")
def definitions() -> dict[str, Any]:
    """The definitions of the document."""
    document = json.loads((ROOT / "docs" / "rcp.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(document)
    found: dict[str, Any] = document["$defs"]
    return found


def test_it_has_the_vocabularies_of_the_code(definitions: dict[str, Any]) -> None:
    meta = definitions["HitMeta"]["properties"]

    assert definitions["Error"]["properties"]["code"]["enum"] == [int(code) for code in Code]
    assert definitions["Operator"]["enum"] == list(OPERATORS)
    assert meta["kind"]["enum"] == list(RecordKind.values)
    assert meta["trust"]["enum"] == [str(level.label) for level in Trust]
    assert meta["citations"]["items"]["properties"]["relation"]["enum"] == list(Relation.values)


def test_it_has_the_params_of_the_code(definitions: dict[str, Any]) -> None:
    params = definitions["RetrieveParams"]["properties"]

    assert params.keys() == retrieve_params.FIELDS.keys()
    assert params["k"]["default"] == retrieve_params.DEFAULT_K
    assert definitions["FeedbackParams"]["properties"]["signals"]["maxItems"] == SIGNALS
    assert definitions["RequestBatch"]["maxItems"] == CALLS_PER_BATCH
    assert definitions["RetrieveResult"]["properties"]["hits"]["maxItems"] == MAX_K
    candidates = definitions["RetrieveResult"]["properties"]["usage"]["properties"]["candidates"]
    assert candidates["maximum"] == retrieve_params.MAX_CANDIDATES


def test_it_forbids_no_unknown_name(definitions: dict[str, Any]) -> None:
    def closed(part: Any) -> bool:
        if isinstance(part, dict):
            return part.get("additionalProperties") is False or any(map(closed, part.values()))
        return isinstance(part, list) and any(map(closed, part))

    assert not closed(definitions)


@pytest.mark.parametrize(
    "frame",
    [
        {"id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {"code": -32600, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "x"}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32010, "message": "x", "data": {}}},
        {"jsonrpc": "2.0", "id": None, "result": {}},
        {"jsonrpc": "2.0", "id": 1, "result": []},
        [],
        [a_call("ping")] * 51,
        a_call("ping", [1]),
        a_call("initialize"),
        a_call("initialize", {"protocolVersion": 0}),
        a_call("retrieve", {"k": 3}),
        a_call("retrieve", {"query": "x", "k": 0}),
        a_call("retrieve", {"query": "x", "filter": {}}),
        a_call("retrieve", {"query": "x", "filter": {"and": []}}),
        a_call("retrieve", {"query": {"type": "text", "text": "x", "uri": "y"}}),
        a_call("feedback", {"signals": [{"used": True}]}),
        a_call("feedback", {"signals": [{"hitId": "x", "reward": 2}]}),
        a_call("feedback", {"signals": [{"hitId": "x"}] * 257}),
    ],
    ids=lambda frame: str(frame)[:80],
)
def test_it_refuses_what_is_no_frame(frame: Any) -> None:
    assert not validator().is_valid(frame)


def test_it_takes_notifications_of_any_kind() -> None:
    assert validator().is_valid({"jsonrpc": "2.0", "method": "x", "params": {"a": 1}, "new": 1})


def test_each_type_of_a_field_is_in_it(definitions: dict[str, Any]) -> None:
    fields = definitions["Capabilities"]["properties"]["filter"]["properties"]["fields"]

    assert {kind.value for _, kind in FIELDS.values()} == set(
        fields["additionalProperties"]["enum"]
    )


def test_the_version_is_that_of_the_project() -> None:
    project = loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["version"] == VERSION


def test_limits_of_sessions_are_documented() -> None:
    text = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")

    assert f"{SESSIONS_PER_CREDENTIAL} sessions" in text
    assert f"{SESSION_MINUTES} minutes" in text


def test_errors_md_has_the_codes_and_their_words() -> None:
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (-32\d{3}) \| ([^|]*) \|", text, re.MULTILINE))

    assert set(rows) == {str(int(code)) for code in Code}
    for code in Code:
        if code not in (Code.UNAUTHORIZED, Code.CONFLICT):  # of the domain, which has words
            assert f"`{code.name.lower()}`" in rows[str(int(code))]
