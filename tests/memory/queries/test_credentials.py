"""The look-up behind every authenticated call; whether a credential lives is the database's say."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.db.models import F

from memory.models import Credential, Project
from memory.queries.credentials import CredentialRow, find_credential, touch_credential
from memory.tokens import digest_of
from tests.statements import Failing, watched

if TYPE_CHECKING:
    from memory.operations.issue_credential import CredentialReceipt

pytestmark = pytest.mark.django_db


def found(receipt: CredentialReceipt) -> CredentialRow:
    row = find_credential(receipt.public_id)
    assert row is not None
    return row


def test_a_credential_is_found_by_its_public_id_in_one_statement(
    agent_credential: CredentialReceipt,
) -> None:
    with watched() as statements:
        row = found(agent_credential)
    assert len(statements) == 1
    assert (row.id, row.name, row.access, row.may_erase) == (
        agent_credential.id,
        "agent",
        "read_write",
        False,
    )
    assert row.digest == digest_of(agent_credential.token)
    assert row.is_live
    assert row.is_use_stale


def test_another_public_id_finds_nothing(agent_credential: CredentialReceipt) -> None:
    assert find_credential(agent_credential.public_id.swapcase()) is None
    assert find_credential("") is None


@pytest.mark.parametrize(("seconds", "is_live"), [(-1, False), (0, False), (60, True)])
def test_an_expired_credential_is_dead(
    agent_credential: CredentialReceipt, seconds: int, *, is_live: bool
) -> None:
    rows = Credential.objects.filter(id=agent_credential.id)
    rows.update(expires_at=F("created_at") + timedelta(seconds=seconds))
    assert found(agent_credential).is_live is is_live


def test_a_credential_without_an_end_lives(agent_credential: CredentialReceipt) -> None:
    Credential.objects.filter(id=agent_credential.id).update(expires_at=None)
    assert found(agent_credential).is_live


def test_a_revoked_credential_is_dead(agent_credential: CredentialReceipt) -> None:
    Credential.objects.filter(id=agent_credential.id).update(revoked_at=F("created_at"))
    assert not found(agent_credential).is_live


def test_a_credential_of_a_suspended_project_is_dead(agent_credential: CredentialReceipt) -> None:
    Project.objects.update(suspended_at=F("created_at"))
    assert not found(agent_credential).is_live


def test_its_use_is_noted_once_a_minute(agent_credential: CredentialReceipt) -> None:
    rows = Credential.objects.filter(id=agent_credential.id)
    touch_credential(agent_credential.id)
    first = rows.get().last_used_at
    assert first is not None
    touch_credential(agent_credential.id)
    assert rows.get().last_used_at == first
    assert not found(agent_credential).is_use_stale
    rows.update(last_used_at=first - timedelta(seconds=61))
    assert found(agent_credential).is_use_stale
    touch_credential(agent_credential.id)
    assert rows.get().last_used_at != first - timedelta(seconds=61)


def test_a_use_that_cannot_be_noted_fails_nothing(agent_credential: CredentialReceipt) -> None:
    from django.db import OperationalError, connection

    failing = Failing(1, is_sent=False, error=OperationalError("read-only"))
    with connection.execute_wrapper(failing):
        touch_credential(agent_credential.id)
    assert failing.has_failed
