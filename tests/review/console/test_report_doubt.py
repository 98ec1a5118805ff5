"""Reporting a doubt from the console (S13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client

from feedback.models import Report
from memory.actor import Actor
from memory.idempotency import claim_request
from memory.keys import IdempotencyRequest
from memory.operations.assert_records import AssertedRecord
from memory.queries.records import RecordDetail
from memory.transactions import project_scope
from review.messages import Sentence, sentence
from review.queries.doubt import REASONS
from tests.factories import a_record
from tests.invariants import assert_invariants
from tests.observed import changed_tables
from tests.review.doubting import NOTE, address, form_on, record_page, submit
from tests.review.pages import Page
from tests.review.situations import correct, everything, move, retract
from tests.review.visitors import entries_of, visitor
from tests.statements import watched

# The page


def test_the_page_shows_the_record_and_a_form_about_the_version_drawn(
    browser: Client, reviewer: Actor, record: AssertedRecord
) -> None:
    page = Page(browser.get(address(record)))
    assert page.status == 200
    assert page.title == "Report a doubt · demo · Errata"
    assert "Report a doubt about Burundi of the quagga · has_capital" in page.text
    assert "The capital of the quagga's Burundi is Bujumbura." in page.text
    assert "Current version 1" in page.text
    assert (
        "Leave the second field empty if the record should be retracted. If you fill it in, the "
        "first becomes the new statement: write it as one. Nothing changes until a reviewer "
        "promotes the report."
    ) in page.text
    form = page.form_to(address(record))
    assert form is not None
    assert form.hidden["expected_version"] == str(record.version)
    assert str(UUID(form.hidden["form_key"])) == form.hidden["form_key"]
    assert form.hidden["form_key"] != form_on(browser, record).hidden["form_key"]
    assert page.links["Back to the record"] == record_page(record)
    assert page.hinted_keys == page.working_keys == {"u"}
    assert 'data-refresh=""' in page.html  # a fresh copy would lose what was typed
    assert entries_of(reviewer) == [("record.get", "allowed", "", 1)] * 2


def test_each_field_has_a_label_a_hint_and_no_placeholder(
    browser: Client, record: AssertedRecord
) -> None:
    html = browser.get(address(record)).content.decode()
    for field, label in (("note", "What is wrong?"), ("proposed_object", "It should say")):
        assert f'<label class="label" for="id_{field}">{label}</label>' in html
        assert f'id="id_{field}_helptext"' in html
        assert f'aria-describedby="id_{field}_helptext"' in html
    assert "placeholder" not in html


@pytest.mark.parametrize("tab", ["", "reports/", "versions/", "history/"])
def test_a_current_record_leads_reviewers_to_it_and_tells_readers_why_not(
    browser: Client, reader: Actor, owner: Actor, record: AssertedRecord, tab: str
) -> None:
    move(record, owner)
    for client in (browser, visitor(owner)):
        page = Page(client.get(record_page(record, tab)))
        assert page.links["Report a doubt"] == address(record)
        assert "Reporting needs" not in page.text
    page = Page(visitor(reader).get(record_page(record, tab)))
    assert "Reporting needs the role reviewer." in page.text
    assert "Report a doubt" not in page.links
    for client in (browser, visitor(reader)):
        old = Page(client.get(record_page(record, "versions/1/")))
        assert "Report a doubt" not in old.links
        assert "Reporting needs" not in old.text


def test_a_closed_record_says_so_and_leads_to_the_one_in_its_place(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord
) -> None:
    new = correct(agent, record, to="Usumbura")
    page = Page(browser.get(address(record)))
    assert page.status == 200
    assert "Corrected to “Usumbura” at 20" in page.text
    assert "UTC by agent (agent, API)." in page.text
    assert "A doubt can be reported about a current record only." in page.text
    assert page.links["Open the new record"] == record_page(new)
    assert page.form_to(address(record)) is None
    assert "Report a doubt" not in Page(browser.get(record_page(record))).links
    assert entries_of(reviewer)[0] == ("record.get", "allowed", "", 1)


def test_a_retracted_record_leads_to_its_history(
    browser: Client, agent: Actor, record: AssertedRecord
) -> None:
    retract(agent, record)
    page = Page(browser.get(address(record)))
    assert "Retracted at 20" in page.text
    assert page.links["View its history"] == record_page(record, "history/")
    assert page.form_to(address(record)) is None


# A reason in the address


@pytest.fixture
def reason() -> Iterator[Callable[[str], None]]:
    """Let the console know reasons by name, which say how many reports a record has."""
    before = dict(REASONS)

    def read(_actor: Actor, record: RecordDetail) -> Sentence | None:
        if record.object == "Gitega":
            return None
        return sentence("correct_version", n=record.version_number, object=record.object)

    yield lambda name: REASONS.update({name: read})
    REASONS.clear()
    REASONS.update(before)


def test_a_reason_is_worded_by_the_server_and_an_unknown_one_says_nothing(
    browser: Client,
    agent: Actor,
    record: AssertedRecord,
    reason: Callable[[str], None],
) -> None:
    def typed(of: AssertedRecord, query: str) -> str:
        html = browser.get(address(of) + query).content.decode()
        return html.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0].strip()

    reason("quagga")
    assert typed(record, "?reason=quagga") == "Correct version 1 to “Bujumbura”"
    for query in ("", "?reason=", "?reason=other", "?reason=%00", "?note=quagga", "?quagga=1"):
        assert typed(record, query) == ""
    assert typed(a_record(agent, object="Gitega"), "?reason=quagga") == ""
    closed = a_record(agent)
    retract(agent, closed)
    assert typed(closed, "?reason=quagga") == ""


# Reporting


def test_a_doubt_is_reported_and_nothing_else_changes(
    browser: Client, reviewer: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    answers = []
    changed = changed_tables(
        lambda: answers.append(submit(browser, form, proposed_object="Gitega"))
    )
    assert changed == {"feedback_report": (0, 1), "memory_idempotencykey": (0, 1)}
    assert answers[0].status_code == 303
    assert answers[0]["Location"] == record_page(record)
    page = Page(browser.get(answers[0]["Location"]))
    assert page.focused.startswith("Reported. Nothing has changed yet; a reviewer decides.")
    assert page.links["See the reports on this record"] == record_page(record, "reports/")
    row = Report.objects.get()
    assert (row.record_id, row.record_version) == (record.id, record.version)
    assert (row.note, row.proposed_object) == (NOTE, "Gitega")
    assert (row.recorded_by_id, row.recorded_via) == (reviewer.id, "console")
    assert entries_of(reviewer) == [
        ("record.get", "allowed", "", 1),
        ("feedback.record", "allowed", "", 1),
        ("record.get", "allowed", "", 1),
    ]
    assert "Reported." not in Page(browser.get(record_page(record))).focused
    assert_invariants()


def test_an_empty_second_field_proposes_to_retract(browser: Client, record: AssertedRecord) -> None:
    submit(browser, form_on(browser, record))
    assert Report.objects.get().proposed_object is None


def test_text_is_kept_byte_for_byte_but_for_the_line_breaks_of_forms(
    browser: Client, record: AssertedRecord
) -> None:
    note = "\r\n  quagga\u0301 \u200b\r\n\ttwo \r three \n\r\n"
    submit(browser, form_on(browser, record), note=note, proposed_object=" Gi\u200btega ")
    row = Report.objects.get()
    assert row.note == "\n  quagga\u0301 \u200b\n\ttwo \r three \n\n"
    assert row.proposed_object == " Gi\u200btega "


@pytest.mark.parametrize("note", ["é" * 8_192, "x\r\n" * 8_192])
def test_a_note_may_have_16384_bytes_as_they_are_stored(
    browser: Client, record: AssertedRecord, note: str
) -> None:
    answer = submit(browser, form_on(browser, record), note=note, proposed_object="é" * 512)
    assert answer.status_code == 303
    assert len(Report.objects.get().note.encode()) == 16_384


def test_the_same_form_sent_twice_reports_once_and_answers_the_same(
    browser: Client, reviewer: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    first, again = submit(browser, form), submit(browser, form)
    assert (again.status_code, again["Location"]) == (first.status_code, first["Location"])
    assert Page(browser.get(again["Location"])).focused.startswith("Reported.")
    assert Report.objects.count() == 1
    assert entries_of(reviewer)[1:3] == [
        ("feedback.record", "allowed", "", 1),
        ("feedback.record", "allowed", "", 0),
    ]


def test_a_form_sent_again_after_its_record_changed_still_answers_the_first_report(
    browser: Client, agent: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    submit(browser, form)
    retract(agent, record)
    assert submit(browser, form).status_code == 303
    assert Report.objects.count() == 1


def test_a_form_sent_again_with_other_words_saves_nothing(
    browser: Client, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    submit(browser, form)
    for typed in ({"note": "quagga, otherwise"}, {"proposed_object": "Gitega"}):
        page = Page(submit(browser, form, **typed))
        assert page.status == 409
        assert "This form was already sent with other content. Nothing was saved now." in page.text
        assert page.links["Open the page"] == address(record)
        assert page.links["Back to the record"] == record_page(record)
    assert Report.objects.count() == 1


# What does not fit


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        ({"note": ""}, "note", "Write a note: what is wrong, and how do you know?"),
        (
            {"note": " \r\n\t\u200b\u00a0\u2028"},
            "note",
            "Write a note: what is wrong, and how do you know?",
        ),
        ({"note": "é" * 8_192 + "x"}, "note", "The note is 16,385 bytes; the limit is 16,384."),
        ({"note": "a quagga\0"}, "note", "This character cannot be stored: U+0000."),
        (
            {"proposed_object": "é" * 512 + "x"},
            "proposed_object",
            "The value is 1,025 bytes; the limit is 1,024.",
        ),
        (
            {"proposed_object": "\u200b "},
            "proposed_object",
            "Write what it should say, or leave the field empty.",
        ),
        ({"proposed_object": "\0x"}, "proposed_object", "This character cannot be stored: U+0000."),
    ],
)
def test_what_does_not_fit_is_named_and_kept_and_saves_nothing(
    browser: Client,
    reviewer: Actor,
    record: AssertedRecord,
    typed: dict[str, str],
    field: str,
    said: str,
) -> None:
    form = form_on(browser, record)
    before = everything()
    kept = {"note": "quagga & <b>so</b>", "proposed_object": "Gitega & so", **typed}
    page = Page(submit(browser, form, **kept))
    assert page.status == 422
    assert page.title == "Error: Report a doubt · demo · Errata"
    assert page.focused == f"There is a problem {said}"
    assert page.links[said] == f"#id_{field}"
    assert f'id="id_{field}_error"' in page.html
    other = {"note": "Gitega &amp; so", "proposed_object": "quagga &amp; &lt;b&gt;so&lt;/b&gt;"}
    assert other[field] in page.html
    again = page.form_to(address(record))
    assert again is not None
    assert again.hidden["expected_version"] == str(record.version)
    assert everything() == before
    assert entries_of(reviewer)[1:] == [("feedback.record", "refused", "invalid_feedback", 0)]
    assert submit(browser, again).status_code == 303


def test_both_fields_can_be_wrong_at_once(browser: Client, record: AssertedRecord) -> None:
    page = Page(submit(browser, form_on(browser, record), note="", proposed_object="\u200b"))
    assert [url for url in page.links.values() if url.startswith("#id_")] == [
        "#id_note",
        "#id_proposed_object",
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"expected_version": "nonsense"},
        {"expected_version": ""},
        {"form_key": "nonsense"},
        {"form_key": ""},
        {"expected_version": "\0"},
    ],
)
def test_a_form_that_is_not_ours_saves_nothing(
    browser: Client, reviewer: Actor, record: AssertedRecord, changed: dict[str, str]
) -> None:
    page = Page(submit(browser, form_on(browser, record), **changed))
    assert page.status == 422
    assert "This form is no longer valid. Nothing was saved. Open the page again." in page.text
    assert page.links["Open the page"] == address(record)
    assert not Report.objects.exists()
    assert entries_of(reviewer)[-1] == ("feedback.record", "refused", "invalid_feedback", 0)


# Who, what else, and at what cost


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 403), ("auditor", 403), ("nobody", 404), ("outsider", 404)]
)
def test_who_may_not_report_saves_nothing(
    request: pytest.FixtureRequest, record: AssertedRecord, persona: str, status: int
) -> None:
    actor = request.getfixturevalue(persona)
    client = visitor(actor)
    for record_id in (record.id, uuid4()):
        assert client.get(address(record_id)).status_code == status
        sent = {"expected_version": str(record.version), "form_key": str(uuid4()), "note": NOTE}
        page = Page(client.post(address(record_id), sent))
        assert page.status == status
        assert ("does not include this. Nothing was saved." in page.text) == (status == 403)
    assert not Report.objects.exists()
    expected = [
        ("record.get", "refused", "forbidden", 0),
        ("feedback.record", "refused", "forbidden", 0),
    ]
    assert entries_of(actor) == (expected * 2 if status == 403 else [])


def test_a_missing_or_foreign_record_is_not_found(
    browser: Client, reviewer: Actor, outsider: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    for record_id in (uuid4(), record.id):
        client = browser if record_id != record.id else visitor(outsider)
        project = "demo" if record_id != record.id else "elsewhere"
        path = address(record_id).replace("demo", project)
        assert client.get(path).status_code == 404
        for note in (NOTE, ""):
            assert client.post(path, {**form.hidden, "note": note}).status_code == 404
    missing = [("record.get", "refused", "not_found", 0)]
    missing += [("feedback.record", "refused", "not_found", 0)] * 2
    assert entries_of(reviewer)[1:] == missing
    assert entries_of(outsider) == missing


def test_who_was_signed_out_meanwhile_comes_back_to_the_form(
    browser: Client, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    answer = submit(Client(), form)
    assert answer.status_code == 303
    query = QueryDict(answer["Location"].removeprefix("/sign-in/?"))
    assert query.dict() == {"next": address(record), "lost": "1"}
    assert not Report.objects.exists()


def test_hostile_text_stays_text(browser: Client, agent: Actor, owner: Actor) -> None:
    hostile = "</textarea><script>quagga</script>\u202e"
    record = a_record(agent, subject=hostile, object=hostile, statement=hostile)
    form = form_on(browser, record)
    pages = [
        browser.get(address(record)),
        submit(browser, form, note=hostile, proposed_object="\0"),
    ]
    move(record, owner)
    pages.append(submit(browser, form, note=hostile, proposed_object=hostile))
    correct(agent, record)
    pages.append(submit(browser, form, note=hostile, proposed_object=hostile))
    for answer in pages:
        page = Page(answer)
        assert "<script>quagga" not in page.html
        assert "quagga" not in page.title


def test_every_answer_stays_within_its_budget(
    browser: Client, agent: Actor, owner: Actor, record: AssertedRecord
) -> None:
    def cost(call: Callable[[], Any], status: int) -> int:
        with watched() as statements:
            assert call().status_code == status
        return len(statements)

    form = form_on(browser, record)
    costs = {
        "look": cost(lambda: browser.get(address(record)), 200),
        "invalid": cost(lambda: submit(browser, form, note=""), 422),
        "report": cost(lambda: submit(browser, form), 303),
        "again": cost(lambda: submit(browser, form), 303),
        "other words": cost(lambda: submit(browser, form, note="quagga"), 409),
    }
    form = form_on(browser, record)
    move(record, owner)
    costs["moved"] = cost(lambda: submit(browser, form), 409)
    correct(agent, record)
    costs["corrected"] = cost(lambda: submit(browser, form), 409)
    costs["invalid and corrected"] = cost(lambda: submit(browser, form, note=""), 409)
    costs["look at a closed one"] = cost(lambda: browser.get(address(record)), 200)
    assert max(costs.values()) <= 14, costs


@pytest.mark.django_db(transaction=True)
def test_a_submit_beside_its_own_first_one_waits_and_then_says_so(
    browser: Client, reviewer: Actor, record: AssertedRecord
) -> None:
    form = form_on(browser, record)
    claimed, answered = Event(), Event()

    def first() -> None:
        key = IdempotencyRequest(form.hidden["form_key"], "review:record-report", b"f" * 32)
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
    assert not Report.objects.exists()
