"""Who gets in: every route, method and persona, and one 401 for whoever does not."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

import pytest
from django.conf import LazySettings, settings
from django.db import connection
from django.test import Client

from memory import tokens
from memory.actor import Actor
from memory.models import AuditEntry
from memory.operations.issue_credential import CredentialReceipt
from memory.operations.revoke_credential import revoke_credential
from tests.factories import a_record, a_report, fresh
from tests.observed import content
from tests.personas import account
from tests.statements import watched
from tests.valid_calls import ALL, WRITES, Route, a_body
from tests.wire import Answer, Foreigner, InProcess, entries_of

OTHER_METHODS: Final = ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "X")
ROLES: Final = ("reader", "reviewer", "auditor", "owner", "outsider", "nobody")


def _row(*, agent_ro: int, foreigner: int, agent: int = 200) -> dict[str, int]:
    """A valid call of a route by credential; everybody else stands outside."""
    outside = ("nobody at all", "revoked", "expired", "suspended")
    refused = {**dict.fromkeys(outside, 401), **dict.fromkeys(ROLES, 401)}
    return {"agent": agent, "agent_ro": agent_ro, "foreigner": foreigner, **refused}


#: What a valid call about an object of the project `demo` is answered with.
MATRIX: Final[dict[str, dict[str, int]]] = {
    "memory:record-assert": _row(agent_ro=403, foreigner=200),
    "memory:record-correct": _row(agent_ro=403, foreigner=404),
    "memory:record-retract": _row(agent_ro=403, foreigner=404),
    "memory:record-list": _row(agent_ro=200, foreigner=200),
    "memory:record-get": _row(agent_ro=200, foreigner=404),
    "memory:record-history": _row(agent_ro=200, foreigner=404),
    "memory:citation-resolve": _row(agent_ro=200, foreigner=404),
    "memory:source-observe/turn": _row(agent=201, agent_ro=403, foreigner=201),
    "memory:source-observe/evidence": _row(agent=201, agent_ro=403, foreigner=201),
    "memory:freshness": _row(agent_ro=200, foreigner=200),
    "memory:context-assemble": _row(agent_ro=200, foreigner=200),
    "memory:record-consolidate": _row(agent=201, agent_ro=403, foreigner=404),
    "memory:record-evidence": _row(agent_ro=200, foreigner=404),
    "feedback:report-record": _row(agent_ro=403, foreigner=404),
    "feedback:report-list": _row(agent_ro=200, foreigner=200),
    "feedback:report-promote": _row(agent_ro=403, foreigner=404),
    "feedback:recall": _row(agent_ro=200, foreigner=200),
    "feedback:context-compile": _row(agent_ro=200, foreigner=200),
    "feedback:context-list": _row(agent_ro=200, foreigner=200),
    "feedback:outcome-list": _row(agent_ro=200, foreigner=200),
    "feedback:context-get": _row(agent_ro=200, foreigner=404),
    "feedback:outcome-record": _row(agent=201, agent_ro=403, foreigner=404),
    "feedback:outcome-summary": _row(agent_ro=200, foreigner=404),
    "feedback:signal-list": _row(agent_ro=200, foreigner=200),
    "feedback:signal-summary": _row(agent_ro=200, foreigner=404),
}


def _end(what: str, credential: CredentialReceipt) -> None:
    """Make a credential useless, as time or the operator would."""
    statement = {
        "revoked": "UPDATE memory_credential SET revoked_at = now() WHERE id = %s",
        "expired": "UPDATE memory_credential SET expires_at = now() WHERE id = %s",
        "suspended": "UPDATE memory_project SET suspended_at = now()"
        " WHERE id = (SELECT project_id FROM memory_credential WHERE id = %s)",
    }[what]
    with connection.cursor() as cursor:
        cursor.execute(statement, [credential.id])


@pytest.fixture
def no_rate(settings: LazySettings) -> None:
    """As many failed authentications as a test likes."""
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 0


@dataclass(frozen=True)
class Persona:
    """Calls as somebody: with a token, or signed in at the console."""

    name: str
    token: str | None
    session: str = ""

    def __call__(
        self, call: InProcess, at: Route, body: dict[str, Any], method: str | None = None
    ) -> Answer:
        """Call a route."""
        headers = {"Cookie": self.session} if self.session else {}
        verb = method or at.method
        return at.send(call, body, token=self.token, headers=headers, method=verb)


def _signed_in(person: Actor) -> str:
    browser = Client()
    browser.force_login(account(person))
    return f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}"


@pytest.fixture
def personas(
    request: pytest.FixtureRequest, agent_token: str, agent_ro_token: str, foreigner: Foreigner
) -> list[Persona]:
    """Everybody whose credential works, those without, and those at the console."""
    people = [Persona(role, None, _signed_in(request.getfixturevalue(role))) for role in ROLES]
    return [
        Persona("agent", agent_token),
        Persona("agent_ro", agent_ro_token),
        Persona("foreigner", foreigner.token),
        Persona("nobody at all", None),
        *people,
    ]


def test_every_route_has_a_row() -> None:
    assert [at.name for at in ALL] == list(MATRIX)


@pytest.mark.usefixtures("no_rate")
def test_each_persona_gets_what_the_matrix_says(
    personas: list[Persona], call: InProcess, agent: Actor
) -> None:
    for at in ALL:
        statuses = {who.name: who(call, at, a_body(at, agent)).status for who in personas}

        assert statuses == {who.name: MATRIX[at.name][who.name] for who in personas}, at


@pytest.mark.usefixtures("no_rate")
@pytest.mark.parametrize("what", ["revoked", "expired", "suspended"])
def test_a_credential_that_ended_is_refused_at_the_next_request(
    what: str, call: InProcess, agent: Actor, agent_credential: CredentialReceipt
) -> None:
    bodies = [(at, a_body(at, agent)) for at in ALL]
    assert call("/v1/records/list").status == 200
    _end(what, agent_credential)

    statuses = {at.name: at.send(call, body).status for at, body in bodies}

    assert statuses == {name: row[what] for name, row in MATRIX.items()}


def test_revoking_works_at_once(
    call: InProcess, operator: Actor, agent_credential: CredentialReceipt
) -> None:
    assert call("/v1/records/list").status == 200
    revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)

    assert call("/v1/records/list").refusal == (401, "unauthenticated")


def test_other_methods_are_refused_to_everybody_alike(
    personas: list[Persona], call: InProcess, agent: Actor
) -> None:
    for at in ALL:
        body = a_body(at, agent)
        others = {*OTHER_METHODS, "POST"} - set(at.allow.split(", "))
        for method in sorted(others):
            answers = [who(call, at, body, method) for who in personas]
            assert {answer.status for answer in answers} == {405}, (at, method)
            assert {answer.headers["allow"] for answer in answers} == {at.allow}
            if method != "HEAD":
                assert {answer.refusal for answer in answers} == {
                    at.refusal_unread(405, "method_not_allowed")
                }
        overridden = at.send(
            call,
            body,
            method="GET" if at.method == "POST" else "POST",
            headers={"X-HTTP-Method-Override": at.method, "X-Method": at.method},
        )
        assert overridden.status == 405, at
        assert not AuditEntry.objects.filter(edge="api", request_id=overridden.request_id).exists()


def _wrong_tokens(good: str) -> dict[str, dict[str, str]]:
    """Headers that bring no valid credential, by what is wrong."""
    unknown = tokens.new_token()
    other_secret = good[:16] + unknown[16:]
    return {
        "no header": {},
        "nothing": {"Authorization": ""},
        "a scheme alone": {"Authorization": "Bearer"},
        "a scheme and a space": {"Authorization": "Bearer "},
        "another scheme": {"Authorization": f"Basic {good}"},
        "no scheme": {"Authorization": good},
        "a token twice": {"Authorization": f"Bearer {good} {good}"},
        "two headers": {"Authorization": f"Bearer {good},Bearer {good}"},
        "a tab": {"Authorization": f"Bearer\t{good}"},
        "quotes": {"Authorization": f'Bearer "{good}"'},
        "capitals": {"Authorization": f"Bearer {good.upper()}"},
        "one more character": {"Authorization": f"Bearer {good}x"},
        "half of it": {"Authorization": f"Bearer {good[:30]}"},
        "Latin-1": {"Authorization": f"Bearer {good}\xe9"},
        "an unknown one": {"Authorization": f"Bearer {unknown}"},
        "another checksum": {
            "Authorization": f"Bearer {good[:-1]}{'A' if good[-1] != 'A' else 'B'}"
        },
        "another secret": {"Authorization": f"Bearer {other_secret}"},
        "100 kB": {"Authorization": "Bearer " + "x" * 100_000},
        "another header": {"X-Authorization": f"Bearer {good}", "Proxy-Authorization": good},
    }


@pytest.mark.usefixtures("no_rate")
def test_there_is_one_401_for_all_causes(call: InProcess, agent: Actor, agent_token: str) -> None:
    answers = {
        cause: call("/v1/records/list", token=None, headers=headers)
        for cause, headers in _wrong_tokens(agent_token).items()
    }
    for what in ("expired", "revoked", "suspended"):
        receipt = CredentialReceipt(agent.id, "", "", None)  # type: ignore[arg-type]
        _end(what, receipt)
        answers[what] = call("/v1/records/list")

    assert {cause: answer.nameless for cause, answer in answers.items()} == dict.fromkeys(
        answers, answers["no header"].nameless
    )
    assert answers["no header"].refusal == (401, "unauthenticated")
    assert answers["no header"].headers["www-authenticate"] == "Bearer"
    assert {tuple(entries_of(answer)) for answer in answers.values()} == {
        (("authenticate", "refused", "unauthenticated", 0),)
    }


def test_the_scheme_may_be_written_in_any_case(call: InProcess, agent_token: str) -> None:
    for scheme in ("bearer", "BEARER", "bEaReR", "Bearer "):
        headers = {"Authorization": f"{scheme} {agent_token}"}
        assert call("/v1/records/list", token=None, headers=headers).status == 200


@pytest.mark.usefixtures("no_rate")
def test_a_typing_error_in_a_token_asks_no_credential(call: InProcess, agent_token: str) -> None:
    alphabet = string.ascii_letters + string.digits
    for place in range(len("errata_"), len(agent_token)):
        if agent_token[place] == "_":
            continue
        other = next(mark for mark in alphabet if mark != agent_token[place])
        wrong = agent_token[:place] + other + agent_token[place + 1 :]
        with watched() as statements:
            answer = call("/v1/records/list", token=wrong)
        assert answer.refusal == (401, "unauthenticated")
        assert "memory_credential" not in str(statements)


def test_a_token_elsewhere_is_not_looked_at(call: InProcess, agent_token: str) -> None:
    places: list[dict[str, Any]] = [
        {"path": f"/v1/records/list?access_token={agent_token}&token={agent_token}"},
        {"headers": {"Cookie": f"Authorization=Bearer {agent_token}; token={agent_token}"}},
        {"body": {"token": agent_token}},
        {"headers": {"X-Api-Key": agent_token, "Token": agent_token}},
    ]
    for place in places:
        answer = call(**{"path": "/v1/records/list", "token": None, **place})
        assert answer.refusal == (401, "unauthenticated")


def test_a_project_cannot_be_named_by_a_header(
    call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    a_record(foreigner.actor)
    headers = {"X-Project": str(foreigner.actor.project_id), "X-Tenant": "far-away"}

    assert call("/v1/records/list", {}, headers=headers).body == {"records": []}
    assert AuditEntry.objects.filter(edge="api", actor_id=agent.id).count() == 1


@pytest.mark.parametrize("at", WRITES, ids=str)
def test_a_read_only_credential_is_refused_before_its_body_is_read(
    at: Route, call_ro: InProcess, agent: Actor
) -> None:
    body = a_body(at, agent)
    absent = str(uuid4())
    missing = {**body, "id": absent, "record_id": absent, **dict.fromkeys(at.ids, absent)}
    call_ro("/v1/records/list")  # which notes that the credential is in use
    before = content()

    answers = [
        at.send(call_ro, body, raw=raw)
        for raw in (b"", b"{", b"\xff" * 100, b"x" * 2_000_000, b'{"unknown":1}')
    ]
    answers += [at.send(call_ro, values) for values in (body, missing)]
    answers.append(at.send(call_ro, body, content_type="text/plain"))

    assert {answer.refusal for answer in answers} == {at.refusal_unread(403, "forbidden")}
    assert {answer.nameless[2] for answer in answers} == {answers[0].nameless[2]}
    assert {answer.message for answer in answers} == {"This credential may not do that."}
    for answer in answers:
        assert entries_of(answer) == [(at.view.operation_name, "refused", "forbidden", 0)]
    assert content() == before


def test_a_read_only_credential_sees_what_others_wrote(call_ro: InProcess, agent: Actor) -> None:
    report = a_report(agent)

    assert call_ro("/v1/feedback/list", {}).body["feedback"][0]["id"] == str(report.id)
    assert call_ro("/v1/records/get", {"id": str(report.record_id)}).status == 200


def test_a_filter_of_any_value_shows_no_more_than_without(
    call: InProcess, agent: Actor, foreigner: Foreigner
) -> None:
    own, foreign = a_report(agent), a_report(foreigner.actor)

    for record_id, expected in ((own.record_id, [str(own.id)]), (foreign.record_id, [])):
        found = call("/v1/feedback/list", {"record_id": str(record_id)}).body["feedback"]
        assert [row["id"] for row in found] == expected
    for name in ("subject", "data_subject_id", "text", "predicate"):
        for value in (
            "*",
            "%",
            "_",
            "demo",
            "quagga",
            str(foreigner.actor.project_id),
            ".",
            "a' --",
        ):
            answer = call("/v1/records/list", {name: value})
            ids = {row["id"] for row in answer.body.get("records", [])}
            assert ids <= {str(own.record_id)}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:x", "", "a b", "[::1", "localhost@x"])
def test_a_forged_host_is_refused(host: str, call: InProcess) -> None:
    assert call("/v1/records/list", headers={"Host": host}).refusal == (400, "invalid_body")


def test_forwarded_headers_change_nothing(call: InProcess, settings: LazySettings) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 60
    forged = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Port": "1",
        "Forwarded": "for=9.9.9.9;host=evil.example",
        "X-Request-Id": "req_" + "0" * 32,
        "Origin": "https://evil.example",
    }
    answer = call("/v1/records/list", headers=forged)
    assert answer.status == 200
    assert answer.request_id != "req_" + "0" * 32
    assert not [name for name in answer.headers if name.startswith("access-control")]

    statuses = [
        call("/v1/records/list", token=None, headers={"X-Forwarded-For": f"9.9.9.{n}"}).status
        for n in range(3)
    ]
    assert statuses == [401, 429, 429]
