"""`load_records PROJECT FILE`: many records from a file of JSON objects, one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from memory.management.operator import OperatorCommand, operator_of
from memory.management.record_lines import load_records_file

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

LINE_FORM = """\
Each line is one record as in POST /v1/records/assert, without idempotency_key, and may have
"cardinality": "one" or "many"; "one" marks its predicate single-valued first. As an example:

  {"subject": "Burundi", "predicate": "has_capital", "object": "Bujumbura",
   "statement": "The capital of Burundi is Bujumbura.",
   "source": {"type": "dataset", "ref": "countries 1.0", "id": "BI:has_capital"}}

Run it again after an interruption: a record whose source is there already is skipped, whatever
became of it. A line without source.id is known again by what it says.
"""


class Command(OperatorCommand):
    """Load records."""

    help = "Assert the records of a JSON Lines file, in batches; can be repeated."
    epilog = LINE_FORM

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add project and file."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument("file", type=Path, help="JSON Lines file in UTF-8.")

    @override
    def act(self, **options: Any) -> None:
        """Load them."""
        counts = load_records_file(operator_of(options["project"]), options["file"])
        self.answer(
            f"Records added: {counts.added}; skipped, since they were there: {counts.skipped}.",
            as_json=options["as_json"],
            project=options["project"],
            lines=counts.lines,
            added=counts.added,
            skipped=counts.skipped,
        )
