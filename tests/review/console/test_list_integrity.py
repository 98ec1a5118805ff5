"""The list of suspected records (S19)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from feedback.operations.decide_integrity import IntegrityDecision, decide_integrity
from feedback.vocabulary import IntegrityState
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.configure_project import configure_project
from review.console.integrity import ROWS
from tests.factories import MARKER, a_record, fresh, some_records
from tests.review.pages import Page
from tests.review.situations import retract, signalled, suspected
from tests.review.visitors import entries_of, visitor

PATH = "/p/demo/integrity/"
INJECTED: dict[str, Any] = {"is_injection_suspected": True}


@pytest.fixture
def alone(operator: Actor) -> None:
    """One actor's suspicion is enough."""
    configure_project(actor=fresh(operator), integrity_quorum=1)


def opened(client: Client, path: str = PATH, **query: str) -> Page:
    page = Page(client.get(path, query))
    assert page.status == 200, page.text
    assert page.title == "Integrity · demo · Errata"
    return page


def test_an_item_says_what_record_is_suspected_of_what_by_how_many(
    browser: Client, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    for _ in range(3):
        signalled(agent, shared, is_poison_suspected=True)
    item = suspected(shared, reviewer, **INJECTED)
    signalled(agent, shared, **INJECTED)
    page = opened(browser)
    [row] = page.rows()
    assert row.startswith("Burundi of the quagga · has_capital · Bujumbura")
    assert "poison 3 from 1 actor, injection 2 from 2 actors 20" in row
    assert row.endswith(" Open")
    assert page.links["Burundi of the quagga · has_capital · Bujumbura"] == f"{PATH}{item}/"
    assert "Nothing is hidden or demoted because of them." in page.text
    assert page.hinted_keys == page.working_keys == {"j", "k", "o", "f"}
    assert entries_of(reviewer)[-1] == ("signal.list", "allowed", "", 1)


def test_what_fewer_than_the_quorum_suspect_is_no_item(
    browser: Client, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    for _ in range(5):
        signalled(agent, shared, is_poison_suspected=True)
    page = opened(browser)
    assert page.rows() == []
    assert "Nobody suspects anything." in page.text
    assert entries_of(reviewer) == [("signal.list", "allowed", "", 0)]


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, {0, 1, 2}),
        ({"kind": "poison"}, {0, 2}),
        ({"kind": "injection"}, {1, 2}),
        ({"state": "open"}, {0, 1, 2}),
        ({"state": "open", "kind": "poison"}, {0, 2}),
        ({"state": "no_concern"}, set()),
        ({"state": "reported", "kind": "injection"}, set()),
    ],
)
def test_filters_narrow_the_list(
    browser: Client, agent: Actor, query: dict[str, str], found: set[int]
) -> None:
    both = {"is_poison_suspected": True, **INJECTED}
    said = ({"is_poison_suspected": True}, INJECTED, both)
    items = [suspected(a_record(agent), agent, **what) for what in said]
    page = opened(browser, **query)
    assert {n for n, item in enumerate(items) if str(item) in page.html} == found
    assert ("No suspected record matches." in page.text) == (not found)
    assert "Nobody suspects anything." not in page.text


@pytest.mark.usefixtures("alone")
def test_a_closed_record_stays_in_the_list(browser: Client, agent: Actor) -> None:
    record = a_record(agent)
    suspected(record, agent)
    retract(agent, record)
    [row] = opened(browser).rows()
    assert "Retracted" in row


@pytest.mark.usefixtures("alone")
def test_items_are_paged_and_lead_back_to_their_page(browser: Client, agent: Actor) -> None:
    records = [*some_records(agent, 20), *some_records(agent, 3)]
    items = [suspected(record, agent) for record in records]
    page = opened(browser, kind="poison")
    assert len(page.rows()) == ROWS
    assert "Back to start" not in page.links
    later = opened(browser, page.links["Older items"])
    assert len(later.rows()) == len(records) - ROWS
    assert later.links["Back to start"] == f"{PATH}?kind=poison"
    assert "Older items" not in later.links
    shown = [item for item in items if str(item) in page.html] + [
        item for item in items if str(item) in later.html
    ]
    assert sorted(shown, key=str) == sorted(items, key=str)
    [first, *_rest] = [url for url in later.links.values() if str(items[2]) in url]
    item = Page(browser.get(first))
    assert item.links["Back to Integrity"] == page.links["Older items"]
    made_up = Page(browser.get(f"{PATH}{items[2]}/?from=kind%3Dpoison.zz"))
    assert made_up.links["Back to Integrity"] == PATH


