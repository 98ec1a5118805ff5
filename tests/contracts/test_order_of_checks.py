"""The first failure ends the call, in the order of `contract.md` 0.5."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final
from uuid import uuid4

import pytest
from django.conf import LazySettings

from memory.actor import Actor
from memory.http import rates
from memory.http.strict_json import BODY_BYTES
from tests.factories import a_record
from tests.valid_calls import ALL, KEYED, WRITES, Route, a_body
from tests.wire import Answer, InProcess

#: What is wrong with a call, earlier checks first, and how it is refused.
FAULTS: Final[dict[str, tuple[int, str]]] = {
    "route": (404, "unknown_route"),
    "method": (405, "method_not_allowed"),
    "credential": (401, "unauthenticated"),
    "rate": (429, "rate_limited"),
    "access": (403, "forbidden"),
    "size": (413, "payload_too_large"),
    "headers": (400, "invalid_body"),
    "key": (400, ""),
    "body": (400, "invalid_body"),
    "field": (400, ""),
    "stored key": (409, "idempotency_conflict"),
    "object": (404, "not_found"),
}


class Spoiler:
    """Makes calls of one route with several faults at once."""

    def __init__(self, at: Route, call: InProcess, read_only: str, body: dict[str, Any]) -> None:
        self.at = at
        self.call = call
        self.read_only = read_only
        self.body = body

    @property
    def faults(self) -> list[str]:
        """What can be wrong with a call of this route."""
        has_id = "id" in str(self.body)
        absent = {
            "access": not self.at.is_write,
            "key": not self.at.view.takes_key,
            "stored key": not self.at.view.takes_key,
            "object": not has_id or self.at.name.endswith(("assert", "list")),
        }
        return [name for name in FAULTS if not absent.get(name)]

    def __call__(self, *faults: str) -> Answer:
        """The answer to a call with these faults."""
        headers, body = self._headers(faults), self._body(faults)
        token = self.read_only if "access" in faults else ""
        if "rate" in faults:
            for limit in (rates.reads, rates.writes):
                limit.take = lambda *_: 7  # type: ignore[method-assign]
        return self.call(
            self.at.path + ("/" if "route" in faults else ""),
            body,
            method="PUT" if "method" in faults else "POST",
            token=None if "credential" in faults else token,
            headers=headers,
        )

    def _headers(self, faults: Sequence[str]) -> dict[str, str]:
        headers = {}
        if "stored key" in faults:
            headers["Idempotency-Key"] = self._used_key()
        if "key" in faults:
            headers["Idempotency-Key"] = "two words"
        if "headers" in faults:
            headers["Content-Encoding"] = "gzip"
        return headers

    def _body(self, faults: Sequence[str]) -> object:
        if "size" in faults:
            return b"{" * (BODY_BYTES + 1)
        body = _about_nothing(self.body) if "object" in faults else self.body
        if "field" in faults:
            body = {**body, next(iter(body), "limit"): 0}
        return {**body, "unknown": 1} if "body" in faults else body

    def _used_key(self) -> str:
        key = f"used-{uuid4()}"
        reports = {"record_id": _any_record(self.call), "note": "Not so."}
        used = self.call("/v1/feedback/record", reports, headers={"Idempotency-Key": key})
        assert used.status == 200
        return key


def _any_record(call: InProcess) -> str:
    found: str = call("/v1/records/list", {}).body["records"][0]["id"]
    return found


def _about_nothing(body: dict[str, Any]) -> dict[str, Any]:
    """The same body about something that does not exist."""
    if "records" in body:
        return {"records": [{**body["records"][0], "id": str(uuid4())}]}
    return {**body, ("record_id" if "record_id" in body else "id"): str(uuid4())}


@pytest.fixture
def spoiler(
    request: pytest.FixtureRequest, call: InProcess, agent_ro_token: str, agent: Actor
) -> Spoiler:
    """Calls of the route that the test is about."""
    a_record(agent)
    return Spoiler(request.param, call, agent_ro_token, a_body(request.param, agent))


def _expected(at: Route, fault: str) -> tuple[int, str]:
    status, code = FAULTS[fault]
    return status, code or at.invalid_code


@pytest.mark.parametrize("spoiler", ALL, ids=str, indirect=True)
def test_an_earlier_failure_wins_over_every_later_one(
    spoiler: Spoiler, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 0

    for name in ("reads", "writes"):
        monkeypatch.setattr(rates, name, rates.Rate())
    for fault in spoiler.faults:
        assert spoiler(fault).refusal == _expected(spoiler.at, fault), fault
        _reset(monkeypatch)
    for earlier, later in combinations(spoiler.faults, 2):
        answer = spoiler(earlier, later)
        assert answer.refusal == _expected(spoiler.at, earlier), (earlier, later)
        _reset(monkeypatch)


def _reset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("reads", "writes"):
        monkeypatch.setattr(rates, name, rates.Rate())


@pytest.mark.parametrize("spoiler", WRITES, ids=str, indirect=True)
def test_all_faults_at_once_are_told_from_the_first_on(
    spoiler: Spoiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = spoiler.faults
    told = []
    while left:
        told.append(spoiler(*left).refusal)
        left = left[1:]
        _reset(monkeypatch)

    assert told == [_expected(spoiler.at, fault) for fault in spoiler.faults]


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_a_refused_call_leaves_no_key(
    at: Route, call: InProcess, agent: Actor, agent_ro_token: str
) -> None:
    body = a_body(at, agent)
    key = {"Idempotency-Key": f"once-{uuid4()}"}

    assert call(at.path, {**body, "unknown": 1}, headers=key).status == 400
    assert call(at.path, body, headers=key, token=agent_ro_token).status == 403
    if not at.name.endswith("assert"):
        assert call(at.path, _about_nothing(body), headers=key).status == 404
    assert call(at.path, body, headers=key).body["replayed"] is False
