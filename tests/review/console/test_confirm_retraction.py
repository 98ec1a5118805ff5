"""The page that asks before a retraction."""

from __future__ import annotations

import pytest
from django.test import Client

from feedback.operations.record_report import ReportReceipt
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from tests.review.pages import Page
from tests.review.situations import move, promote
from tests.review.submitting import address
from tests.review.visitors import entries_of

NEVER = "bfd8f532-cc6c-4ba9-8c07-e77e99f725f6"


def test_the_page_that_asks_is_a_conflict_for_another_version(
    browser: Client,
    reviewer: Actor,
    owner: Actor,
    retraction: ReportReceipt,
    record: AssertedRecord,
) -> None:
    confirm = Page(browser.get(address(retraction))).links["Retract this record"]
    version = move(record, owner)
    page = Page(browser.get(confirm))
    assert page.status == 409
    assert "You saw version 1" in page.text
    assert page.links["Retract version 2"] == f"{address(retraction)}retract/?v={version}"
    assert entries_of(reviewer)[1:] == [("feedback.list", "allowed", "", 1)]


@pytest.mark.parametrize(
    "version", ["", "?v=", "?v=nonsense", f"?v={NEVER}", f"?v={NEVER.upper()}"]
)
def test_the_page_that_asks_needs_the_version_that_was_seen(
    browser: Client, retraction: ReportReceipt, version: str
) -> None:
    page = Page(browser.get(f"{address(retraction)}retract/{version}"))
    assert page.status == 409
    assert "The version that you sent was never one of this record." in page.text
    assert "Retract version 1" in page.links


def test_the_page_that_asks_ends_where_the_report_ended(
    browser: Client, owner: Actor, retraction: ReportReceipt
) -> None:
    confirm = Page(browser.get(address(retraction))).links["Retract this record"]
    promote(owner, retraction.id)
    page = Page(browser.get(confirm))
    assert page.status == 409
    assert page.focused.startswith("Already promoted at ")


def test_a_correction_is_never_asked_about(
    browser: Client, correction: ReportReceipt, record: AssertedRecord
) -> None:
    answer = browser.get(f"{address(correction)}retract/?v={record.version}")
    assert (answer.status_code, answer["Location"]) == (303, address(correction))
