from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from memory.queries.credentials import find_credential
from tests.commands import answered, refusal_of, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def bot() -> dict[str, str]:
    """A credential of the project acme."""
    said("create_project", "acme")
    return answered("issue_credential", "acme", "--name", "bot", "--access", "read_write")


def test_a_revoked_credential_is_dead(bot: dict[str, str]) -> None:
    assert said("revoke_credential", bot["id"]) == f"Credential {bot['id']} is revoked.\n"
    row = find_credential(bot["public_id"])
    assert row is not None
    assert not row.is_live


def test_revoking_again_keeps_the_first_time(bot: dict[str, str]) -> None:
    first = answered("revoke_credential", bot["id"])
    again = answered("revoke_credential", bot["id"])
    assert (first["id"], first["name"], first["new"]) == (bot["id"], "bot", True)
    assert again == first | {"new": False}
    assert said("revoke_credential", bot["id"]) == f"Credential {bot['id']} was revoked before.\n"


def test_an_unknown_id_is_refused() -> None:
    assert refusal_of("revoke_credential", uuid4()) == "There is no credential of that id."


def test_a_malformed_id_is_refused() -> None:
    with pytest.raises(CommandError, match="must be a UUID"):
        call_command("revoke_credential", "bot")
