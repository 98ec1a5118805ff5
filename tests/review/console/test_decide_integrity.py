"""One suspected record, and what people decide about it (S19)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from feedback.models import IntegrityItem, Report
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from tests.factories import a_record
from tests.invariants import assert_invariants
from tests.observed import changed_tables
from tests.review.pages import Form, Page
from tests.review.situations import (
    correct,
    everything,
    move,
    retract,
    signalled,
    suspected,
)
from tests.review.visitors import entries_of, visitor
from tests.statements import watched

REASON = "The quagga itself said so."
NOTE = "The quagga's capital is Gitega now."


def address(item: UUID, verb: str = "") -> str:
    return f"/p/demo/integrity/{item}/{verb}"


@pytest.fixture
def item(agent: Actor, owner: Actor, shared: AssertedRecord) -> UUID:
    """A record that an agent and an owner suspect."""
    return suspected(shared, agent, owner)


def opened(client: Client, item: UUID, query: str = "") -> Page:
    page = Page(client.get(address(item) + query))
    assert page.status == 200, page.text
    assert page.title == "Suspected record · demo · Errata"
    return page


def form_on(client: Client, item: UUID, decision: str) -> Form:
    page = opened(client, item)
    return next(form for form in page.forms if form.hidden.get("decision") == decision)


def reopening(client: Client, item: UUID) -> Form:
    form = opened(client, item).form_to(address(item, "reopen/"))
    assert form is not None
    return form


def dismiss(client: Client, form: Form, **typed: str) -> Any:
    return client.post(form.action, {**form.hidden, "reason": REASON, **typed})


def report(client: Client, form: Form, **typed: str) -> Any:
    sent = {**form.hidden, "note": NOTE, "proposed_object": "Gitega", **typed}
    return client.post(form.action, sent)


# The page


def test_the_page_says_who_suspects_what_in_which_session(
    browser: Client, reviewer: Actor, agent: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    signalled(agent, shared, is_used=True, reward=0.5)
    for _ in range(3):
        signalled(agent, shared, session="s-quagga", is_poison_suspected=True)
    both = {"is_poison_suspected": True, "is_injection_suspected": True}
    item = suspected(shared, owner, **both)
    signalled(reviewer, shared, is_helpful=True)
    page = opened(browser, item)
    assert "Burundi of the quagga · has_capital · Bujumbura Open Current version 1" in page.text
    assert "The capital of the quagga's Burundi is Bujumbura" in page.text
    rows = page.rows()
    assert len(rows) == 2
    assert rows[0].startswith("owner (person, RCP) 1 1 20")
    assert rows[1].startswith("agent (agent, RCP) 3 0 20")
    assert "Poison and injection suspected by owner (person, RCP) · version " in page.text
    assert page.text.count("Poison suspected by agent (agent, RCP) · session ") == 3
    assert "s-quagga" not in page.html
    assert page.links["Open the record"] == f"/p/demo/records/{shared.id}/"
    assert page.links["Back to Integrity"] == "/p/demo/integrity/"
    assert page.hinted_keys == page.working_keys == {"u", "e"}
    assert 'data-refresh=""' in page.html  # a fresh copy would lose what was typed
    assert "uarantine" not in page.text
    assert entries_of(reviewer) == [("signal.list", "allowed", "", 1)]


def test_twenty_suspicions_are_told_and_all_are_counted(
    browser: Client, agent: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    for _ in range(25):
        signalled(agent, shared, is_poison_suspected=True)
    page = opened(browser, suspected(shared, owner))
    assert page.text.count("Poison suspected by") == 20
    assert "agent (agent, RCP) 25 0 " in page.rows()[1]


def test_the_note_of_a_doubt_begins_with_what_is_suspected(browser: Client, item: UUID) -> None:
    html = opened(browser, item).html
    note = html.partition('<textarea name="note"')[2].partition(">")[2].partition("</textarea>")[0]
    assert note.strip().startswith("Suspected: poison 2 from 2 actors since 20")


def test_a_reader_sees_no_form_and_why(reader: Actor, item: UUID) -> None:
    page = opened(visitor(reader), item)
    assert "Deciding needs the role reviewer." in page.text
    assert not [form for form in page.forms if form.action.startswith(address(item))]
    for word in ("Decide: no concern", "Report a doubt", "Reopen"):
        assert word not in page.text


def test_a_closed_record_can_be_of_no_concern_but_not_be_doubted(
    browser: Client, agent: Actor, shared: AssertedRecord, item: UUID
) -> None:
    correct(agent, shared, to="Usumbura")
    page = opened(browser, item)
    assert "Corrected to “Usumbura” at 20" in page.text
    assert "A doubt can be reported about a current record only." in page.text
    assert "Report this doubt" not in page.text
    assert dismiss(browser, form_on(browser, item, "no_concern")).status_code == 303


# Deciding


def test_no_concern_is_noted_with_its_reason_and_nothing_else_changes(
    browser: Client, reviewer: Actor, item: UUID
) -> None:
    form = form_on(browser, item, "no_concern")
    answers: list[Any] = []
    before = everything()
    changed = changed_tables(
        lambda: answers.append(dismiss(browser, form, reason="  \u00e4\r\n<b>quagga</b> "))
    )
    assert changed == {"feedback_integrityitem": (1, 1), "memory_idempotencykey": (0, 1)}
    assert everything() == before
    assert answers[0].status_code == 303
    assert answers[0]["Location"] == address(item)
    page = opened(browser, item)
    assert page.focused.startswith("Noted: no concern. Nothing else has changed.")
    assert page.links["Back to Integrity"] == "/p/demo/integrity/"
    assert "No concern Current" in page.text
    assert "No concern, says reviewer (person), 20" in page.text
    assert "<b>quagga</b>" in page.text
    assert "<b>" not in page.html
    row = IntegrityItem.objects.get()
    assert (row.state, row.reason) == ("no_concern", "  \u00e4\n<b>quagga</b> ")
    assert entries_of(reviewer) == [
        ("signal.list", "allowed", "", 1),
        ("integrity.decide", "allowed", "", 1),
        ("signal.list", "allowed", "", 1),
    ]
    assert "Noted" not in opened(browser, item).text


def test_a_report_is_an_ordinary_one_about_the_version_drawn(
    browser: Client, reviewer: Actor, shared: AssertedRecord, item: UUID
) -> None:
    form = form_on(browser, item, "report")
    assert form.hidden["expected_version"] == str(shared.version)
    answer = report(browser, form)
    assert (answer.status_code, answer["Location"]) == (303, address(item))
    row = Report.objects.get()
    assert (row.record_id, row.record_version) == (shared.id, shared.version)
    assert (row.note, row.proposed_object) == (NOTE, "Gitega")
    page = opened(browser, item)
    assert page.focused.startswith("Reported. Nothing has changed yet; a reviewer decides.")
    assert "Reported by reviewer (person), 20" in page.text
    assert page.links["Open the report"] == f"/p/demo/reports/{row.id}/"
    assert entries_of(reviewer)[1:4] == [
        ("feedback.record", "allowed", "", 1),
        ("integrity.decide", "allowed", "", 1),
        ("signal.list", "allowed", "", 1),
    ]
    assert_invariants()


def test_a_decision_can_be_taken_back_and_a_report_stays(
    browser: Client, reviewer: Actor, item: UUID
) -> None:
    report(browser, form_on(browser, item, "report"))
    form = reopening(browser, item)
    assert opened(browser, item).form_to(address(item, "decide/")) is None
    answer = browser.post(form.action, form.hidden)
    assert (answer.status_code, answer["Location"]) == (303, address(item))
    page = opened(browser, item)
    assert page.focused == "Open again. Nothing else has changed."
    assert page.form_to(address(item, "decide/")) is not None
    assert Report.objects.count() == 1
    assert IntegrityItem.objects.get().state == "open"
    assert ("integrity.reopen", "allowed", "", 1) in entries_of(reviewer)


def test_the_same_form_sent_twice_decides_once_and_answers_the_same(
    browser: Client, reviewer: Actor, item: UUID
) -> None:
    for decision, send in (("report", report), ("no_concern", dismiss)):
        form = form_on(browser, item, decision)
        first, again = send(browser, form), send(browser, form)
        assert (again.status_code, again["Location"]) == (first.status_code, first["Location"])
        back = reopening(browser, item)
        for _ in range(2):
            assert browser.post(back.action, back.hidden).status_code == 303
    assert Report.objects.count() == 1
    decided = [entry for entry in entries_of(reviewer) if entry[0].startswith("integrity.")]
    assert [entry[3] for entry in decided] == [1, 0] * 4


def test_a_form_sent_again_with_other_words_saves_nothing(browser: Client, item: UUID) -> None:
    form = form_on(browser, item, "no_concern")
    dismiss(browser, form)
    page = Page(dismiss(browser, form, reason="Another quagga."))
    assert page.status == 409
    assert "This form was already sent with other content. Nothing was saved now." in page.text
    assert page.links["Open the page"] == address(item)
    assert IntegrityItem.objects.get().reason == REASON


# What stands in the way


@pytest.mark.parametrize("then", ["dismissed", "reported", "reopened"])
def test_an_item_that_somebody_decided_meanwhile_is_a_conflict_that_keeps_the_text(
    browser: Client, reviewer: Actor, owner: Actor, item: UUID, then: str
) -> None:
    other = visitor(owner)
    mine = form_on(browser, item, "no_concern")
    if then == "reported":
        report(other, form_on(other, item, "report"))
    else:
        dismiss(other, form_on(other, item, "no_concern"), reason="Another quagga's reason.")
    if then == "reopened":
        mine = reopening(browser, item)
        browser.post(mine.action, mine.hidden)
        opened(browser, item)
        mine.hidden["form_key"] = str(uuid4())
    before = IntegrityItem.objects.values().get()
    page = Page(browser.post(mine.action, {**mine.hidden, "reason": "<i>My quagga.</i>"}))
    assert page.status == 409
    assert page.title == "Changed: Suspected record · demo · Errata"
    assert page.focused == (
        "This item changed after you opened it. Nothing was saved. "
        "Below is how it stands now; what you typed is kept."
    )
    assert "<i>My quagga.</i>" in page.text or "&lt;i&gt;My quagga." in page.html
    assert "<i>" not in page.html
    said = {
        "dismissed": "No concern, says owner (person), 20",
        "reported": "Reported by owner (person), 20",
        "reopened": "Decide: no concern",
    }
    assert said[then] in page.text
    assert IntegrityItem.objects.values().get() == before
    verb = "reopen" if then == "reopened" else "decide"
    assert entries_of(reviewer)[-1] == (f"integrity.{verb}", "refused", "integrity_conflict", 0)


@pytest.mark.parametrize("change", ["moved", "corrected", "retracted"])
def test_a_record_that_changed_meanwhile_is_a_conflict_that_keeps_the_text(
    browser: Client,
    reviewer: Actor,
    owner: Actor,
    agent: Actor,
    shared: AssertedRecord,
    item: UUID,
    change: str,
) -> None:
    form = form_on(browser, item, "report")
    {"moved": lambda: move(shared, owner), "corrected": lambda: correct(agent, shared)}.get(
        change, lambda: retract(agent, shared)
    )()
    page = Page(report(browser, form))
    assert page.status == 409
    assert page.focused.startswith("This record changed while you were writing. Nothing was sent.")
    assert NOTE in page.text or "The quagga&#x27;s capital" in page.html
    again = [one for one in page.forms if one.hidden.get("decision") == "report"]
    assert bool(again) == (change == "moved")
    assert not Report.objects.exists()
    assert IntegrityItem.objects.get().state == "open"
    assert entries_of(reviewer)[-1] == ("integrity.decide", "refused", "record_conflict", 0)
    if again:
        assert again[0].hidden["expected_version"] != form.hidden["expected_version"]
        assert report(browser, again[0]).status_code == 303


@pytest.mark.parametrize(
    ("decision", "typed", "field", "said"),
    [
        ("no_concern", {"reason": ""}, "reason", "Write a reason: why is it of no concern?"),
        (
            "no_concern",
            {"reason": " \r\n\u200b"},
            "reason",
            "Write a reason: why is it of no concern?",
        ),
        (
            "no_concern",
            {"reason": "é" * 250 + "x"},
            "reason",
            "The reason is 501 bytes; the limit is 500.",
        ),
        ("no_concern", {"reason": "a\0"}, "reason", "This character cannot be stored: U+0000."),
        (
            "report",
            {"note": " "},
            "note",
            "Write a note: what is wrong, and how do you know?",
        ),
        (
            "report",
            {"proposed_object": "é" * 512 + "x"},
            "proposed_object",
            "The value is 1,025 bytes; the limit is 1,024.",
        ),
    ],
)
def test_what_does_not_fit_is_named_and_kept_and_saves_nothing(
    browser: Client,
    reviewer: Actor,
    item: UUID,
    decision: str,
    typed: dict[str, str],
    field: str,
    said: str,
) -> None:
    form = form_on(browser, item, decision)
    send = dismiss if decision == "no_concern" else report
    before = everything()
    page = Page(send(browser, form, **typed))
    assert page.status == 422
    assert page.title == "Error: Suspected record · demo · Errata"
    assert page.focused == f"There is a problem {said}"
    assert page.links[said] == f"#id_{field}"
    assert f'id="id_{field}_error"' in page.html
    if field == "proposed_object":
        assert "The quagga&#x27;s capital is Gitega now." in page.html
    assert everything() == before
    assert IntegrityItem.objects.get().state == "open"
    assert entries_of(reviewer)[1:] == [("integrity.decide", "refused", "invalid", 0)]


def test_a_reason_may_have_500_bytes(browser: Client, item: UUID) -> None:
    answer = dismiss(browser, form_on(browser, item, "no_concern"), reason="x\r\n" * 248 + "éé")
    assert answer.status_code == 303
    assert len(str(IntegrityItem.objects.get().reason).encode()) == 500


def test_a_form_that_does_not_fit_about_an_item_that_changed_is_a_conflict(
    browser: Client, reviewer: Actor, owner: Actor, item: UUID, shared: AssertedRecord
) -> None:
    form, doubt = (form_on(browser, item, name) for name in ("no_concern", "report"))
    move(shared, owner)
    assert Page(report(browser, doubt, note="")).status == 409
    other = visitor(owner)
    dismiss(other, form_on(other, item, "no_concern"))
    assert Page(dismiss(browser, form, reason="")).status == 409
    refused = [entry[2] for entry in entries_of(reviewer) if entry[1] == "refused"]
    assert refused == ["record_conflict", "integrity_conflict"]


@pytest.mark.parametrize(
    "changed",
    [
        {"form_key": "nonsense"},
        {"form_key": ""},
        {"seen": "closed"},
        {"seen": ""},
        {"decision": "erase"},
        {"decision": ""},
        {"decision": "report", "expected_version": ""},
        {"decision": "report", "expected_version": "\0"},
    ],
)
def test_a_form_that_is_not_ours_saves_nothing(
    browser: Client, reviewer: Actor, item: UUID, changed: dict[str, str]
) -> None:
    page = Page(dismiss(browser, form_on(browser, item, "no_concern"), note=NOTE, **changed))
    assert page.status == 422
    assert "This form is no longer valid. Nothing was saved. Open the page again." in page.text
    assert page.links["Open the page"] == address(item)
    assert IntegrityItem.objects.get().state == "open"
    assert entries_of(reviewer)[-1] == ("integrity.decide", "refused", "invalid", 0)
    back = Page(browser.post(address(item, "reopen/"), {"form_key": "", "seen": "open"}))
    assert back.status == 422
    assert entries_of(reviewer)[-1] == ("integrity.reopen", "refused", "invalid", 0)


# Who, what else, and at what cost


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 403), ("auditor", 403), ("nobody", 404), ("outsider", 404)]
)
def test_who_may_not_decide_saves_nothing(
    request: pytest.FixtureRequest, item: UUID, persona: str, status: int
) -> None:
    actor = request.getfixturevalue(persona)
    client = visitor(actor)
    sent = {"form_key": str(uuid4()), "seen": "open", "decision": "no_concern", "reason": REASON}
    for verb in ("decide", "reopen"):
        for item_id in (item, uuid4()):
            page = Page(client.post(address(item_id, f"{verb}/"), sent))
            assert page.status == status
            assert ("does not include this. Nothing was saved." in page.text) == (status == 403)
    assert IntegrityItem.objects.get().state == "open"
    entries = [("integrity.decide", "refused", "forbidden", 0)] * 2
    entries += [("integrity.reopen", "refused", "forbidden", 0)] * 2
    assert entries_of(actor) == (entries if status == 403 else [])


def test_a_missing_item_is_not_found(browser: Client, reviewer: Actor, item: UUID) -> None:
    forms = [form_on(browser, item, name).hidden for name in ("no_concern", "report")]
    for form in forms:
        for typed in ({"reason": REASON, "note": NOTE}, {"reason": "", "note": ""}):
            answer = browser.post(address(uuid4(), "decide/"), {**form, **typed})
            assert answer.status_code == 404
    assert browser.post(address(uuid4(), "reopen/"), forms[0]).status_code == 404
    assert browser.get(address(uuid4())).status_code == 404
    assert {entry[1:] for entry in entries_of(reviewer)[2:]} == {("refused", "not_found", 0)}


def test_the_page_keeps_the_way_back_through_a_decision(browser: Client, item: UUID) -> None:
    link = Page(browser.get("/p/demo/integrity/?state=open")).links
    [url] = [url for url in link.values() if str(item) in url]
    page = Page(browser.get(url))
    assert page.links["Back to Integrity"] == "/p/demo/integrity/?state=open"
    form = next(form for form in page.forms if form.hidden.get("decision") == "no_concern")
    assert dismiss(browser, form, reason="").status_code == 422
    kept = Page(dismiss(browser, form, reason="", form_key=str(uuid4())))
    assert kept.links["Back to Integrity"] == "/p/demo/integrity/?state=open"
    assert dismiss(browser, form)["Location"] == url


def test_hostile_texts_stay_text(browser: Client, agent: Actor, owner: Actor) -> None:
    hostile = "<script>quagga</script>\u202e"
    record = a_record(agent, subject=hostile, object=hostile, statement=hostile)
    item = suspected(record, agent, owner)
    form = form_on(browser, item, "no_concern")
    pages = [
        opened(browser, item),
        Page(dismiss(browser, form, reason=hostile + "\0")),
        Page(dismiss(browser, form, reason="quagga <script>")),
        opened(browser, item),
    ]
    for page in pages:
        assert "<script>quagga" not in page.html
        assert "quagga" not in page.title


def test_every_answer_stays_within_its_budget(
    browser: Client, agent: Actor, owner: Actor, shared: AssertedRecord, item: UUID
) -> None:
    def cost(call: Callable[[], Any], status: int) -> int:
        with watched() as statements:
            assert call().status_code == status
        return len(statements)

    look = cost(lambda: browser.get(address(item)), 200)
    for _ in range(30):
        signalled(agent, shared, is_poison_suspected=True)
    form, doubt = (form_on(browser, item, name) for name in ("no_concern", "report"))
    costs = {
        "look": cost(lambda: browser.get(address(item)), 200),
        "invalid": cost(lambda: dismiss(browser, form, reason=""), 422),
        "no concern": cost(lambda: dismiss(browser, form), 303),
        "again": cost(lambda: dismiss(browser, form), 303),
    }
    back = reopening(browser, item)
    costs["reopen"] = cost(lambda: browser.post(back.action, back.hidden), 303)
    assert costs["look"] == look
    again = form_on(browser, item, "report")
    costs["report"] = cost(lambda: report(browser, again), 303)
    costs["reported again"] = cost(lambda: report(browser, again), 303)
    costs["decided"] = cost(lambda: dismiss(browser, form, form_key=str(uuid4())), 409)
    move(shared, owner)
    back = reopening(browser, item)
    browser.post(back.action, back.hidden)
    costs["record moved"] = cost(lambda: report(browser, doubt), 409)
    costs["record moved, invalid"] = cost(lambda: report(browser, doubt, note=""), 409)
    assert max(costs.values()) <= 12, costs
