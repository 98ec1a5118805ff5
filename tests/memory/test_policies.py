"""Who may do what, from actor alone: the whole table."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from feedback import policies as feedback_policies
from memory import policies
from memory.actor import Actor, new_request_id
from memory.errors import Denied
from memory.vocabulary import INCLUDED_ROLES, Access, ActorKind, Edge, Role

POLICIES = {
    "read": policies.can_read,
    "write": policies.can_write,
    "change": policies.can_change_records,
    "report": feedback_policies.can_report,
    "promote": feedback_policies.can_promote,
    "audit": policies.can_read_audit,
    "own": policies.can_own,
    "operate": policies.can_operate,
}
BASE = Actor(
    project_id=UUID(int=1),
    kind=ActorKind.USER,
    id=UUID(int=2),
    edge=Edge.CONSOLE,
    request_id=new_request_id(),
)


def person(*roles: Role) -> Actor:
    return replace(BASE, roles=frozenset().union(*(INCLUDED_ROLES[role] for role in roles)))


def program(access: Access, edge: Edge = Edge.API) -> Actor:
    return replace(BASE, kind=ActorKind.CREDENTIAL, edge=edge, access=access)


ACTORS = {
    "nobody": (BASE, set()),
    "reader": (person(Role.READER), {"read"}),
    "reviewer": (person(Role.REVIEWER), {"read", "write", "change", "report", "promote"}),
    "auditor": (person(Role.AUDITOR), {"audit"}),
    "reader and auditor": (person(Role.READER, Role.AUDITOR), {"read", "audit"}),
    "owner": (person(Role.OWNER), set(POLICIES) - {"operate"}),
    "operator": (
        Actor.of_operator(project_id=UUID(int=1), user_id=UUID(int=2), label="operator"),
        set(POLICIES),
    ),
    "read only": (program(Access.READ_ONLY), {"read"}),
    "read write": (
        program(Access.READ_WRITE),
        {"read", "write", "change", "report", "promote"},
    ),
    "read write over RCP": (
        program(Access.READ_WRITE, Edge.RCP),
        {"read", "write", "change", "report", "promote"},
    ),
    "read write as a tool": (
        program(Access.READ_WRITE, Edge.MCP),
        {"read", "write", "report"},
    ),
    "read only as a tool": (program(Access.READ_ONLY, Edge.MCP), {"read"}),
}


@pytest.mark.parametrize("name", ACTORS)
def test_each_actor_may_exactly_this(name: str) -> None:
    actor, expected = ACTORS[name]
    allowed = {verb for verb, can in POLICIES.items() if can(actor).is_allowed}
    assert allowed == expected


@pytest.mark.parametrize("name", ACTORS)
def test_a_refusal_bears_its_reason(name: str) -> None:
    actor, expected = ACTORS[name]
    for verb, can in POLICIES.items():
        if verb in expected:
            can(actor).require()
            continue
        answer = can(actor)
        assert answer.reason
        with pytest.raises(Denied) as raised:
            answer.require()
        assert raised.value.reason == answer.reason


def test_the_operation_id_is_the_one_inside_the_request_id() -> None:
    actor = replace(BASE, request_id="req_e5d3a330e24343dfaf34c45d35955bbc")
    assert str(actor.operation_id) == "e5d3a330-e243-43df-af34-c45d35955bbc"
