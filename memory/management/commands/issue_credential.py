"""`issue_credential PROJECT`: a token for an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.http.fields import time_text
from memory.management.operator import OperatorCommand, operator_of
from memory.operations.issue_credential import DAYS_DEFAULT, DAYS_MOST, issue_credential
from memory.vocabulary import Access, Trust

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(OperatorCommand):
    """Issue a credential."""

    help = "Let an agent into a project. The token is shown once and kept nowhere."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the project, the name and what the credential may do."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument("--name", required=True, help="What the console calls the agent.")
        parser.add_argument(
            "--access", required=True, choices=Access.values, help="What it may do."
        )
        parser.add_argument(
            "--expires",
            type=int,
            default=DAYS_DEFAULT,
            metavar="DAYS",
            help=f"Days until it expires, 1 to {DAYS_MOST} (default: {DAYS_DEFAULT}).",
        )
        parser.add_argument(
            "--max-trust",
            choices=Trust.labels,
            default=Trust.ASSERTED.label,
            help="The highest trust that its evidence gets (default: asserted).",
        )
        parser.add_argument(
            "--may-erase", action="store_true", help="Let it erase; needs --access read_write."
        )

    @override
    def act(self, **options: Any) -> None:
        """Issue it."""
        receipt = issue_credential(
            actor=operator_of(options["project"]),
            name=options["name"],
            access=Access(options["access"]),
            days=options["expires"],
            max_trust=Trust.from_label(options["max_trust"]),
            may_erase=options["may_erase"],
        )
        self.answer(
            f"Credential {receipt.id}, {options['access']} until {receipt.expires_at:%Y-%m-%d}.\n"
            f"Its token, which is shown only now:\n{receipt.token}",
            as_json=options["as_json"],
            id=receipt.id,
            public_id=receipt.public_id,
            token=receipt.token,
            project=options["project"],
            name=options["name"],
            access=options["access"],
            max_trust=options["max_trust"],
            may_erase=options["may_erase"],
            expires_at=time_text(receipt.expires_at),
        )
