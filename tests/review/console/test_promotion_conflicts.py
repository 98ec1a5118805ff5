"""Promotions that came too late: E1, E2, E3 and E6."""

from __future__ import annotations

from uuid import uuid4

from django.test import Client

from feedback.operations.record_report import ReportReceipt
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from tests.factories import a_report
from tests.review.pages import Page
from tests.review.situations import correct, everything, move, promote, retract
from tests.review.submitting import LIST, address, changes, form_on, submit
from tests.review.visitors import entries_of, visitor


def test_a_record_corrected_meanwhile_is_shown_and_nothing_is_saved(
    browser: Client,
    reviewer: Actor,
    agent: Actor,
    correction: ReportReceipt,
    record: AssertedRecord,
) -> None:
    following = a_report(agent)
    form = form_on(browser, correction)
    new = correct(agent, record, to="Usumbura")
    before = everything()
    page = Page(submit(browser, form))
    assert page.status == 409
    assert page.focused == (
        "This record was closed after you opened it. Nothing was saved; the report is still open."
    )
    assert "agent (agent, API) corrected it to “Usumbura” at 20" in page.text
    assert "UTC. This report can no longer be promoted." in page.text
    assert "You saw version 1" in page.text
    assert "Now, in a new record version 1" in page.text
    assert "The report proposes Gitega The quagga's capital is Gitega now." in page.text
    assert not page.can_promote
    assert page.links["Open the new record"] == f"/p/demo/records/{new}/"
    assert page.links["Next report"] == address(following)
    assert page.links["Back to open reports, oldest first"] == LIST
    assert page.title == "Changed: Report · demo · Errata"
    assert 'data-keys="off"' in page.html
    assert everything() == before
    assert entries_of(reviewer)[1:] == [("feedback.promote", "refused", "record_conflict", 0)]


def test_a_record_retracted_meanwhile_is_shown(
    browser: Client, agent: Actor, retraction: ReportReceipt, record: AssertedRecord
) -> None:
    form = form_on(browser, retraction)
    retract(agent, record)
    page = Page(submit(browser, form))
    assert page.status == 409
    assert "agent (agent, API) retracted it at 20" in page.text
    assert page.links["View its history"] == f"/p/demo/records/{record.id}/history/"
    assert not page.can_promote


def test_a_record_that_moved_and_is_still_current_can_be_decided_again(
    browser: Client,
    owner: Actor,
    agent: Actor,
    correction: ReportReceipt,
    record: AssertedRecord,
) -> None:
    following = a_report(agent)
    form = form_on(browser, correction)
    version = move(record, owner)
    before = everything()
    page = Page(submit(browser, form))
    assert page.status == 409
    assert page.focused == (
        "This record changed after you opened it. Nothing was saved; the report is still open."
    )
    assert (
        "You saw version 1 (“Bujumbura”). owner (person) moved it to version 2 (“Bujumbura”) at 20"
    ) in page.text
    again = page.promotion
    assert again.hidden["expected_version"] == str(version)
    assert again.hidden["form_key"] != form.hidden["form_key"]
    assert again.buttons["then", "next"] == "Correct version 2 to “Gitega”"
    assert page.links["Skip to next"] == address(following)
    assert everything() == before
    assert submit(browser, again).status_code == 303
    assert changes() == 1


def test_a_retraction_of_a_moved_record_leads_to_the_page_that_asks_again(
    browser: Client, owner: Actor, retraction: ReportReceipt, record: AssertedRecord
) -> None:
    form = form_on(browser, retraction)
    version = move(record, owner)
    page = Page(submit(browser, form))
    confirm = page.links["Retract version 2"]
    assert confirm == f"{address(retraction)}retract/?v={version}"
    assert Page(browser.get(confirm)).promotion.hidden["expected_version"] == str(version)


def test_a_version_that_never_was_is_a_conflict_too(
    browser: Client, correction: ReportReceipt
) -> None:
    form = form_on(browser, correction)
    page = Page(submit(browser, form, expected_version=str(uuid4())))
    assert page.status == 409
    assert "The version that you sent was never one of this record." in page.text
    assert "You saw" not in page.text
    assert changes() == 0


def test_of_two_reviewers_one_promotes_and_the_other_reads_who_did(
    browser: Client,
    owner: Actor,
    agent: Actor,
    correction: ReportReceipt,
) -> None:
    following = a_report(agent)
    slower = visitor(owner)
    form = form_on(slower, correction)
    assert submit(browser, form_on(browser, correction)).status_code == 303
    page = Page(submit(slower, form))
    assert page.status == 409
    assert page.focused.startswith("Already promoted at 20")
    assert page.focused.endswith(
        "UTC by reviewer (person). Outcome: corrected to “Gitega”. There is nothing for you to do."
    )
    assert "Reported by agent (agent, API), promoted by reviewer (person)." in page.text
    assert not page.can_promote
    assert page.links["Next report"] == address(following)
    assert entries_of(owner)[1:] == [
        ("feedback.promote", "refused", "feedback_already_promoted", 0)
    ]
    assert changes() == 1


def test_a_retraction_by_somebody_else_reads_the_same_way(
    browser: Client, owner: Actor, retraction: ReportReceipt
) -> None:
    form = form_on(browser, retraction)
    promote(owner, retraction.id)
    page = Page(submit(browser, form))
    assert "UTC by owner (person). Outcome: retracted." in page.focused
    assert page.links["Back to open reports, oldest first"] == LIST  # nothing is left in the view


def test_a_second_form_for_a_report_that_you_promoted_says_so(
    browser: Client, correction: ReportReceipt
) -> None:
    first, second = form_on(browser, correction), form_on(browser, correction)
    submit(browser, first)
    page = Page(submit(browser, second))
    assert page.status == 409
    assert page.focused.startswith("You already promoted this report at 20")


def test_a_key_of_another_form_saves_nothing(
    browser: Client, agent: Actor, correction: ReportReceipt
) -> None:
    other = a_report(agent, proposed_object="Gitega")
    used = form_on(browser, other)
    submit(browser, used)
    before = everything()
    form = form_on(browser, correction)
    page = Page(submit(browser, form, form_key=used.hidden["form_key"]))
    assert page.status == 409
    assert "This form was already sent with other content. Nothing was saved now." in page.text
    assert page.links["Open the report"] == address(correction)
    assert everything() == before
