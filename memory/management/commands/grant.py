"""`grant PROJECT USER ROLE`: a role for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.management.operator import OperatorCommand, operator_of
from memory.operations.grant_role import grant_role
from memory.vocabulary import Role

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(OperatorCommand):
    """Grant a role."""

    help = "Give a person a role in a project. Roles add up; owner includes the others."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add project, account and role."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument("user", help="Name of the account.")
        parser.add_argument("role", choices=Role.values, help="What the person will be.")

    @override
    def act(self, **options: Any) -> None:
        """Grant it."""
        receipt = grant_role(
            actor=operator_of(options["project"]),
            username=options["user"],
            role=Role(options["role"]),
        )
        was = "is now" if receipt.is_new else "was already"
        self.answer(
            f"{options['user']} {was} {receipt.role} of {options['project']}.",
            as_json=options["as_json"],
            project=options["project"],
            user_id=receipt.user_id,
            role=receipt.role,
            new=receipt.is_new,
        )
