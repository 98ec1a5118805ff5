from __future__ import annotations

from memory.actor import Actor
from memory.queries.chain import find_chain
from memory.queries.records import get_detail
from memory.transactions import project_scope
from memory.vocabulary import RecordStatus, Trust
from tests.factories import a_record
from tests.review.situations import correct
from tests.statements import watched


def test_a_record_that_stands_alone_has_no_links_and_costs_nothing(agent: Actor) -> None:
    record = a_record(agent)
    with project_scope(agent.project_id):
        detail = get_detail(agent, record.id)
        with watched() as statements:
            chain = find_chain(agent, detail)
    assert (chain.predecessor, chain.successor) == (None, None)
    assert len(statements) == 0


def test_a_correction_links_both_records_with_all_that_they_say(agent: Actor) -> None:
    record = a_record(agent, object="Bujumbura", data_subject="a quagga", confidence=0.9)
    new = correct(agent, record, to="Gitega")
    with project_scope(agent.project_id), watched() as statements:
        before = find_chain(agent, get_detail(agent, new)).predecessor
        after = find_chain(agent, get_detail(agent, record.id)).successor
    assert len(statements) == 4
    assert before is not None
    assert after is not None
    assert (before.id, before.object, before.status) == (
        record.id,
        "Bujumbura",
        RecordStatus.SUPERSEDED,
    )
    assert (after.id, after.object, after.statement) == (new, "Gitega", "It is Gitega.")
    assert (after.data_subject, after.confidence, after.trust) == ("a quagga", 0.9, Trust.ASSERTED)
    assert before.known_until == after.known_from
    assert (after.recorded_by, after.recorded_via) == (agent.id, agent.edge)
