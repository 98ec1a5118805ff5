"""Doubts about a record that changed while they were written (E5)."""

from __future__ import annotations

from django.test import Client

from feedback.models import Report
from memory.actor import Actor
from memory.models import Record
from memory.operations.assert_records import AssertedRecord
from tests.review.doubting import address, form_on, record_page, submit
from tests.review.pages import Form, Page
from tests.review.situations import correct, everything, move, retract
from tests.review.visitors import entries_of

CONFLICT = (
    "This record changed while you were writing. Nothing was sent. "
    "Below is what it says now; your text is kept."
)


def refused(browser: Client, form: Form, reviewer: Actor, **typed: str) -> Page:
    """The answer to a form that came too late; nothing was written but its refusal."""
    before = everything()
    typed = {"note": "quagga & so", "proposed_object": "Gitega & so", **typed}
    page = Page(submit(browser, form, **typed))
    assert page.status == 409
    assert page.title == "Changed: Report a doubt · demo · Errata"
    assert page.focused == CONFLICT
    assert 'data-keys="off"' in page.html
    for text in ("quagga &amp; so", "Gitega &amp; so"):
        assert text in page.html
    assert everything() == before
    assert entries_of(reviewer)[-1] == ("feedback.record", "refused", "record_conflict", 0)
    return page


def test_a_record_that_moved_is_shown_with_the_text_kept(
    browser: Client, reviewer: Actor, owner: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    version = move(record, owner)
    page = refused(browser, form, reviewer)
    assert "Current version 2" in page.text
    assert "Report this doubt about version 2" in page.text
    again = page.form_to(address(record))
    assert again is not None
    assert again.hidden["expected_version"] == str(version)
    assert again.hidden["form_key"] != form.hidden["form_key"]
    assert submit(browser, again).status_code == 303
    assert Report.objects.get().record_version == version


def test_a_record_corrected_meanwhile_offers_the_text_to_the_one_in_its_place(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    new = Record.objects.get(id=correct(agent, record, to="Usumbura"))
    page = refused(browser, form, reviewer)
    assert "Corrected to “Usumbura” at 20" in page.text
    assert "It is Usumbura." in page.text
    assert page.links["Open the new record"] == record_page(new.id)
    assert page.form_to(address(record)) is None
    again = page.form_to(address(new.id))
    assert again is not None
    assert again.hidden["expected_version"] == str(new.version)
    assert "Report this doubt about the new record" in page.text
    assert submit(browser, again)["Location"] == record_page(new.id)
    assert Report.objects.get().record_id == new.id


def test_where_no_current_record_is_left_the_text_is_shown_and_nothing_can_be_sent(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    new = correct(agent, record, to="Usumbura")
    correct(agent, new, to="Ngozi")
    page = refused(browser, form, reviewer)
    assert "Superseded version 2" in page.text
    assert "Your text" in page.text
    assert page.links["Open the new record"] == record_page(new)
    assert not [form for form in page.forms if form.action.endswith("/report/")]


def test_a_record_retracted_meanwhile_keeps_the_text_too(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    retract(agent, record)
    page = refused(browser, form, reviewer)
    assert "Retracted version 2" in page.text
    assert page.links["View its history"] == record_page(record, "history/")
    assert "It should say: Gitega & so" in page.text


def test_a_text_that_does_not_fit_is_not_the_first_problem_of_a_record_that_changed(
    browser: Client, reviewer: Actor, owner: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    move(record, owner)
    page = refused(browser, form, reviewer, note="quagga & so" + "x" * 17_000)
    again = page.form_to(address(record))
    assert again is not None
    assert Page(submit(browser, again, note="")).status == 422


def test_a_version_of_a_closed_record_cannot_be_made_up_into_a_report(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    retract(agent, record)
    version = str(Record.objects.get(id=record.id).version)
    form.hidden["expected_version"] = version
    refused(browser, form, reviewer)
