"""RCP sessions in the database: opened once, used, closed, never too many; also at once."""

from __future__ import annotations

from functools import partial

import pytest

from feedback.models import RcpSession
from feedback.operations.close_rcp_session import close_rcp_session
from feedback.operations.open_rcp_session import open_rcp_session
from feedback.operations.use_rcp_session import use_rcp_session
from feedback.vocabulary import SESSIONS_PER_CREDENTIAL
from memory.actor import Actor
from memory.models import AuditEntry
from tests.racing import race


@pytest.mark.django_db
def test_a_session_is_opened_once_used_and_closed(agent: Actor, agent_ro: Actor) -> None:
    assert not use_rcp_session(actor=agent, name="a")
    assert open_rcp_session(actor=agent, name="a")
    assert not open_rcp_session(actor=agent, name="a")
    assert use_rcp_session(actor=agent, name="a")
    assert not use_rcp_session(actor=agent_ro, name="a")
    close_rcp_session(actor=agent_ro, name="a")
    assert use_rcp_session(actor=agent, name="a")
    close_rcp_session(actor=agent, name="a")
    close_rcp_session(actor=agent, name="a")
    assert not use_rcp_session(actor=agent, name="a")
    assert open_rcp_session(actor=agent, name="a")
    assert not AuditEntry.objects.filter(actor_id=agent.id).exists()


@pytest.mark.django_db
def test_unused_sessions_go_when_another_is_opened(agent: Actor, agent_ro: Actor) -> None:
    for actor in (agent, agent_ro):
        open_rcp_session(actor=actor, name="old")
    RcpSession.objects.update(last_used_at="2026-01-01T00:00:00Z")

    open_rcp_session(actor=agent, name="new")

    assert RcpSession.objects.filter(credential_id=agent.id).count() == 1
    assert RcpSession.objects.filter(credential_id=agent_ro.id).count() == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_there_are_never_too_many_at_once(agent: Actor) -> None:
    for number in range(SESSIONS_PER_CREDENTIAL):
        open_rcp_session(actor=agent, name=f"first {number}")
    calls = [partial(open_rcp_session, actor=agent, name=f"more {n}") for n in range(12)]
    calls += [partial(use_rcp_session, actor=agent, name=f"first {n}") for n in range(12)]

    outcomes = race(calls)

    assert not [outcome for outcome in outcomes if isinstance(outcome, Exception)]
    assert outcomes[:12] == [True] * 12
    assert RcpSession.objects.count() == SESSIONS_PER_CREDENTIAL


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_of_many_openings_of_one_name_one_wins(agent: Actor) -> None:
    outcomes = race([partial(open_rcp_session, actor=agent, name="a")] * 12)

    assert sorted(map(str, outcomes)) == [*["False"] * 11, "True"]
