"""`configure_project PROJECT`: how outcomes and signals count, and when suspicions are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from memory.management.operator import OperatorCommand, operator_of
from memory.operations.configure_project import configure_project
from memory.vocabulary import MOST_ACTORS, MOST_QUORUM, UtilityScope

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

SWITCH: Final = {"on": True, "off": False}
EXPLANATION: Final = """\
The defaults (off, 1, record, off, 2) are the published rule: every outcome that names a record is
one signal, and from three on they move its score. Where more than one party writes, turn the first
two up, so that nobody can lift or sink a record alone. A setting that is not named stays as it is.
"""


class Command(OperatorCommand):
    """Configure a project."""

    help = "Set how outcomes and signals count in a project, and show how all settings stand."
    epilog = EXPLANATION

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add project and settings."""
        super().add_arguments(parser)
        parser.add_argument("project", help="Name of the project.")
        parser.add_argument(
            "--one-vote-per-run",
            choices=SWITCH,
            help="Count only the latest outcome of an actor about a record in a run.",
        )
        parser.add_argument(
            "--minimum-actors",
            type=int,
            metavar="N",
            help=f"How many distinct actors it takes before outcomes count; 1 to {MOST_ACTORS}.",
        )
        parser.add_argument(
            "--utility-scope",
            choices=UtilityScope.values,
            help="Count outcomes of all tasks, or only of tasks with the same words.",
        )
        parser.add_argument(
            "--signals-in-utility",
            choices=SWITCH,
            help="Let signals of RCP clients count like outcomes.",
        )
        parser.add_argument(
            "--integrity-quorum",
            type=int,
            metavar="N",
            help="How many distinct actors have to suspect a record before reviewers are asked"
            f" to look at it; 1 to {MOST_QUORUM}.",
        )

    @override
    def act(self, **options: Any) -> None:
        """Configure it."""
        scope = options["utility_scope"]
        settings = configure_project(
            actor=operator_of(options["project"]),
            one_vote_per_run=SWITCH.get(options["one_vote_per_run"]),
            minimum_actors=options["minimum_actors"],
            utility_scope=None if scope is None else UtilityScope(scope),
            are_signals_counted=SWITCH.get(options["signals_in_utility"]),
            integrity_quorum=options["integrity_quorum"],
        )
        rules = settings.utility
        self.answer(
            f"Project {options['project']}: one vote per run"
            f" {'on' if rules.one_vote_per_run else 'off'}, minimum of distinct actors"
            f" {rules.minimum_actors}, utility scope {rules.scope.value}, signals in utility"
            f" {'on' if rules.are_signals_counted else 'off'}, integrity quorum"
            f" {settings.integrity_quorum}.",
            as_json=options["as_json"],
            project=options["project"],
            one_vote_per_run=rules.one_vote_per_run,
            minimum_actors=rules.minimum_actors,
            utility_scope=rules.scope.value,
            signals_in_utility=rules.are_signals_counted,
            integrity_quorum=settings.integrity_quorum,
        )
