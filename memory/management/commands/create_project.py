"""`create_project NAME`: a new project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.management.operator import NO_PROJECT, OperatorCommand, operator_in
from memory.operations.create_project import create_project

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

SEARCH_LANGUAGES = ("english", "simple")


class Command(OperatorCommand):
    """Create a project."""

    help = "Create a project, to which accounts and credentials are then let in."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add the name and the search language."""
        super().add_arguments(parser)
        parser.add_argument("name", help="1 to 63 of a-z, 0-9 and -, not starting with -.")
        parser.add_argument(
            "--search-language",
            choices=SEARCH_LANGUAGES,
            default=SEARCH_LANGUAGES[0],
            help="How words are folded together in searches: english drops endings and stop words,"
            " simple drops nothing (default: english).",
        )

    @override
    def act(self, **options: Any) -> None:
        """Create it."""
        receipt = create_project(
            actor=operator_in(NO_PROJECT),
            name=options["name"],
            search_language=options["search_language"],
        )
        self.answer(
            f"Project {receipt.name} is ready.",
            as_json=options["as_json"],
            id=receipt.id,
            name=receipt.name,
        )
