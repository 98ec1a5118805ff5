from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from memory.actor import Actor
from memory.models import AuditEntry, Project
from tests.commands import answered, refusal_of, said

pytestmark = pytest.mark.django_db

PUBLISHED = {
    "one_vote_per_run": False,
    "minimum_actors": 1,
    "utility_scope": "record",
    "signals_in_utility": False,
    "integrity_quorum": 2,
}


def test_the_defaults_are_the_published_rule(operator: Actor) -> None:  # noqa: ARG001 - makes the project
    assert answered("configure_project", "demo") == {"project": "demo", **PUBLISHED}


def test_what_is_named_changes_and_the_rest_stays(operator: Actor) -> None:
    hardened = {**PUBLISHED, "one_vote_per_run": True, "minimum_actors": 2}
    answer = answered(
        "configure_project", "demo", "--one-vote-per-run", "on", "--minimum-actors", 2
    )
    assert answer == {"project": "demo", **hardened}
    answer = answered("configure_project", "demo", "--utility-scope", "task")
    assert answer == {"project": "demo", **hardened, "utility_scope": "task"}
    answer = answered("configure_project", "demo", "--signals-in-utility", "on")
    hardened |= {"utility_scope": "task", "signals_in_utility": True}
    assert answer == {"project": "demo", **hardened}
    answer = answered("configure_project", "demo", "--integrity-quorum", 3)
    assert answer == {"project": "demo", **hardened, "integrity_quorum": 3}
    project = Project.objects.get(id=operator.project_id)
    assert (project.one_vote_per_run, project.minimum_actors) == (True, 2)
    assert project.utility_scope == "task"
    assert (project.are_signals_in_utility, project.integrity_quorum) == (True, 3)
    off = answered("configure_project", "demo", "--signals-in-utility", "off")
    assert off["signals_in_utility"] is False


def test_the_sentence_says_how_all_settings_stand(operator: Actor) -> None:  # noqa: ARG001 - makes the project
    assert said("configure_project", "demo", "--one-vote-per-run", "on") == (
        "Project demo: one vote per run on, minimum of distinct actors 1, utility scope record,"
        " signals in utility off, integrity quorum 2.\n"
    )


def test_each_call_is_audited_as_the_operator_s(operator: Actor) -> None:
    said("configure_project", "demo", "--minimum-actors", 3)
    entry = AuditEntry.objects.get(operation="project.configure")
    assert (entry.project_id, entry.edge, entry.magnitude) == (operator.project_id, "cli", 1)


@pytest.mark.parametrize("number", [0, -1, 1001])
def test_an_impossible_number_of_actors_is_refused(operator: Actor, number: int) -> None:
    message = refusal_of("configure_project", "demo", f"--minimum-actors={number}")
    assert message == 'Field "minimum_actors" must be 1 to 1000.'
    assert Project.objects.get(id=operator.project_id).minimum_actors == 1


@pytest.mark.parametrize("number", [0, -1, 11])
def test_an_impossible_quorum_is_refused(operator: Actor, number: int) -> None:
    message = refusal_of("configure_project", "demo", f"--integrity-quorum={number}")
    assert message == 'Field "integrity_quorum" must be 1 to 10.'
    assert Project.objects.get(id=operator.project_id).integrity_quorum == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("--one-vote-per-run", "maybe"),
        ("--utility-scope", "person"),
        ("--signals-in-utility", "yes"),
    ],
)
def test_another_word_is_refused(arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("configure_project", "demo", *arguments)


def test_an_unknown_project_is_refused() -> None:
    assert refusal_of("configure_project", "nowhere").startswith("There is no project")
