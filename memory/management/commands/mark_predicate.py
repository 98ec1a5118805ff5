"""`mark_predicate PROJECT NAME --single-valued`: a predicate that a subject has once only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.management.operator import OperatorCommand, operator_of
from memory.operations.mark_predicate import mark_predicate

if TYPE_CHECKING:
    from django.core.management.base import CommandParser


class Command(OperatorCommand):
    """Mark a predicate."""

    help = "Say something about a predicate, for the records there are and those to come."

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add project, predicate and what is said of it."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument("name", help="Name of the predicate, as in has_capital.")
        parser.add_argument(
            "--single-valued",
            action="store_true",
            required=True,
            help="A subject has it once: a second current record is refused.",
        )

    @override
    def act(self, **options: Any) -> None:
        """Mark it."""
        receipt = mark_predicate(actor=operator_of(options["project"]), name=options["name"])
        self.answer(
            f"Predicate {receipt.name} is single-valued in {options['project']};"
            f" {receipt.records} current records came under the rule.",
            as_json=options["as_json"],
            project=options["project"],
            name=receipt.name,
            single_valued=True,
            records=receipt.records,
        )
