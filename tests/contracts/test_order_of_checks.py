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


#: Checks that are made before the body is read.
UNREAD: Final = ("route", "method", "credential", "rate", "access", "size", "headers", "key")


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
        is_posted = self.at.method == "POST"
        absent = {
            "access": not self.at.is_write,
            "size": not is_posted,
            "headers": not is_posted,
            "body": not self.at.form,
            "field": not self.at.form,
            "key": not self.at.view.takes_key,
            "stored key": not self.at.view.takes_key,
            "object": _about_nothing(self.at, self.body) is None,
        }
        return [name for name in FAULTS if not absent.get(name)]

    def __call__(self, *faults: str) -> Answer:
        """The answer to a call with these faults."""
        key = self._used_key() if "stored key" in faults else None
        values = self._values(faults)
        if key:
            values = self.at.keyed(values, key)
        token = self.read_only if "access" in faults else ""
        if "rate" in faults:
            for limit in (rates.reads, rates.writes):
                limit.take = lambda *_: 7  # type: ignore[method-assign]
        path, _, query = self.at.address(values).partition("?")
        return self.call(
            f"{path}{'/x/' if 'route' in faults else ''}?{query}",
            b"{" * (BODY_BYTES + 1) if "size" in faults else self.at.body(values),
            method="PUT" if "method" in faults else self.at.method,
            token=None if "credential" in faults else token,
            headers=self._headers(faults, key),
        )

    def _headers(self, faults: Sequence[str], key: str | None) -> dict[str, str]:
        headers = {}
        if key:
            headers["Idempotency-Key"] = key
        if "key" in faults:
            headers["Idempotency-Key"] = "two words"
        if "headers" in faults:
            headers["Content-Encoding"] = "gzip"
        return headers

    def _values(self, faults: Sequence[str]) -> dict[str, Any]:
        values = self.body
        if "object" in faults:
            values = _about_nothing(self.at, values) or values
        if "field" in faults:
            values = {**values, self._first_field(): 0}
        return {**values, "unknown": 1} if "body" in faults else values

    def _first_field(self) -> str:
        """A field that it takes, of those that are sent the first one."""
        sent = [name for name in self.body if name in self.at.members]
        return next(iter(sent), "limit")

    def _used_key(self) -> str:
        key = str(uuid4())
        reports = {"record_id": _any_record(self.call), "note": "Not so."}
        used = self.call("/v1/feedback/record", reports, headers={"Idempotency-Key": key})
        assert used.status == 200
        return key


def _any_record(call: InProcess) -> str:
    found: str = call("/v1/records/list", {}).body["records"][0]["id"]
    return found


def _about_nothing(at: Route, body: dict[str, Any]) -> dict[str, Any] | None:
    """The same values about something that does not exist; None where nothing is looked up."""
    absent = str(uuid4())
    if at.ids:
        [name] = at.ids
        return {**body, name: f"{body[name].partition('_')[0]}_{uuid4().hex}"}
    if at.name.endswith("/evidence"):
        return {**body, "context_token": f"ctx_{uuid4().hex}"}
    if "claims" in body:
        cited = {"observation_id": f"obs_{uuid4().hex}", "relation": "supports"}
        return {**body, "claims": [{**body["claims"][0], "sources": [cited]}]}
    if at.name.endswith(("correct", "retract")):
        return {"records": [{**body["records"][0], "id": absent}]}
    name = "record_id" if "record_id" in body else "id"
    return {**body, name: absent} if name in body else None


@pytest.fixture
def spoiler(
    request: pytest.FixtureRequest, call: InProcess, agent_ro_token: str, agent: Actor
) -> Spoiler:
    """Calls of the route that the test is about."""
    a_record(agent)
    return Spoiler(request.param, call, agent_ro_token, a_body(request.param, agent))


def _expected(spoiler: Spoiler, fault: str) -> tuple[int, str]:
    at = spoiler.at
    status, code = FAULTS[fault]
    if fault == "key":  # the header is looked at before the form of the body is known
        return at.refusal_unread(status, at.view().invalid_code)
    if fault == "field":
        code = at.invalid_code_of(spoiler._first_field())
    return at.refusal_unread(status, code) if fault in UNREAD else at.refusal(status, code)


@pytest.mark.parametrize("spoiler", ALL, ids=str, indirect=True)
def test_an_earlier_failure_wins_over_every_later_one(
    spoiler: Spoiler, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 0

    for name in ("reads", "writes"):
        monkeypatch.setattr(rates, name, rates.Rate())
    for fault in spoiler.faults:
        assert spoiler(fault).refusal == _expected(spoiler, fault), fault
        _reset(monkeypatch)
    for earlier, later in combinations(spoiler.faults, 2):
        answer = spoiler(earlier, later)
        assert answer.refusal == _expected(spoiler, earlier), (earlier, later)
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

    assert told == [_expected(spoiler, fault) for fault in spoiler.faults]


@pytest.mark.parametrize("at", KEYED, ids=str)
def test_a_refused_call_leaves_no_key(
    at: Route, call: InProcess, agent: Actor, agent_ro_token: str
) -> None:
    key = str(uuid4())
    body, headers = at.keyed(a_body(at, agent), key), {"Idempotency-Key": key}

    assert at.send(call, {**body, "unknown": 1}, headers=headers).status == 400
    assert at.send(call, body, headers=headers, token=agent_ro_token).status == 403
    absent = _about_nothing(at, body)
    if absent:
        assert at.send(call, absent, headers=headers).status == 404
    assert at.is_replay(at.send(call, body, headers=headers)) is False