def test_signals_about_no_record_here_are_counted_by_sender_and_no_hit_is_shown(
    browser: Client, agent: Actor, reviewer: Actor, outsider: Actor
) -> None:
    hit = f"<b>hit of the {MARKER}</b>"
    signalled(agent, hit, hit, f"{uuid4()}", is_poison_suspected=True)
    signalled(reviewer, uuid4(), is_used=True)
    signalled(outsider, hit)
    page = opened(browser)
    assert "Signals whose hit is no record here" in page.text
    assert "agent (agent, RCP): 3 signals · last 20" in page.text
    assert "reviewer (person, RCP): 1 signal · last 20" in page.text
    assert "outsider" not in page.text
    assert "hit of the" not in page.html
    assert page.rows() == []
    assert "Nobody suspects anything." in page.text


def test_without_such_signals_there_is_no_foot(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    signalled(agent, shared, is_used=True)
    assert "no record here" not in opened(browser).text


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ({"kind": "bad"}, "Suspected of is not one of the choices."),
        ({"state": "closed"}, "State is not one of the choices."),
        ({"after": "nonsense"}, "This page link does not fit these filters."),
    ],
)
def test_what_does_not_fit_is_a_problem(
    browser: Client, reviewer: Actor, query: dict[str, str], problem: str
) -> None:
    page = Page(browser.get(PATH, query))
    assert page.status == 422
    assert page.title == "Error: Integrity · demo · Errata"
    assert problem in page.text
    assert "Nobody suspects anything." not in page.text
    assert ("Back to start" in page.links) == ("after" in query)
    assert entries_of(reviewer) == [("signal.list", "refused", "invalid_signal_page", 0)]


@pytest.mark.usefixtures("alone")
def test_a_cursor_of_other_filters_is_a_problem(browser: Client, agent: Actor) -> None:
    for record in (*some_records(agent, 20), a_record(agent)):
        suspected(record, agent)
    onward = opened(browser).links["Older items"]
    page = Page(browser.get(f"{onward}&kind=poison"))
    assert page.status == 422
    assert page.links["Back to start"] == f"{PATH}?kind=poison"


@pytest.mark.usefixtures("alone")
def test_a_page_whose_items_were_decided_meanwhile_says_so(
    browser: Client, reviewer: Actor, agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest, *_rest = (suspected(record, agent) for record in some_records(agent, 3))
    monkeypatch.setattr("review.console.integrity.ROWS", 2)
    onward = opened(browser, state="open").links["Older items"]
    decision = IntegrityDecision(item_id=oldest, seen_state=IntegrityState.OPEN, reason="Fine.")
    decide_integrity(actor=fresh(reviewer), decision=decision)
    page = opened(browser, onward)
    assert page.rows() == []
    assert "The entries of this page are gone." in page.text
    assert page.links["Back to start"] == f"{PATH}?state=open"
    assert len(opened(browser, state="no_concern").rows()) == 1


@pytest.mark.usefixtures("alone")
def test_a_scan_that_stops_early_says_so_and_goes_on(
    browser: Client, agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspected(a_record(agent), agent, **INJECTED)
    for _ in range(3):
        suspected(a_record(agent), agent)
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 2)
    page = opened(browser, kind="injection")
    assert page.rows() == []
    assert "Nothing in the first 2,000 items of this view." in page.text
    further = opened(browser, page.links["Keep looking"])
    assert len(further.rows()) == 1


@pytest.mark.usefixtures("alone")
def test_hostile_names_stay_text(browser: Client, agent: Actor) -> None:
    record = a_record(agent, subject="<script>quagga</script>", object="\u202e<img src=x>")
    suspected(record, agent)
    page = opened(browser)
    assert "<script>quagga" not in page.html
    assert "<img" not in page.html
    assert "\u202e" not in page.html
    assert "<script>quagga</script> · has_capital" in page.text


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("rows", [1, 20])
def test_the_list_takes_the_same_statements_for_any_number_of_rows(
    browser: Client,
    agent: Actor,
    rows: int,
    count_statements: Callable[[Callable[[], object]], int],
) -> None:
    for record in some_records(agent, rows):
        suspected(record, agent)
    for _ in range(rows):
        signalled(replace(agent, id=uuid4()), "nowhere")
    assert len(opened(browser).rows()) == rows
    assert count_statements(lambda: opened(browser)) == 10
    assert count_statements(lambda: opened(browser, kind="poison")) == 10


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 200), ("owner", 200), ("auditor", 403), ("nobody", 404)]
)
def test_who_may_see_suspected_records(
    request: pytest.FixtureRequest, persona: str, status: int
) -> None:
    actor = request.getfixturevalue(persona)
    assert visitor(actor).get(PATH).status_code == status
    refused = [("signal.list", "refused", "forbidden", 0)]
    assert (entries_of(actor) == refused) == (status == 403)


def test_another_project_s_items_are_its_own(
    agent: Actor, reviewer: Actor, outsider: Actor, shared: AssertedRecord
) -> None:
    item = suspected(shared, agent, reviewer)
    client = visitor(outsider)
    assert "Nobody suspects anything." in Page(client.get("/p/elsewhere/integrity/")).text
    assert client.get(f"/p/elsewhere/integrity/{item}/").status_code == 404
