"""revoke_credential: closed for good, at once, and only in one's own project."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from memory.errors import Denied, NotFound
from memory.models import Credential
from memory.operations.revoke_credential import revoke_credential
from memory.queries.credentials import find_credential
from tests.factories import a_project, fresh
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.operations.issue_credential import CredentialReceipt

pytestmark = pytest.mark.django_db


def test_a_revoked_credential_is_dead_at_once(
    operator: Actor, agent_credential: CredentialReceipt
) -> None:
    found = find_credential(agent_credential.public_id)
    assert found is not None
    assert found.is_live
    receipt = revoke_credential(actor=operator, credential_id=agent_credential.id)
    dead = find_credential(agent_credential.public_id)
    assert dead is not None
    assert not dead.is_live
    row = Credential.objects.get(id=agent_credential.id)
    assert (receipt.id, receipt.name, receipt.is_new) == (row.id, "agent", True)
    assert receipt.revoked_at == row.revoked_at


def test_it_is_audited_once(operator: Actor, agent_credential: CredentialReceipt) -> None:
    changes = changed_tables(
        lambda: revoke_credential(actor=operator, credential_id=agent_credential.id)
    )
    assert changes == {"memory_credential": (1, 1)}
    assert audit_of(operator) == [Entry("credential.revoke", "allowed", "", 1)]


def test_revoking_again_changes_nothing(
    operator: Actor, agent_credential: CredentialReceipt
) -> None:
    first = revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)
    assert (
        changed_tables(lambda: revoke_credential(actor=operator, credential_id=agent_credential.id))
        == {}
    )
    again = revoke_credential(actor=fresh(operator), credential_id=agent_credential.id)
    assert (again.revoked_at, again.is_new) == (first.revoked_at, False)
    assert audit_of(operator) == [Entry("credential.revoke", "allowed", "", 0)]


def test_what_is_not_there_is_not_found(operator: Actor) -> None:
    with refused(operator, NotFound, "credential.revoke"):
        revoke_credential(actor=operator, credential_id=uuid4())


def test_another_project_s_credential_is_not_found(agent_credential: CredentialReceipt) -> None:
    neighbour = a_project("elsewhere")[1]
    with refused(neighbour, NotFound, "credential.revoke"):
        revoke_credential(actor=neighbour, credential_id=agent_credential.id)


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(
    agent_credential: CredentialReceipt, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert revoke_credential(actor=actor, credential_id=agent_credential.id).is_new


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(
    agent_credential: CredentialReceipt, persona: str, request: pytest.FixtureRequest
) -> None:
    actor: Actor = request.getfixturevalue(persona)
    for credential_id in (agent_credential.id, uuid4()):
        again = fresh(actor)
        with refused(again, Denied, "credential.revoke"):
            revoke_credential(actor=again, credential_id=credential_id)
