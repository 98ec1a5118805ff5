"""configure_project: how outcomes and signals count; only what is given changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from memory.errors import Denied, FieldInvalid
from memory.models import Project
from memory.operations.configure_project import ProjectSettings, configure_project
from memory.scope import UtilityRules
from memory.transactions import project_scope
from memory.vocabulary import MOST_ACTORS, MOST_QUORUM, UtilityScope
from tests.factories import fresh
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from uuid import UUID

    from memory.actor import Actor

pytestmark = pytest.mark.django_db

PUBLISHED = UtilityRules(
    one_vote_per_run=False,
    minimum_actors=1,
    scope=UtilityScope.RECORD,
    are_signals_counted=False,
)
QUORUM = 2


def stored(project_id: UUID) -> ProjectSettings:
    """What the next transaction in the project goes by."""
    with project_scope(project_id) as scope:
        quorum = Project.objects.values_list("integrity_quorum", flat=True).get(id=project_id)
        return ProjectSettings(scope.utility, quorum)


DEFAULTS = ProjectSettings(PUBLISHED, QUORUM)


def test_a_new_project_has_the_published_rule(operator: Actor) -> None:
    assert stored(operator.project_id) == DEFAULTS
    assert configure_project(actor=operator) == DEFAULTS


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ({"one_vote_per_run": True}, {"one_vote_per_run": True}),
        ({"minimum_actors": 2}, {"minimum_actors": 2}),
        ({"minimum_actors": MOST_ACTORS}, {"minimum_actors": MOST_ACTORS}),
        ({"utility_scope": UtilityScope.TASK}, {"scope": UtilityScope.TASK}),
        ({"are_signals_counted": True}, {"are_signals_counted": True}),
    ],
)
def test_what_is_given_changes_and_the_rest_stays(
    operator: Actor, said: dict[str, Any], changed: dict[str, Any]
) -> None:
    settings = ProjectSettings(replace(PUBLISHED, **changed), QUORUM)
    assert configure_project(actor=fresh(operator), **said) == settings
    assert stored(operator.project_id) == settings
    assert configure_project(actor=fresh(operator)) == settings


@pytest.mark.parametrize("quorum", [1, 3, MOST_QUORUM])
def test_the_quorum_changes_no_rule_of_utility(operator: Actor, quorum: int) -> None:
    settings = ProjectSettings(PUBLISHED, quorum)
    assert configure_project(actor=fresh(operator), integrity_quorum=quorum) == settings
    assert stored(operator.project_id) == settings
    assert configure_project(actor=fresh(operator)) == settings


def test_a_setting_can_be_taken_back(operator: Actor) -> None:
    configure_project(
        actor=fresh(operator),
        one_vote_per_run=True,
        minimum_actors=3,
        utility_scope=UtilityScope.TASK,
        are_signals_counted=True,
        integrity_quorum=5,
    )
    settings = configure_project(
        actor=fresh(operator),
        one_vote_per_run=False,
        minimum_actors=1,
        utility_scope=UtilityScope.RECORD,
        are_signals_counted=False,
        integrity_quorum=QUORUM,
    )
    assert settings == stored(operator.project_id) == DEFAULTS


def test_nothing_else_changes_and_it_is_audited_once(operator: Actor, outsider: Actor) -> None:
    before = Project.objects.values().get(id=operator.project_id)
    assert changed_tables(lambda: configure_project(actor=operator, minimum_actors=2)) == {}
    after = Project.objects.values().get(id=operator.project_id)
    assert after == {**before, "minimum_actors": 2}
    assert audit_of(operator) == [Entry("project.configure", "allowed", "", 1)]
    assert stored(outsider.project_id) == DEFAULTS


@pytest.mark.parametrize("number", [-1, 0, MOST_ACTORS + 1, 100_000])
def test_a_number_of_actors_out_of_range_is_refused(operator: Actor, number: int) -> None:
    with refused(operator, FieldInvalid, "project.configure") as raised:
        configure_project(actor=operator, minimum_actors=number, one_vote_per_run=True)
    assert raised.value.field == "minimum_actors"
    assert stored(operator.project_id) == DEFAULTS


@pytest.mark.parametrize("number", [-1, 0, MOST_QUORUM + 1, 100_000])
def test_a_quorum_out_of_range_is_refused(operator: Actor, number: int) -> None:
    with refused(operator, FieldInvalid, "project.configure") as raised:
        configure_project(actor=operator, integrity_quorum=number, are_signals_counted=True)
    assert raised.value.field == "integrity_quorum"
    assert stored(operator.project_id) == DEFAULTS


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    assert configure_project(actor=actor, minimum_actors=2).utility.minimum_actors == 2


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    with refused(actor, Denied, "project.configure"):
        configure_project(actor=actor, minimum_actors=2)
    assert stored(actor.project_id) == DEFAULTS
