"""grant_role: the only writer of roles; a role is one guardian row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from guardian.models import GroupObjectPermission, UserObjectPermission

from memory.errors import Denied, FieldInvalid
from memory.models import Member, MemberGroup
from memory.operations.grant_role import grant_role
from memory.queries.members import list_projects_of
from memory.vocabulary import INCLUDED_ROLES, Role
from tests.factories import UserFactory, fresh
from tests.observed import Entry, audit_of, changed_tables, refused

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", Role)
def test_a_role_is_one_row_and_amounts_to_what_it_includes(operator: Actor, role: Role) -> None:
    user = UserFactory.create()
    receipt = grant_role(actor=operator, username=user.username, role=role)
    assert (receipt.user_id, receipt.role, receipt.is_new) == (user.id, role, True)
    row = Member.objects.get(user=user)
    assert (row.content_object_id, row.permission.codename) == (operator.project_id, role)
    assert (row.granted_by_kind, row.granted_by_id) == ("user", operator.id)
    (project,) = list_projects_of(user.id)
    assert (project.project_id, project.roles) == (operator.project_id, INCLUDED_ROLES[role])


def test_it_is_audited_once(operator: Actor) -> None:
    grant_role(actor=operator, username=UserFactory.create().username, role=Role.READER)
    assert audit_of(operator) == [Entry("member.grant", "allowed", "", 1)]


def test_granting_again_changes_nothing(operator: Actor) -> None:
    username = UserFactory.create().username
    grant_role(actor=fresh(operator), username=username, role=Role.READER)
    changes = changed_tables(
        lambda: grant_role(actor=operator, username=username, role=Role.READER)
    )
    assert changes == {}
    assert audit_of(operator) == [Entry("member.grant", "allowed", "", 0)]


def test_roles_add_up(operator: Actor) -> None:
    user = UserFactory.create()
    for role in (Role.REVIEWER, Role.AUDITOR):
        grant_role(actor=fresh(operator), username=user.username, role=role)
    assert list_projects_of(user.id)[0].roles == {Role.READER, Role.REVIEWER, Role.AUDITOR}


def test_a_role_holds_in_its_project_alone(outsider: Actor, operator: Actor) -> None:
    assert [row.project_id for row in list_projects_of(outsider.id)] == [outsider.project_id]
    assert outsider.project_id != operator.project_id


@pytest.mark.parametrize("persona", ["owner", "operator"])
def test_owners_and_the_operator_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    grant_role(actor=actor, username=UserFactory.create().username, role=Role.READER)
    assert audit_of(actor) == [Entry("member.grant", "allowed", "", 1)]


@pytest.mark.parametrize(
    "persona", ["reader", "reviewer", "auditor", "nobody", "agent", "agent_ro", "outsider"]
)
def test_nobody_else_may(persona: str, request: pytest.FixtureRequest) -> None:
    actor: Actor = fresh(request.getfixturevalue(persona))
    username = UserFactory.create().username
    with refused(actor, Denied, "member.grant"):
        grant_role(actor=actor, username=username, role=Role.READER)


@pytest.mark.parametrize("is_known", [True, False])
def test_who_has_no_active_account_is_refused(operator: Actor, *, is_known: bool) -> None:
    username = UserFactory.create(is_active=False).username if is_known else "unheard-of"
    with refused(operator, FieldInvalid, "member.grant") as raised:
        grant_role(actor=operator, username=username, role=Role.READER)
    assert raised.value.field == "user"


def test_guardian_s_generic_tables_stay_empty(owner: Actor, reader: Actor) -> None:  # noqa: ARG001
    assert not UserObjectPermission.objects.exists()
    assert not GroupObjectPermission.objects.exists()
    assert not MemberGroup.objects.exists()
