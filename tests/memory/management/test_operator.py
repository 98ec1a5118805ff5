from __future__ import annotations

import argparse
from importlib import import_module
from pkgutil import iter_modules

import pytest
from django.core.management.base import BaseCommand
from django.db import connection, transaction

import feedback.management.commands
import memory.management.commands
from memory.models import AuditEntry, User
from memory.vocabulary import ActorKind, AuditOutcome, Edge
from tests.commands import answered, refusal_of, said

PACKAGES = (memory.management.commands, feedback.management.commands)
COMMANDS = [
    f"{package.__name__}.{module.name}"
    for package in PACKAGES
    for module in iter_modules(package.__path__)
]
#: They serve a protocol over standard output and print nothing.
SPEAKING_FRAMES = {f"feedback.management.commands.{name}" for name in ("mcp", "rcp")}


def command_of(path: str) -> BaseCommand:
    command: BaseCommand = import_module(path).Command()
    return command


def test_the_commands_are_those_that_the_documents_name() -> None:
    names = {path.rpartition(".")[2] for path in COMMANDS}
    assert names >= {
        "create_project",
        "create_user",
        "grant",
        "issue_credential",
        "revoke_credential",
        "mark_predicate",
        "load_records",
        "load_reports",
        "load_demo",
    }


@pytest.mark.parametrize("path", COMMANDS)
def test_every_command_explains_itself_and_each_of_its_arguments(path: str) -> None:
    parser = command_of(path).create_parser("manage.py", path.rpartition(".")[2])
    assert parser.description
    for action in parser._actions:
        assert action.help, action.dest


@pytest.mark.parametrize("path", [path for path in COMMANDS if path not in SPEAKING_FRAMES])
def test_every_command_that_prints_values_takes_json(path: str) -> None:
    parser = command_of(path).create_parser("manage.py", path.rpartition(".")[2])
    assert "--json" in parser.format_help()


@pytest.mark.parametrize("path", COMMANDS)
def test_help_needs_no_database(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command_of(path).create_parser("manage.py", "it").parse_args(["--help"])
    assert ended.value.code == 0
    assert "usage: manage.py it" in capsys.readouterr().out


@pytest.mark.parametrize("path", COMMANDS)
def test_an_unknown_option_is_refused_with_status_2(path: str) -> None:
    command = command_of(path)
    command._called_from_command_line = True  # type: ignore[attr-defined] # as a shell does
    with pytest.raises(SystemExit) as ended:
        command.create_parser("manage.py", "it").parse_args(["--unheard-of"])
    assert ended.value.code == 2


def test_the_epilog_keeps_its_lines() -> None:
    command = command_of("memory.management.commands.load_records")
    parser = command.create_parser("manage.py", "load_records")
    assert isinstance(parser, argparse.ArgumentParser)
    assert command.epilog.rstrip() in parser.format_help()  # type: ignore[attr-defined]


@pytest.mark.django_db
def test_commands_act_as_an_account_that_no_password_opens() -> None:
    said("create_project", "acme")
    said("create_project", "umbra")
    operator = User.objects.get(username="operator")
    assert not operator.has_usable_password()
    assert not operator.is_superuser
    entries = AuditEntry.objects.filter(operation="project.create")
    assert set(entries.values_list("actor_kind", "actor_id", "edge")) == {
        (ActorKind.USER, operator.id, Edge.CLI)
    }
    assert len(set(entries.values_list("request_id"))) == 2


@pytest.mark.django_db
def test_a_refusal_is_audited_as_the_operators() -> None:
    project = answered("create_project", "acme")["id"]
    refusal_of("grant", "acme", "nobody-here", "reader")
    entry = AuditEntry.objects.get(outcome=AuditOutcome.REFUSED)
    assert (str(entry.project_id), entry.operation, entry.edge) == (project, "member.grant", "cli")


@pytest.mark.django_db
def test_a_database_without_tables_is_one_clear_line() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_user RENAME TO memory_gone")
        with transaction.atomic():
            message = refusal_of("create_project", "acme")
            transaction.set_rollback(True)
        transaction.set_rollback(True)
    assert message == "The database has no tables yet. Run migrate first."


@pytest.mark.django_db
def test_an_argument_that_is_not_utf_8_is_refused() -> None:
    said("create_project", "acme")
    with transaction.atomic():
        message = refusal_of(
            *("issue_credential", "acme", "--name", "bot\udcff", "--access", "read_only")
        )
        transaction.set_rollback(True)
    assert message == "Arguments and input must be UTF-8."
