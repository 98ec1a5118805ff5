"""A small wire of its own for these tests: a project, credentials, and routes in `wire`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.test import Client

from memory.actor import Actor
from memory.http import rates
from memory.models import AuditEntry
from memory.operations.create_project import create_project
from memory.operations.issue_credential import CredentialReceipt, issue_credential
from memory.vocabulary import Access

Call = Callable[..., Any]


@dataclass(frozen=True)
class Tenant:
    """A project and the credentials of its agents."""

    id: UUID
    owner: Actor
    read_write: CredentialReceipt
    read_only: CredentialReceipt


@pytest.fixture
def tenant(db: None) -> Tenant:  # noqa: ARG001
    operator = Actor.of_operator(project_id=uuid4(), user_id=uuid4(), label="operator")
    project = create_project(actor=operator, name="wire")
    owner = Actor.of_operator(project_id=project.id, user_id=operator.id, label="operator")
    credentials = [
        issue_credential(actor=owner, name=access.value, access=access)
        for access in (Access.READ_WRITE, Access.READ_ONLY)
    ]
    return Tenant(project.id, owner, *credentials)


@pytest.fixture(autouse=True)
def fresh_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates and audit budget count from nothing in each test."""
    for name in ("reads", "writes", "failed_authentications"):
        monkeypatch.setattr(rates, name, rates.Rate())
    monkeypatch.setattr(rates, "audited_refusals", rates.AuditBudget())


@pytest.fixture
def wire(settings: LazySettings) -> None:
    settings.ROOT_URLCONF = "tests.memory.http.wire_urls"


@pytest.fixture
def call(wire: None, tenant: Tenant) -> Call:  # noqa: ARG001
    """Call a route with the read_write credential, or another token, and any header."""

    def post(
        path: str,
        body: bytes = b"{}",
        *,
        token: str | None = tenant.read_write.token,
        method: str = "POST",
        content_type: str = "application/json",
        **environ: Any,
    ) -> Any:
        if token is not None:
            environ.setdefault("HTTP_AUTHORIZATION", f"Bearer {token}")
        client = Client(raise_request_exception=False)
        return client.generic(method, path, body, content_type, **environ)

    return post


def entries() -> list[tuple[str, str, str, int]]:
    """Operation, outcome, code and magnitude of what the agents' calls left in the audit log."""
    rows = AuditEntry.objects.filter(edge="api").order_by("recorded_at", "id")
    return [(row.operation, row.outcome, row.code, row.magnitude) for row in rows]
