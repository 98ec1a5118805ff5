"""`create_user NAME`: an account for a person."""

from __future__ import annotations

import sys
from getpass import getpass
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from typing_extensions import override

from memory.management.operator import NO_PROJECT, OperatorCommand, operator_in
from memory.operations.create_user import create_user

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(OperatorCommand):
    """Create an account."""

    help = "Create an account that can sign in. It may do nothing until grant gives it a role."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the name and where the password comes from."""
        super().add_arguments(parser)
        parser.add_argument("name", help="Name to sign in with.")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="Read the password from the first line of standard input instead of asking.",
        )

    @override
    def act(self, **options: Any) -> None:
        """Create it."""
        password = _read_password() if options["password_stdin"] else _ask_password()
        receipt = create_user(
            actor=operator_in(NO_PROJECT), username=options["name"], password=password
        )
        self.answer(
            f"Account {receipt.username} is ready. It has no role yet.",
            as_json=options["as_json"],
            id=receipt.id,
            username=receipt.username,
        )


def _read_password() -> str:
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise CommandError("Standard input holds no password.")
    return password


def _ask_password() -> str:
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask at. Use --password-stdin.")
    password = getpass("Password: ")
    if getpass("Password again: ") != password:
        raise CommandError("The two passwords differ.")
    return password
