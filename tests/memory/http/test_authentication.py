"""One credential, one refusal for all causes, audited within a budget."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from memory.actor import Actor
from memory.errors import Unauthenticated, Unavailable
from memory.http import rates
from memory.http.authentication import authenticate
from memory.http.context import begin
from memory.http.errors import RateLimited
from memory.models import AuditEntry, Credential, Project
from memory.operations.revoke_credential import revoke_credential
from memory.tokens import new_token
from memory.vocabulary import Access, ActorKind, Edge, Trust
from tests.memory.http.conftest import Tenant


def _authenticate(header: str | None, **environ: Any) -> Actor:
    if header is not None:
        environ["HTTP_AUTHORIZATION"] = header
    request = RequestFactory().post("/v1/x", **environ)
    begin(request)
    return authenticate(request, Edge.API)


def _refused(header: str | None, **environ: Any) -> AuditEntry:
    with pytest.raises(Unauthenticated) as refused:
        _authenticate(header, **environ)
    assert refused.value.is_audited
    return AuditEntry.objects.filter(operation="authenticate").latest("recorded_at")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR "])
def test_a_credential_becomes_an_actor_of_its_project(tenant: Tenant, scheme: str) -> None:
    actor = _authenticate(f"{scheme} {tenant.read_write.token}")

    assert (actor.project_id, actor.id) == (tenant.id, tenant.read_write.id)
    assert (actor.kind, actor.edge) == (ActorKind.CREDENTIAL, Edge.API)
    assert (actor.access, actor.max_trust) == (Access.READ_WRITE, Trust.ASSERTED)
    assert actor.label == "read_write"
    assert actor.request_id.startswith("req_")
    assert not actor.roles


def test_a_good_credential_costs_one_statement_once_it_is_in_use(tenant: Tenant) -> None:
    _authenticate(f"Bearer {tenant.read_only.token}")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        _authenticate(f"Bearer {tenant.read_only.token}")

    assert len(queries) == 1


@pytest.mark.parametrize(
    "form",
    [
        None,
        "",
        "{token}",
        "Bearer",
        "Bearer ",
        "Basic {token}",
        "Token {token}",
        "Bearer {token}x",
        "Bearer {token} x",
        "Bearer {token},Bearer {token}",
        "Bearer {token}, Basic eDp5",
        "Bearer\t{token}",
        "Bearer \u00e9{token}",
        "B\u00e9arer {token}",
        "Bearer errata_",
    ],
)
def test_other_headers_are_refused_without_a_look_up(tenant: Tenant, form: str | None) -> None:
    header = None if form is None else form.format(token=tenant.read_write.token)

    with CaptureQueriesContext(connection) as queries:
        entry = _refused(header)

    assert not [query for query in queries if "memory_credential" in query["sql"]]
    assert (entry.code, entry.outcome, entry.project_id) == ("unauthenticated", "refused", None)
    assert (entry.actor_kind, entry.actor_id, entry.magnitude) == ("anonymous", None, 0)


def test_one_changed_character_is_refused_without_a_look_up(tenant: Tenant) -> None:
    token = tenant.read_write.token
    with CaptureQueriesContext(connection) as queries:
        _refused(f"Bearer {token[:30]}{'x' if token[30] != 'x' else 'y'}{token[31:]}")

    assert not [query for query in queries if "memory_credential" in query["sql"]]


@pytest.mark.usefixtures("tenant")
def test_an_unknown_credential_is_refused() -> None:
    entry = _refused(f"Bearer {new_token()}")

    assert entry.project_id is None


def test_a_wrong_secret_of_a_known_public_id_is_refused(tenant: Tenant) -> None:
    Credential.objects.filter(id=tenant.read_write.id).update(digest=bytes(range(32)))

    entry = _refused(f"Bearer {tenant.read_write.token}")

    assert entry.project_id == tenant.id
    assert entry.actor_kind == "anonymous"


def test_an_expired_credential_is_refused_by_the_clock_of_the_database(tenant: Tenant) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE memory_credential SET expires_at = now() - interval '1 second'")

    assert _refused(f"Bearer {tenant.read_write.token}").project_id == tenant.id


def test_a_revoked_credential_is_refused_at_once(tenant: Tenant) -> None:
    _authenticate(f"Bearer {tenant.read_write.token}")
    revoke_credential(actor=tenant.owner, credential_id=tenant.read_write.id)

    assert _refused(f"Bearer {tenant.read_write.token}").project_id == tenant.id
    assert _authenticate(f"Bearer {tenant.read_only.token}").id == tenant.read_only.id


def test_a_suspended_project_refuses_its_credentials(tenant: Tenant) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE memory_project SET suspended_at = now()")

    assert _refused(f"Bearer {tenant.read_write.token}").project_id == tenant.id
    assert Project.objects.count() == 1


def test_a_token_elsewhere_is_not_looked_at(tenant: Tenant) -> None:
    token = tenant.read_write.token

    _refused(None, QUERY_STRING=f"token={token}&access_token={token}", HTTP_COOKIE=f"token={token}")
    _refused(None, HTTP_X_API_KEY=token, HTTP_PROXY_AUTHORIZATION=f"Bearer {token}")


def test_use_is_noted_at_most_once_a_minute(tenant: Tenant) -> None:
    def last_used_at() -> Any:
        return Credential.objects.get(id=tenant.read_write.id).last_used_at

    assert last_used_at() is None
    _authenticate(f"Bearer {tenant.read_write.token}")
    first = last_used_at()
    assert first is not None
    _authenticate(f"Bearer {tenant.read_write.token}")
    assert last_used_at() == first


def test_too_many_failures_from_one_address_are_rate_limited(
    tenant: Tenant, settings: LazySettings
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 120
    for _ in range(2):
        _refused("Bearer x", REMOTE_ADDR="192.0.2.1")

    with pytest.raises(RateLimited) as limited:
        _authenticate("Bearer x", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR="198.51.100.7")

    assert limited.value.retry_after == 1
    assert limited.value.is_audited
    assert AuditEntry.objects.filter(operation="authenticate", code="rate_limited").count() == 1
    _refused("Bearer x", REMOTE_ADDR="192.0.2.2")
    actor = _authenticate(f"Bearer {tenant.read_write.token}", REMOTE_ADDR="192.0.2.1")
    assert actor.id == tenant.read_write.id


def test_good_credentials_take_nothing_from_an_address(
    tenant: Tenant, settings: LazySettings
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 60

    for _ in range(5):
        _authenticate(f"Bearer {tenant.read_write.token}")
    _refused("Bearer x")


@pytest.mark.django_db
def test_sixty_refusals_a_minute_are_audited_and_the_next_one_counts_the_others(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FAILED_AUTHENTICATIONS_PER_MINUTE = 0
    now = [0.0]
    monkeypatch.setattr(rates, "audited_refusals", rates.AuditBudget(lambda: now[0]))
    for _ in range(75):
        _refused("Bearer x")
    assert AuditEntry.objects.filter(operation="authenticate").count() == 60

    now[0] += 60
    entry = _refused("Bearer x")

    assert entry.magnitude == 15
    assert AuditEntry.objects.filter(operation="authenticate").count() == 61


@pytest.mark.django_db
def test_a_refusal_that_cannot_be_written_is_unavailable() -> None:
    def fail(*_: Any) -> Any:
        raise OperationalError("down")

    with connection.execute_wrapper(fail), pytest.raises(Unavailable):
        _authenticate("Bearer x")


def test_ids_of_requests_are_ours(tenant: Tenant) -> None:
    request = RequestFactory().post(
        "/v1/x",
        HTTP_AUTHORIZATION=f"Bearer {tenant.read_only.token}",
        HTTP_X_REQUEST_ID="req_mine",
    )

    actor = authenticate(request, Edge.RCP)

    assert actor.edge is Edge.RCP
    assert UUID(hex=actor.request_id.removeprefix("req_")).version == 4
    assert request.credential_public_id == tenant.read_only.public_id  # type: ignore[attr-defined]
