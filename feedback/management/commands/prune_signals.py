"""`prune_signals PROJECT --older-than DAYS`: let old signals about no record go; others stay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError
from typing_extensions import override

from feedback.operations.prune_signals import prune_signals
from feedback.queries.signals import count_old_signals
from memory.management.operator import OperatorCommand, operator_of
from memory.management.progress import progress_bar

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

MOST_DAYS = 36_500


class Command(OperatorCommand):
    """Prune signals."""

    help = (
        "Delete signals older than so many days whose hit is no record of the project. Signals"
        " about records stay. Can be interrupted and repeated."
    )

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add project, age and dry run."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument(
            "--older-than", type=int, required=True, metavar="DAYS", help="Age in whole days."
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Count what would go, and delete nothing."
        )

    @override
    def act(self, **options: Any) -> None:
        """Count, and unless it is a dry run prune batch by batch, each in its own transaction."""
        days, is_dry_run = options["older_than"], options["dry_run"]
        if not 1 <= days <= MOST_DAYS:
            raise CommandError(f"--older-than must be 1 to {MOST_DAYS} days.")
        operator = operator_of(options["project"])
        old = count_old_signals(actor=operator, days=days)
        signals = old.signals
        if not is_dry_run:
            signals = 0
            with progress_bar("Signals", total=old.signals) as advance:
                is_more = old.signals > 0
                while is_more:
                    receipt = prune_signals(actor=operator.in_new_request(), before=old.before)
                    signals, is_more = signals + receipt.signals, receipt.is_more
                    advance(receipt.signals)
        verb = "would be deleted" if is_dry_run else "were deleted"
        self.answer(
            f"{signals} signals about no record {verb} in {options['project']}.",
            as_json=options["as_json"],
            project=options["project"],
            dry_run=is_dry_run,
            before=old.before,
            signals=signals,
        )
