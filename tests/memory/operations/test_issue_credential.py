"""issue_credential: the token is shown once, its digest is kept."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from memory.errors import Denied, FieldInvalid
from memory.models import Credential
from memory.operations.issue_credential import issue_credential
from memory.tokens import digest_of, public_id_of
from memory.vocabulary import Access, Trust
from tests.factories import fresh
from tests.observed import Entry, audit_of, changed_tables, content, refused

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def issue(actor: Actor, **said: Any) -> Any:
    return issue_credential(actor=actor, **{"name": "bot", "access": Access.READ_WRITE, **said})


def test_a_credential_holds_the_digest_and_never_the_token(operator: Actor) -> None:
    receipt = issue(operator, max_trust=Trust.VERIFIED, may_erase=True)
    row = Credential.objects.get(id=receipt.id)
    assert (row.project_id, row.name, row.access) == (operator.project_id, "bot", "read_write")
    assert (row.max_trust, row.may_erase) == (Trust.VERIFIED, True)
    assert row.public_id == receipt.public_id == public_id_of(receipt.token)
    assert bytes(row.digest) == digest_of(receipt.token)
    assert (row.created_by_kind, row.created_by_id) == ("user", operator.id)
    assert row.last_used_at is row.revoked_at is None
    secret = receipt.token.rpartition("_")[2]
    assert all(secret not in text for rows in content().values() for text in rows)
    assert receipt.token not in repr(receipt)


def test_it_lives_for_ninety_days_unless_told_otherwise(operator: Actor) -> None:
    for days, said in ((90, {}), (1, {"days": 1}), (366, {"days": 366})):
        row = Credential.objects.get(id=issue(fresh(operator), **said).id)
        assert row.expires_at is not None
        left = row.expires_at - row.created_at
        assert abs(left - timedelta(days=days)) < timedelta(seconds=10)


def test_it_may_little_unless_told_otherwise(operator: Actor) -> None:
    row = Credential.objects.get(id=issue(operator).id)
    assert (row.max_trust, row.may_erase) == (Trust.ASSERTED, False)


def test_it_is_audited_once_and_writes_one_row(operator: Actor) -> None:
    assert changed_tables(lambda: issue(operator)) == {"memory_credential": (0, 1)}
    assert audit_of(operator) == [Entry("credential.create", "allowed", "", 1)]


def test_two_credentials_have_two_tokens(operator: Actor) -> None:
    assert issue(fresh(operator)).token != issue(fresh(operator)).token


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": " "}, "name"),
        ({"name": "a" * 121}, "name"),
        ({"days": 0}, "expires"),
        ({"days": 367}, "expires"),
        ({"access": Access.READ_ONLY, "may_erase": True}, "may_erase"),
    ],
    ids=["empty", "blank", "long", "none", "many", "eraser"],
)
def test_what_breaks_a_rule_is_refused(operator: Actor, said: dict[str, Any], field: str) -> None:
    with refused(operator, FieldInvalid, "credential.create") as raised:
        issue(operator, **said)
    assert raised.value.field == field


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert Credential.objects.get(id=issue(actor).id).project_id == actor.project_id


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "credential.create"):
        issue(actor)
