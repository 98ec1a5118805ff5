"""`load_reports PROJECT FILE`: many doubts from a file of JSON objects, one a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from feedback.management.report_lines import load_reports_file
from feedback.management.reporters import reporters_of
from memory.management.operator import OperatorCommand, operator_of

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

LINE_FORM = """\
Each line says which record it doubts by subject, predicate and object (the current record, else
the newest closed one), and has a note. It may have proposed_object, reporter_subject_id,
reported_by, and reported_on and reference, which are not stored. As an example:

  {"subject": "Burundi", "predicate": "has_capital", "object": "Bujumbura",
   "note": "The capital moved to Gitega in 2019.", "proposed_object": "Gitega",
   "reported_by": "person"}

Run it again after an interruption: a line that was reported already is skipped.
"""


class Command(OperatorCommand):
    """Load reports."""

    help = "Report the doubts of a JSON Lines file; can be repeated."
    epilog = LINE_FORM

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add project, file and who reports."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument("file", type=Path, help="JSON Lines file in UTF-8.")
        parser.add_argument(
            "--as",
            action="append",
            default=[],
            dest="mappings",
            metavar="KIND=user:NAME",
            help="Who reports lines whose reported_by is KIND: KIND=user:NAME or"
            " KIND=credential:NAME. Can be repeated. The operator reports the others.",
        )

    @override
    def act(self, **options: Any) -> None:
        """Load them."""
        operator = operator_of(options["project"])
        reporters = reporters_of(operator, options["mappings"])
        counts = load_reports_file(operator, options["file"], reporters)
        self.answer(
            f"Reports added: {counts.added}; skipped, since they were there: {counts.skipped}.",
            as_json=options["as_json"],
            project=options["project"],
            lines=counts.lines,
            added=counts.added,
            skipped=counts.skipped,
        )
