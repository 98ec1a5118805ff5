"""The personas of the tests: who they are, what they may, in one project called `demo`.

People act at the console, credentials over the API, the operator at the command line. The account
behind a person is `account(actor)`, its password `tests.factories.PASSWORD`.
"""

from __future__ import annotations

import pytest

from memory.actor import Actor, new_request_id
from memory.models import User
from memory.operations.create_project import ProjectReceipt
from memory.operations.issue_credential import CredentialReceipt, issue_credential
from memory.vocabulary import Access, ActorKind, Edge, Role
from tests.factories import UserFactory, a_project, an_actor, fresh, grant


def account(actor: Actor) -> User:
    """The account of a person."""
    return User.objects.get(id=actor.id)


def person(operator: Actor, username: str, *roles: Role) -> Actor:
    """Somebody with these roles in the operator's project, at the console."""
    user = UserFactory.create(username=username)
    grant(operator, user.username, *roles)
    return an_actor(operator.project_id, user)


def client(operator: Actor, receipt: CredentialReceipt, name: str, access: Access) -> Actor:
    """A credential of the operator's project, over the API."""
    return Actor(
        project_id=operator.project_id,
        kind=ActorKind.CREDENTIAL,
        id=receipt.id,
        edge=Edge.API,
        request_id=new_request_id(),
        label=name,
        access=access,
    )


@pytest.fixture
def operator(db: None) -> Actor:  # noqa: ARG001
    """Who runs the installation, at the command line, in the project `demo`."""
    return a_project("demo")[1]


@pytest.fixture
def project(operator: Actor) -> ProjectReceipt:
    """The project of all personas but the outsider."""
    return ProjectReceipt(operator.project_id, "demo")


@pytest.fixture
def reader(operator: Actor) -> Actor:
    """A person who may look."""
    return person(operator, "reader", Role.READER)


@pytest.fixture
def reviewer(operator: Actor) -> Actor:
    """A person who may look, report, decide."""
    return person(operator, "reviewer", Role.REVIEWER)


@pytest.fixture
def auditor(operator: Actor) -> Actor:
    """A person who may read the audit log and no content."""
    return person(operator, "auditor", Role.AUDITOR)


@pytest.fixture
def owner(operator: Actor) -> Actor:
    """A person who may all of that, and let others in."""
    return person(operator, "owner", Role.OWNER)


@pytest.fixture
def nobody(operator: Actor) -> Actor:
    """A person with an account and no role."""
    return person(operator, "nobody")


@pytest.fixture
def outsider(operator: Actor) -> Actor:  # noqa: ARG001 - `demo` exists beside their project
    """A reviewer of another project."""
    return person(a_project("elsewhere")[1], "outsider", Role.REVIEWER)


@pytest.fixture
def agent_credential(operator: Actor) -> CredentialReceipt:
    """The read-write credential, with its token."""
    return issue_credential(actor=fresh(operator), name="agent", access=Access.READ_WRITE)


@pytest.fixture
def agent_ro_credential(operator: Actor) -> CredentialReceipt:
    """The read-only credential, with its token."""
    return issue_credential(actor=fresh(operator), name="agent-ro", access=Access.READ_ONLY)


@pytest.fixture
def agent(operator: Actor, agent_credential: CredentialReceipt) -> Actor:
    """A program that may read and write."""
    return client(operator, agent_credential, "agent", Access.READ_WRITE)


@pytest.fixture
def agent_ro(operator: Actor, agent_ro_credential: CredentialReceipt) -> Actor:
    """A program that may read."""
    return client(operator, agent_ro_credential, "agent-ro", Access.READ_ONLY)


@pytest.fixture
def agent_token(agent_credential: CredentialReceipt) -> str:
    """What the read-write program sends."""
    return agent_credential.token


@pytest.fixture
def agent_ro_token(agent_ro_credential: CredentialReceipt) -> str:
    """What the read-only program sends."""
    return agent_ro_credential.token
