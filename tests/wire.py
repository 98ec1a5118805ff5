"""Calling `/v1` as a client does: through Django's test client, or over a socket."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import pytest
from django.test import Client
from django.test.client import ClientHandler

from memory.actor import Actor
from memory.http import rates
from memory.models import AuditEntry
from memory.operations.issue_credential import CredentialReceipt, issue_credential
from memory.vocabulary import Access
from tests.factories import a_project, fresh
from tests.personas import client as acting_client

TIMEOUT_SECONDS: Final = 30
#: Of all clients here, which would else each build the middleware anew.
HANDLER: Final = ClientHandler(enforce_csrf_checks=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    content: bytes

    @property
    def body(self) -> Any:
        """The JSON value."""
        return json.loads(self.content)

    @property
    def code(self) -> str:
        """The code of a refusal, empty for a success."""
        return str(self.body["error"]["code"]) if self.status >= 400 else ""

    @property
    def message(self) -> str:
        """The message of a refusal."""
        return str(self.body["error"]["message"])

    @property
    def refusal(self) -> tuple[int, str]:
        """Status and code."""
        return self.status, self.code

    @property
    def body_says_replayed(self) -> bool:
        """Whether the answer says so: at its top, or of the upper-case family in `meta`."""
        body = self.body
        replayed: bool = (body["meta"] if "data" in body else body)["replayed"]
        return replayed

    @property
    def request_id(self) -> str:
        """The id that the server gave the request."""
        return self.headers["x-request-id"]

    @property
    def nameless(self) -> tuple[int, dict[str, str], bytes]:
        """Everything but the request id and the time."""
        headers = {
            name: value
            for name, value in self.headers.items()
            if name not in ("x-request-id", "date")
        }
        return self.status, headers, self.content.replace(self.request_id.encode(), b"")


def encoded(body: object) -> bytes:
    """The bytes of a body: JSON, unless they are bytes already."""
    return body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()


class Call(Protocol):
    """Send one request. A token of None sends no credential."""

    def __call__(
        self,
        path: str,
        body: object = ...,
        *,
        token: str | None = ...,
        method: str = ...,
        headers: dict[str, str] | None = ...,
        content_type: str = ...,
    ) -> Answer:
        """The answer."""


@dataclass(frozen=True, slots=True)
class InProcess:
    """Calls through the middleware and views, without a server."""

    default_token: str

    def __call__(
        self,
        path: str,
        body: object = b"{}",
        *,
        token: str | None = "",
        method: str = "POST",
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Answer:
        """Send one request."""
        sent = dict(headers or {})
        if token is not None:
            sent.setdefault("Authorization", f"Bearer {token or self.default_token}")
        client = Client(raise_request_exception=False)
        client.handler = HANDLER
        raw = encoded(body)
        environ: Any = {"CONTENT_LENGTH": str(len(raw))}  # Django leaves both out for no bytes
        environ["CONTENT_TYPE"] = content_type
        response = client.generic(method, path, raw, headers=sent, **environ)
        return Answer(
            response.status_code,
            {name.lower(): value for name, value in response.headers.items()},
            response.content,
        )


@dataclass(slots=True)
class OverHttp:
    """Calls a server, each on a connection of its own unless told to keep it."""

    host: str
    port: int
    default_token: str
    keeps_alive: bool = False
    timeout: float = TIMEOUT_SECONDS
    _kept: http.client.HTTPConnection | None = field(default=None, repr=False)

    def __call__(
        self,
        path: str,
        body: object = b"{}",
        *,
        token: str | None = "",
        method: str = "POST",
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Answer:
        """Send one request."""
        sent = {"Content-Type": content_type, **(headers or {})}
        if token is not None:
            sent.setdefault("Authorization", f"Bearer {token or self.default_token}")
        connection = self._kept or http.client.HTTPConnection(self.host, self.port, self.timeout)
        try:
            connection.request(method, path, encoded(body), sent)
            response = connection.getresponse()
            content = response.read()
            got = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, got, content)
        finally:
            if self.keeps_alive:
                self._kept = connection
            else:
                connection.close()

    def close(self) -> None:
        """Let go of a kept connection."""
        if self._kept:
            self._kept.close()
            self._kept = None


def entries_of(answer: Answer) -> list[tuple[str, str, str, int]]:
    """What a call left in the audit log, in order of operation."""
    rows = AuditEntry.objects.filter(request_id=answer.request_id).order_by("operation")
    assert {row.edge for row in rows} <= {"api"}
    return [(row.operation, row.outcome, row.code, row.magnitude) for row in rows]


@dataclass(frozen=True, slots=True)
class Foreigner:
    """A read-write credential of another project."""

    actor: Actor
    token: str


@pytest.fixture
def fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates and the audit budget count from nothing in each test."""
    for name in ("reads", "writes", "failed_authentications"):
        monkeypatch.setattr(rates, name, rates.Rate())
    monkeypatch.setattr(rates, "audited_refusals", rates.AuditBudget())


@pytest.fixture
def call(agent_token: str, fresh_limits: None) -> InProcess:  # noqa: ARG001
    """Call as the read-write agent."""
    return InProcess(agent_token)


@pytest.fixture
def call_ro(agent_ro_token: str, fresh_limits: None) -> InProcess:  # noqa: ARG001
    """Call as the read-only agent."""
    return InProcess(agent_ro_token)


@pytest.fixture
def foreigner(operator: Actor) -> Foreigner:  # noqa: ARG001 - `demo` exists beside their project
    """An agent of another project."""
    elsewhere = a_project("far-away")[1]
    receipt: CredentialReceipt = issue_credential(
        actor=fresh(elsewhere), name="stranger", access=Access.READ_WRITE
    )
    return Foreigner(
        acting_client(elsewhere, receipt, "stranger", Access.READ_WRITE), receipt.token
    )
