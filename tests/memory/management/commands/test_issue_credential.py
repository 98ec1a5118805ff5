from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from memory.models import Credential
from memory.queries.credentials import find_credential
from memory.tokens import digest_of, public_id_of
from memory.vocabulary import Access, Trust
from tests.commands import answered, refusal_of, said

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def acme(db: None) -> None:  # noqa: ARG001
    said("create_project", "acme")


def test_the_token_is_shown_once_and_opens_the_door() -> None:
    output = said("issue_credential", "acme", "--name", "bot", "--access", "read_write")
    token = output.splitlines()[-1]
    row = find_credential(public_id_of(token) or "")
    assert row is not None
    assert row.digest == digest_of(token)
    assert (row.name, row.access, row.max_trust) == ("bot", Access.READ_WRITE, Trust.ASSERTED)
    assert row.is_live
    assert not row.may_erase
    assert output.startswith(f"Credential {row.id}, read_write until ")


def test_json_has_id_and_token_and_what_was_asked_for() -> None:
    answer = answered(
        *("issue_credential", "acme", "--name", "bot", "--access", "read_write"),
        *("--expires", "10", "--max-trust", "verified", "--may-erase"),
    )
    row = Credential.objects.get()
    assert bytes(row.digest) == digest_of(answer.pop("token"))
    assert row.expires_at is not None
    assert answer == {
        "id": str(row.id),
        "public_id": row.public_id,
        "project": "acme",
        "name": "bot",
        "access": "read_write",
        "max_trust": "verified",
        "may_erase": True,
        "expires_at": row.expires_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
    assert timedelta(days=9) < row.expires_at - row.created_at < timedelta(days=11)
    assert (row.max_trust, row.may_erase) == (Trust.VERIFIED, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--expires", "0"], 'Field "expires" must be 1 to 366 days.'),
        (["--expires", "367"], 'Field "expires" must be 1 to 366 days.'),
        (["--may-erase"], 'Field "may_erase" needs the access read_write.'),
        (["--name", " "], 'Field "name" must be 1 to 120 characters.'),
    ],
)
def test_what_breaks_a_rule_is_refused(options: list[str], message: str) -> None:
    asked = ["issue_credential", "acme", "--name", "bot", "--access", "read_only", *options]
    assert refusal_of(*asked) == message
    assert not Credential.objects.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--access", "read_only"], "required: --name"),
        (["--name", "bot"], "required: --access"),
        (["--name", "bot", "--access", "all"], "invalid choice: 'all'"),
        (["--name", "bot", "--access", "read_only", "--max-trust", "9"], "invalid choice: '9'"),
        (["--name", "bot", "--access", "read_only", "--expires", "soon"], "invalid int value"),
    ],
)
def test_what_cannot_be_parsed_is_refused(options: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        call_command("issue_credential", "acme", *options)
