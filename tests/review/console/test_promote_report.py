"""Promoting from the console (S9): what works, what is refused, what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from feedback.operations.record_report import ReportReceipt
from memory import hooks
from memory.actor import Actor
from memory.errors import FieldInvalid
from memory.idempotency import claim_request
from memory.keys import IdempotencyRequest
from memory.models import AuditEntry, Record
from memory.operations.assert_records import AssertedRecord
from memory.transactions import project_scope
from tests.factories import a_report
from tests.invariants import assert_invariants
from tests.review.pages import Page
from tests.review.situations import correct, everything, move, promote, retract
from tests.review.submitting import LIST, address, changes, form_on, submit
from tests.review.visitors import entries_of, visitor
from tests.statements import watched


def test_a_correction_leads_to_the_next_report_and_says_what_was_done(
    browser: Client,
    reviewer: Actor,
    agent: Actor,
    correction: ReportReceipt,
    record: AssertedRecord,
) -> None:
    following = a_report(agent, note="quagga next")
    answer = submit(browser, form_on(browser, correction))
    assert answer.status_code == 303
    assert answer["Location"].startswith(address(following) + "?decided=")
    page = Page(browser.get(answer["Location"]))
    assert "quagga next" in page.text
    assert page.focused.startswith(
        "Corrected Burundi of the quagga · has_capital to “Gitega” at 20"
    )
    assert "UTC, credited to you." in page.focused
    new = Record.objects.get(replaces=record.id)
    assert (new.object, new.statement) == ("Gitega", "The quagga's capital is Gitega now.")
    assert new.recorded_by_id == reviewer.id
    assert page.links["View the new record"] == f"/p/demo/records/{new.id}/"
    assert "See the other reports" not in page.links
    assert "That was the last report" not in page.text
    assert_invariants()


def test_both_entries_of_a_promotion_have_the_same_request(
    browser: Client, reviewer: Actor, correction: ReportReceipt
) -> None:
    submit(browser, form_on(browser, correction))
    assert entries_of(reviewer)[1:] == [
        ("feedback.promote", "allowed", "", 1),
        ("record.correct", "allowed", "", 1),
    ]
    requests = AuditEntry.objects.filter(
        operation__in=["feedback.promote", "record.correct"], actor_id=reviewer.id
    ).values_list("request_id", flat=True)
    assert len(set(requests)) == 1


def test_to_stay_shows_the_same_report_with_its_outcome(
    browser: Client, agent: Actor, correction: ReportReceipt
) -> None:
    a_report(agent)
    answer = submit(browser, form_on(browser, correction), "stay")
    assert answer["Location"].startswith(address(correction) + "?decided=")
    page = Page(browser.get(answer["Location"]))
    assert "credited to you." in page.focused
    assert "Reported by agent (agent, API), promoted by reviewer (person)." in page.text
    assert not page.can_promote


def test_the_enter_key_alone_leads_on(
    browser: Client, agent: Actor, correction: ReportReceipt
) -> None:
    following = a_report(agent)
    form = form_on(browser, correction)
    answer = browser.post(form.action, form.hidden)
    assert answer["Location"].startswith(address(following))


@pytest.mark.usefixtures("correction")
def test_the_last_report_of_a_view_leads_to_the_list(browser: Client, agent: Actor) -> None:
    a_report(agent, note="quagga stays behind")
    newest = Page(browser.get(LIST, {"order": "newest"}))
    page = Page(browser.get(newest.links["The quagga's capital is Gitega now."]))
    answer = submit(browser, page.promotion)
    assert answer["Location"].startswith(f"{LIST}?order=newest&decided=")
    listed = Page(browser.get(answer["Location"]))
    assert "Corrected Burundi of the quagga" in listed.focused
    assert "That was the last report in this view." in listed.focused
    assert "quagga stays behind" in listed.text


def test_other_open_reports_about_the_closed_record_are_counted(
    browser: Client, agent: Actor, correction: ReportReceipt, record: AssertedRecord
) -> None:
    for _ in range(2):
        a_report(agent, record)
    page = Page(browser.get(submit(browser, form_on(browser, correction), "stay")["Location"]))
    assert "2 other open reports are about the record you closed." in page.focused
    assert page.links["See the other reports"] == f"/p/demo/records/{record.id}/reports/"


def test_a_retraction_takes_a_second_page_and_then_happens(
    browser: Client, reviewer: Actor, retraction: ReportReceipt, record: AssertedRecord
) -> None:
    report = Page(browser.get(address(retraction)))
    confirm = Page(browser.get(report.links["Retract this record"]))
    assert confirm.focused == "Retract this record?"
    assert (
        "It stays in the history, and no context will include it. "
        "A reviewer can assert the statement again as a new record."
    ) in confirm.text
    assert confirm.html.count("<del>") >= 4
    assert confirm.promotion.hidden["expected_version"] == str(record.version)
    assert confirm.promotion.buttons == {
        ("then", "next"): "Retract record, open next",
        ("then", "stay"): "Retract, stay here",
    }
    assert confirm.links["Back to the report"] == address(retraction)
    assert "button-danger" in confirm.html
    answer = submit(browser, confirm.promotion)
    page = Page(browser.get(answer["Location"]))
    assert page.focused.startswith("Retracted Burundi of the quagga · has_capital at 20")
    assert "No context will include it." in page.focused
    assert page.links["View its history"] == f"/p/demo/records/{record.id}/history/"
    assert Record.objects.get(id=record.id).status == "retracted"
    assert [entry[0] for entry in entries_of(reviewer)] == [
        "feedback.list",
        "feedback.list",
        "feedback.promote",
        "record.retract",
        "feedback.list",
    ]
    assert_invariants()


@pytest.mark.parametrize("second", ["next", "stay"])
def test_the_same_form_sent_twice_changes_once_and_answers_the_same(
    browser: Client, agent: Actor, correction: ReportReceipt, second: str
) -> None:
    a_report(agent)
    form = form_on(browser, correction)
    first = submit(browser, form)
    again = submit(browser, form, second)
    assert again.status_code == 303
    if second == "next":
        assert again["Location"] == first["Location"]
    assert Page(browser.get(again["Location"])).focused == (
        Page(browser.get(first["Location"])).focused
    )
    assert changes() == 1


def test_a_retraction_sent_twice_answers_the_same(
    browser: Client, agent: Actor, retraction: ReportReceipt, record: AssertedRecord
) -> None:
    a_report(agent, record)
    form = form_on(browser, retraction)
    locations = {submit(browser, form, "stay")["Location"] for _ in range(3)}
    assert len(locations) == 1
    assert "1 other open report is" in Page(browser.get(locations.pop())).focused


def test_the_notice_is_for_who_did_it_and_cannot_be_made_up(
    browser: Client, owner: Actor, correction: ReportReceipt
) -> None:
    location = submit(browser, form_on(browser, correction), "stay")["Location"]
    assert "credited to you" not in Page(visitor(owner).get(location)).text
    assert "credited to you" not in Page(browser.get(location[:-1])).text
    open_report = location.replace("decided=", "decided=0")
    assert Page(browser.get(open_report)).status == 200


def test_no_text_of_a_notice_lies_in_a_session(browser: Client, correction: ReportReceipt) -> None:
    submit(browser, form_on(browser, correction))
    kept = dict(browser.session.items())
    assert "Burundi" not in repr(kept)
    assert "Gitega" not in repr(kept)


@pytest.mark.parametrize(
    "changed",
    [
        {"expected_version": "nonsense"},
        {"expected_version": ""},
        {"form_key": "nonsense"},
        {"form_key": ""},
        {"then": "elsewhere"},
        {"expected_version": "\0"},
    ],
)
def test_a_form_that_is_not_ours_saves_nothing(
    browser: Client, reviewer: Actor, correction: ReportReceipt, changed: dict[str, str]
) -> None:
    page = Page(submit(browser, form_on(browser, correction), **changed))
    assert page.status == 422
    assert "This form is no longer valid. Nothing was saved. Open the page again." in page.text
    assert page.links["Open the report"] == address(correction)
    assert page.title == "Error: There is a problem · demo · Errata"
    assert changes() == 0
    assert entries_of(reviewer)[-1] == ("feedback.promote", "refused", "invalid_feedback", 0)


@pytest.fixture
def picky_hook() -> Iterator[None]:
    """A plug-in that refuses what a promotion would write, as a stricter rule some day may."""

    def refuse(_project: UUID, _records: Any, _at: datetime) -> int:
        raise FieldInvalid("object", "must name a place.")

    hooks.on_record_closed.append(refuse)
    yield
    hooks.on_record_closed.remove(refuse)


@pytest.mark.usefixtures("picky_hook")
def test_a_value_that_the_operation_refuses_saves_nothing(
    browser: Client, reviewer: Actor, correction: ReportReceipt
) -> None:
    form = form_on(browser, correction)
    before = everything()
    page = Page(submit(browser, form))
    assert page.status == 422
    assert (
        "The proposed value cannot be written: must name a place. "
        "Nothing was saved; the report stays open."
    ) in page.text
    assert everything() == before
    assert entries_of(reviewer)[-1] == ("feedback.promote", "refused", "invalid_feedback", 0)


def test_a_bad_origin_falls_back_and_never_stands_in_the_way(
    browser: Client, correction: ReportReceipt
) -> None:
    answer = submit(browser, form_on(browser, correction), **{"from": "nonsense"})
    assert answer.status_code == 303
    assert answer["Location"].startswith(f"{LIST}?decided=")


def test_the_address_of_the_form_takes_a_form_only(
    browser: Client, correction: ReportReceipt
) -> None:
    answer = browser.get(f"{address(correction)}promote/")
    page = Page(answer)
    assert page.status == 405
    assert answer["Allow"] == "POST"
    assert "This address only takes a form. Open the page first." in page.text
    assert page.links["Open the page"] == address(correction)


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 403), ("auditor", 403), ("nobody", 404), ("outsider", 404)]
)
def test_who_may_not_promote_changes_nothing(
    request: pytest.FixtureRequest,
    correction: ReportReceipt,
    record: AssertedRecord,
    persona: str,
    status: int,
) -> None:
    actor = request.getfixturevalue(persona)
    client = visitor(actor)
    before = everything()
    sent = {"expected_version": str(record.version), "form_key": str(uuid4())}
    page = Page(client.post(f"{address(correction)}promote/", sent))
    assert page.status == status
    assert everything() == before
    if status == 403:
        assert "does not include this. Nothing was saved." in page.text
        assert entries_of(actor) == [("feedback.promote", "refused", "forbidden", 0)]
    else:
        assert entries_of(actor) == []
    assert client.get(f"{address(correction)}retract/").status_code == status


def test_a_missing_report_is_not_found(browser: Client, record: AssertedRecord) -> None:
    sent = {"expected_version": str(record.version), "form_key": str(uuid4())}
    assert browser.post(f"{LIST}{uuid4()}/promote/", sent).status_code == 404
    assert browser.get(f"{LIST}{uuid4()}/retract/?v={record.version}").status_code == 404


def test_a_promotion_stays_within_its_budget(
    browser: Client, agent: Actor, correction: ReportReceipt, record: AssertedRecord
) -> None:
    for _ in range(50):
        a_report(agent, record)
    form = form_on(browser, correction)
    with watched() as statements:
        assert submit(browser, form).status_code == 303
    assert len(statements) <= 22, str(statements)
    with watched() as statements:
        assert submit(browser, form).status_code == 303
    assert len(statements) <= 22, str(statements)


@pytest.mark.usefixtures("correction")
@pytest.mark.parametrize("others", [0, 3])
def test_the_list_behind_the_last_report_stays_within_its_budget(
    browser: Client, agent: Actor, others: int
) -> None:
    for _ in range(others):
        a_report(agent)
    newest = Page(browser.get(LIST, {"order": "newest"}))
    page = Page(browser.get(newest.links["The quagga's capital is Gitega now."]))
    answer = submit(browser, page.promotion)
    assert answer["Location"].startswith(f"{LIST}?order=newest&decided=")
    with watched() as statements:
        listed = browser.get(answer["Location"])
    assert listed.status_code == 200
    assert len(statements) <= 9, str(statements)


def test_a_retraction_stays_within_its_budget(browser: Client, retraction: ReportReceipt) -> None:
    confirm = Page(browser.get(address(retraction))).links["Retract this record"]
    with watched() as statements:
        form = Page(browser.get(confirm)).promotion
    assert len(statements) <= 14
    with watched() as statements:
        assert submit(browser, form).status_code == 303
    assert len(statements) <= 22


@pytest.mark.parametrize("change", ["correct", "retract", "move", "promote"])
def test_a_conflict_stays_within_its_budget(
    browser: Client,
    owner: Actor,
    correction: ReportReceipt,
    record: AssertedRecord,
    change: str,
) -> None:
    form = form_on(browser, correction)
    if change == "promote":
        promote(owner, correction.id)
    elif change == "move":
        move(record, owner)
    elif change == "correct":
        correct(owner, record)
    else:
        retract(owner, record)
    with watched() as statements:
        assert submit(browser, form).status_code == 409
    assert len(statements) <= 22


@pytest.mark.django_db(transaction=True)
def test_a_submit_beside_its_own_first_one_waits_and_then_says_so(
    browser: Client, reviewer: Actor, correction: ReportReceipt
) -> None:
    form = form_on(browser, correction)
    claimed, answered = Event(), Event()

    def first() -> None:
        key = IdempotencyRequest(form.hidden["form_key"], "review:report-promote", b"f" * 32)
        with project_scope(reviewer.project_id):
            claim_request(reviewer, key, {})
            claimed.set()
            answered.wait(20)
        connection.close()

    thread = Thread(target=first, daemon=True)
    thread.start()
    assert claimed.wait(20)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '100ms'")
    answer = submit(browser, form)
    answered.set()
    thread.join(20)
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")
    page = Page(answer)
    assert page.status == 409
    assert answer["Retry-After"] == "2"
    assert "Your first submit is still running. Wait 2 seconds, then open the page." in page.text
    assert changes() == 0
