"""What the operator's commands share: who acts, one-line refusals, sentences or JSON as output."""

from __future__ import annotations

import json
from argparse import RawDescriptionHelpFormatter
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, DjangoHelpFormatter
from django.db import ProgrammingError
from typing_extensions import override

from memory.actor import Actor
from memory.constraints import sqlstate
from memory.errors import DomainError
from memory.operations.ensure_operator import OPERATOR_NAME, ensure_operator
from memory.queries.members import find_project

if TYPE_CHECKING:
    from django.core.management.base import CommandParser

#: Where an operation runs before there is a project to be in.
NO_PROJECT: Final = UUID(int=0)

_UNDEFINED_TABLE: Final = "42P01"


class HelpWithForm(DjangoHelpFormatter, RawDescriptionHelpFormatter):
    """Django's order of options, and the epilog as it is written."""


class OperatorCommand(BaseCommand):
    """One task of the operator: subclasses parse, call an operation and answer."""

    requires_system_checks = ()  # they are for deployments, and would slow every command down
    epilog = ""

    @override
    def add_arguments(self, parser: CommandParser) -> None:
        """Add `--json` and the text at the end of the help; subclasses add their arguments."""
        parser.formatter_class = HelpWithForm
        parser.epilog = self.epilog
        parser.add_argument(
            "--json", action="store_true", dest="as_json", help="Print one JSON object."
        )

    @override
    def handle(self, *_: Any, **options: Any) -> None:
        """Act, and turn a refusal into one line and exit status 1."""
        try:
            self.act(**options)
        except DomainError as error:
            raise CommandError(error.message) from error
        except UnicodeError as error:
            raise CommandError("Arguments and input must be UTF-8.") from error
        except ProgrammingError as error:
            if sqlstate(error) != _UNDEFINED_TABLE:
                raise
            raise CommandError("The database has no tables yet. Run migrate first.") from error

    def act(self, **options: Any) -> None:
        """Do the task."""
        raise NotImplementedError

    def answer(self, sentence: str, *, as_json: bool, **values: object) -> None:
        """Say what was done: a sentence for people, or the values as one line of JSON."""
        if as_json:
            sentence = json.dumps(values, ensure_ascii=False, default=str)
        self.stdout.write(sentence)


def operator_in(project_id: UUID) -> Actor:
    """The operator acting in a project; one run of a command is one request."""
    return Actor.of_operator(project_id=project_id, user_id=ensure_operator(), label=OPERATOR_NAME)


def operator_of(project: str) -> Actor:
    """The operator acting in the project of this name. Raises CommandError if there is none."""
    project_id = find_project(project)
    if project_id is None:
        raise CommandError("There is no project of that name. create_project makes one.")
    return operator_in(project_id)
