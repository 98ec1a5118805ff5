"""Records in trouble (S18)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client

from feedback.queries.trouble import TROUBLED_RECORDS
from feedback.vocabulary import OutcomeKind
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.configure_project import configure_project
from tests.factories import a_record, a_report, fresh, some_records
from tests.review.pages import Page
from tests.review.situations import compiled, correct, graded, retract, signalled
from tests.review.visitors import entries_of, visitor

PATH = "/p/demo/trouble/"

#: The one outcome there is once more, as a complaint of some days ago, which no operation makes.
AGED_COMPLAINT = """
INSERT INTO feedback_outcome (id, project_id, run_id, record_id, kind, lexemes_digest,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT gen_random_uuid(), project_id, run_id, record_id, 'incorrect', lexemes_digest,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at - %s * interval '1 day', request_id
FROM feedback_outcome
"""

#: The one signal there is once more, as a suspicion of eight days ago, which no operation makes.
AGED_SUSPICION = """
INSERT INTO feedback_signal (id, project_id, record_id, record_version, is_poison_suspected,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at, request_id)
SELECT gen_random_uuid(), project_id, record_id, record_version, true,
  recorded_by_kind, recorded_by_id, recorded_via, recorded_at - interval '8 days', request_id
FROM feedback_signal
"""


def opened(client: Client, **query: str) -> Page:
    page = Page(client.get(PATH, query))
    assert page.status == 200, page.text
    assert page.title == "Records in trouble · demo · Errata"
    return page


def complain(
    actor: Actor, record: AssertedRecord, kind: OutcomeKind = OutcomeKind.INCORRECT
) -> None:
    graded(actor, compiled(actor), kind, record, "stale")


def test_those_with_most_distinct_senders_come_first(
    browser: Client, reviewer: Actor, agent: Actor
) -> None:
    loud, many, fine = (a_record(agent, subject=f"{name} quagga") for name in ("a", "b", "c"))
    for _ in range(3):
        complain(agent, loud)
    complain(agent, many)
    complain(reviewer, many, OutcomeKind.HARMFUL)
    complain(agent, fine, OutcomeKind.IRRELEVANT)
    a_report(agent, many)
    page = opened(browser)
    first, second = page.rows()
    assert first.startswith("b quagga · has_capital · Town")
    assert " 1 1 0 0 2 20" in first
    assert " UTC 1 · b quagga · has_capital Report a doubt " in first
    assert second.startswith("a quagga")
    assert " 3 0 0 0 1 20" in second
    assert " UTC 0 Report a doubt " in second
    assert "Advisory These are unverified statements by clients; nothing was changed" in page.text
    assert (
        "At most 50 records, out of the newest 10,000 outcomes and as many suspicions." in page.text
    )
    assert page.links["1 · b quagga · has_capital"] == f"/p/demo/records/{many.id}/reports/"
    assert page.links["Report a doubt · b quagga · has_capital"] == (
        f"/p/demo/records/{many.id}/report/?reason=outcomes"
    )
    assert entries_of(reviewer)[-1] == ("outcome.list", "allowed", "", 2)


def test_suspicions_bring_a_record_into_trouble_and_senders_are_counted_over_both(
    browser: Client, reviewer: Actor, owner: Actor, agent: Actor
) -> None:
    both, only, fine = (a_record(agent, subject=f"{name} quagga") for name in ("a", "b", "c"))
    complain(agent, both)
    signalled(agent, both, is_poison_suspected=True)
    signalled(reviewer, both, is_poison_suspected=True, is_injection_suspected=True)
    signalled(owner, both, is_helpful=False, reward=-1.0)
    signalled(agent, only, only, is_injection_suspected=True)
    signalled(agent, fine, is_poison_suspected=False, is_used=True)
    signalled(agent, "nowhere", is_poison_suspected=True)
    page = opened(browser)
    first, second = page.rows()
    assert first.startswith("a quagga")
    assert " 1 0 2 1 2 20" in first
    assert second.startswith("b quagga")
    assert " 0 0 0 2 1 20" in second
    doubts = [url for label, url in page.links.items() if label.startswith("Report a doubt")]
    assert doubts == [
        f"/p/demo/records/{both.id}/report/?reason=outcomes",
        f"/p/demo/records/{only.id}/report/?reason=suspicions",
    ]
    html = browser.get(doubts[1]).content.decode()
    assert "Suspected: injection 2 from 1 actor since 20" in html


@pytest.mark.parametrize(("days", "found"), [("7", 0), ("30", 1), ("90", 1)])
def test_suspicions_of_the_period_count(
    browser: Client, agent: Actor, shared: AssertedRecord, days: str, found: int
) -> None:
    signalled(agent, shared, is_used=True)
    with connection.cursor() as cursor:
        cursor.execute(AGED_SUSPICION)
    assert len(opened(browser, days=days).rows()) == found


def test_closed_records_are_left_out_unless_asked_for(browser: Client, agent: Actor) -> None:
    records = [a_record(agent) for _ in range(3)]
    for record in records:
        complain(agent, record)
    correct(agent, records[0])
    retract(agent, records[1])
    page = opened(browser)
    assert len(page.rows()) == 1
    both = Page(browser.get(page.links["Include closed records"]))
    rows = both.rows()
    assert len(rows) == 3
    assert sum("Superseded" in row for row in rows) == 1
    assert sum("Retracted" in row for row in rows) == 1
    assert sum("Report a doubt" in row for row in rows) == 1
    assert both.links["Leave out closed records"] == f"{PATH}?days=30"
    assert both.links["7 days"] == f"{PATH}?days=7&closed=show"


@pytest.mark.parametrize(
    ("age", "days", "found"),
    [(6, "7", 1), (8, "7", 0), (29, "30", 1), (31, "30", 0), (31, "90", 1), (91, "90", 0)],
)
def test_a_period_is_counted_back_from_now(
    browser: Client, agent: Actor, shared: AssertedRecord, age: int, days: str, found: int
) -> None:
    complain(agent, shared, OutcomeKind.USED)
    with connection.cursor() as cursor:
        cursor.execute(AGED_COMPLAINT, [age])
    page = opened(browser, days=days)
    assert len(page.rows()) == found
    says_nothing = "No record has counted negative outcomes or signals in this period." in page.text
    assert says_nothing == (not found)


def test_thirty_days_are_shown_unasked(browser: Client) -> None:
    page = opened(browser)
    assert 'aria-current="true">30 days' in page.html
    assert page.links["90 days"] == f"{PATH}?days=90"


def test_only_words_that_count_bring_a_record_into_trouble(
    browser: Client, agent: Actor, operator: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    graded(agent, run, OutcomeKind.HARMFUL, shared)
    graded(agent, run, OutcomeKind.USEFUL, shared)
    assert len(opened(browser).rows()) == 1
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    assert opened(browser).rows() == []


def test_more_than_fifty_are_cut_and_the_page_says_so(browser: Client, agent: Actor) -> None:
    for _ in range(3):
        some_records(agent, 17)
    run = compiled(agent)
    for item in run.items[:TROUBLED_RECORDS]:
        graded(agent, run, OutcomeKind.INCORRECT, item.record.id)
    assert "There is more than this page shows." not in opened(browser).text
    graded(agent, run, OutcomeKind.INCORRECT, run.items[TROUBLED_RECORDS].record.id)
    page = opened(browser)
    assert len(page.rows()) == TROUBLED_RECORDS
    assert "There is more than this page shows. Choose a shorter period." in page.text
    assert len(page.html.encode()) <= 60 * 1024


def test_nothing_is_said_only_of_what_was_looked_at(
    browser: Client, agent: Actor, shared: AssertedRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded(agent, compiled(agent), OutcomeKind.USED, shared)
    assert "No record has counted negative outcomes" in opened(browser).text
    monkeypatch.setattr("feedback.queries.trouble.NEWEST_OUTCOMES", 1)
    text = opened(browser).text
    assert "outcomes and as many suspicions of this period." in text
    assert "No record has counted" not in text


@pytest.mark.parametrize(
    "query", [{"days": "8"}, {"days": ""}, {"days": "7\0"}, {"closed": "1"}, {"closed": "yes"}]
)
def test_a_choice_that_is_none_is_a_problem(
    browser: Client, reviewer: Actor, query: dict[str, str]
) -> None:
    page = Page(browser.get(PATH, query))
    assert page.status == 422
    [name] = query
    assert f"{name} is not one of the choices." in page.text
    assert page.links["Back to start"] == f"{PATH}?days=30"
    assert entries_of(reviewer) == [("outcome.list", "refused", "validation_error", 0)]


def test_hostile_names_stay_text(browser: Client, agent: Actor) -> None:
    record = a_record(agent, subject="<script>quagga</script>", object="\u202e<img src=x>")
    complain(agent, record)
    page = opened(browser)
    assert "<script>quagga" not in page.html
    assert "<img" not in page.html
    assert "\u202e" not in page.html
    assert "<script>quagga</script> · has_capital" in page.text


def test_a_reader_sees_no_way_to_report(
    reader: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    complain(agent, shared)
    page = opened(visitor(reader))
    assert len(page.rows()) == 1
    assert "Report a doubt" not in page.text


@pytest.mark.parametrize("rows", [0, 1, 20, 50])
def test_the_page_takes_the_same_statements_for_any_number_of_rows(
    browser: Client,
    agent: Actor,
    rows: int,
    count_statements: Callable[[Callable[[], object]], int],
) -> None:
    for start in range(0, rows, 20):
        some_records(agent, min(20, rows - start))
    run = compiled(agent)
    for item in run.items:
        graded(agent, run, OutcomeKind.INCORRECT, item.record.id)
        signalled(agent, item.record.id, is_poison_suspected=True)
    assert len(run.items) == rows
    assert count_statements(lambda: opened(browser)) == 7


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 200), ("owner", 200), ("auditor", 403), ("nobody", 404)]
)
def test_who_may_see_records_in_trouble(
    request: pytest.FixtureRequest, persona: str, status: int
) -> None:
    actor = request.getfixturevalue(persona)
    assert visitor(actor).get(PATH).status_code == status
    refused = [("outcome.list", "refused", "forbidden", 0)]
    assert (entries_of(actor) == refused) == (status == 403)
