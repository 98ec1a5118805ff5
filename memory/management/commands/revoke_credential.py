"""`revoke_credential ID`: a token that opens nothing any more."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.core.management.base import CommandError
from typing_extensions import override

from memory.http.fields import time_text
from memory.management.operator import OperatorCommand, operator_in
from memory.operations.revoke_credential import revoke_credential
from memory.queries.credentials import find_project_of

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(OperatorCommand):
    """Revoke a credential."""

    help = "Revoke a credential. Its next request is refused, for good."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the credential's id."""
        super().add_arguments(parser)
        parser.add_argument("id", type=_uuid, help="Id that issue_credential showed.")

    @override
    def act(self, **options: Any) -> None:
        """Revoke it."""
        project_id = find_project_of(options["id"])
        if project_id is None:
            raise CommandError("There is no credential of that id.")
        receipt = revoke_credential(actor=operator_in(project_id), credential_id=options["id"])
        was = "is revoked" if receipt.is_new else "was revoked before"
        self.answer(
            f"Credential {receipt.id} {was}.",
            as_json=options["as_json"],
            id=receipt.id,
            name=receipt.name,
            revoked_at=time_text(receipt.revoked_at),
            new=receipt.is_new,
        )


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ArgumentTypeError("must be a UUID") from None
