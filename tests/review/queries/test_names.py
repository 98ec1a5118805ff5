from __future__ import annotations

from uuid import UUID

import pytest

from feedback.queries.reports import get_report
from memory.actor import Actor
from memory.queries.records import get_record
from memory.vocabulary import ActorKind, Edge
from review.queries.names import Names, names_in
from tests.factories import a_record, a_report, fresh
from tests.review.situations import promote, retract

SOMEBODY = UUID("91c0a3f7-2f0e-4b52-9a44-0c6d1b9a7e55")


def test_people_and_agents_have_their_names_and_edges(agent: Actor, reviewer: Actor) -> None:
    report_id = a_report(agent).id
    promote(reviewer, report_id)
    report = get_report(actor=fresh(agent), report_id=report_id)
    names = names_in(agent, reports=[report])
    assert str(names.author(report)) == "agent (agent, API)"
    assert str(names.promoter(report)) == "reviewer (person)"


def test_who_closed_a_record_is_named(agent: Actor, owner: Actor) -> None:
    record = a_record(agent)
    retract(owner, record)
    detail = get_record(actor=fresh(agent), record_id=record.id)
    names = names_in(agent, records=[detail])
    assert str(names.closer(detail)) == "owner (person)"


def test_a_name_that_is_gone_is_the_start_of_its_id() -> None:
    label = Names({}).label(SOMEBODY, ActorKind.CREDENTIAL, Edge.MCP)
    assert str(label) == "91c0a3f7 (agent, MCP)"


def test_nobody_promoted_an_open_report_or_closed_a_current_record(agent: Actor) -> None:
    record = a_record(agent)
    report = get_report(actor=fresh(agent), report_id=a_report(agent, record).id)
    detail = get_record(actor=fresh(agent), record_id=record.id)
    with pytest.raises(LookupError):
        Names({}).promoter(report)
    with pytest.raises(LookupError):
        Names({}).closer(detail)


@pytest.mark.usefixtures("operator")
def test_nobody_is_looked_up_for_nothing(agent: Actor) -> None:
    assert names_in(agent) == Names({})
