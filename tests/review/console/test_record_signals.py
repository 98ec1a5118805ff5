"""Signals on the pages of a record, on a report about it, and in a doubt."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from feedback.operations.decide_integrity import IntegrityDecision, decide_integrity
from feedback.vocabulary import IntegrityState, OutcomeKind
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.configure_project import configure_project
from tests.factories import a_record, a_report, fresh
from tests.review.pages import Page
from tests.review.situations import compiled, correct, graded, move, signalled, suspected
from tests.review.visitors import entries_of
from tests.statements import watched

TABS = ("", "reports/", "runs/", "signals/", "versions/", "history/", "compare/?from=1&to=1")


def address(record: AssertedRecord, tab: str = "") -> str:
    return f"/p/demo/records/{record.id}/{tab}"


def opened(client: Client, path: str) -> Page:
    page = Page(client.get(path))
    assert page.status == 200, page.text
    return page


def another(agent: Actor) -> Actor:
    """Another program of the same project, whose name is gone."""
    return replace(fresh(agent), id=uuid4())


# The tab


def test_fifty_of_one_sender_read_as_one_voice(
    browser: Client, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    for number in range(50):
        signalled(agent, shared, session=f"s{number}", reward=0.5, is_used=True)
    signalled(reviewer, shared, is_cited=True, is_helpful=False, is_poison_suspected=True)
    page = opened(browser, address(shared, "signals/"))
    latest, loud = page.rows()
    assert latest.startswith("reviewer (person, RCP) 1 none 1 0 20")
    assert loud.startswith("agent (agent, RCP) 50 +25.000 0 0 20")
    assert "Signals 51 in all (2 senders)" in page.text
    assert "Used yes 50, no 0 Cited yes 1, no 0 Helpful yes 0, no 1" in page.text
    assert "Rewards 50, mean +0.500, from +0.500 to +0.500" in page.text
    assert "Signals take no part in utility here." in page.text
    assert "Each sender is one row, however many signals they send." in page.text
    assert "latest senders are shown" not in page.text
    assert page.hinted_keys <= page.working_keys
    assert entries_of(reviewer)[-1] == ("signal.list", "allowed", "", 2)


def test_what_the_settings_make_of_signals_is_said(
    browser: Client, agent: Actor, operator: Actor, shared: AssertedRecord
) -> None:
    for number in range(3):
        signalled(agent, shared, session=f"s{number}", reward=1.0)
    graded(agent, compiled(agent), OutcomeKind.INCORRECT, shared)
    report = a_report(agent, shared)
    pages = (address(shared), f"/p/demo/reports/{report.id}/")
    for path in pages:
        text = opened(browser, path).text
        assert "Signals: 3 in all (1 sender)" in text
        assert "1 of 1 count. Utility 0.500: fewer than three outcomes count." in text
        assert "Signals take no part in utility here." in text
    configure_project(actor=fresh(operator), are_signals_counted=True)
    for path in pages:
        text = opened(browser, path).text
        assert "4 of 4 count. Utility 0.750, by 1 actor." in text
        assert "Signals take part in utility here." in text
    assert "Signals take part in utility here." in opened(browser, address(shared, "signals/")).text


def test_at_most_a_hundred_senders_are_shown(
    browser: Client, agent: Actor, shared: AssertedRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feedback.queries.signals.SENDERS", 2)
    for sender in (agent, another(agent), another(agent)):
        signalled(sender, shared, is_used=True)
    page = opened(browser, address(shared, "signals/"))
    assert len(page.rows()) == 2
    assert "3 in all (3 senders)" in page.text
    assert "At most the 100 latest senders are shown." in page.text


def test_a_record_without_signals_says_so(browser: Client, shared: AssertedRecord) -> None:
    for tab in ("", "signals/"):
        text = opened(browser, address(shared, tab)).text
        assert "No client has sent a signal about this record." in text
        assert "in all" not in text


# The badge


def test_a_record_is_suspected_while_its_item_is_open(
    browser: Client, reviewer: Actor, agent: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    signalled(agent, shared, is_poison_suspected=True)
    for tab in TABS:
        assert "Suspected" not in opened(browser, address(shared, tab)).text
    item = suspected(shared, owner)
    for tab in TABS:
        page = opened(browser, address(shared, tab))
        assert "Current Suspected Who suspects it" in page.text
        assert page.links["Who suspects it"] == f"/p/demo/integrity/{item}/"
    move(shared, owner)
    assert "Suspected" in opened(browser, address(shared, "versions/1/")).text
    decision = IntegrityDecision(item_id=item, seen_state=IntegrityState.OPEN, reason="Fine.")
    decide_integrity(actor=fresh(reviewer), decision=decision)
    for tab in TABS:
        assert "Suspected" not in opened(browser, address(shared, tab)).text


# The panel, and a doubt


def test_the_panel_says_who_suspects_what_and_an_old_version_does_not(
    browser: Client, agent: Actor, reviewer: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    report = a_report(agent, shared)
    for actor in (agent, agent, reviewer):
        signalled(actor, shared, is_poison_suspected=True)
    signalled(agent, shared, is_injection_suspected=True)
    said = (
        "Signals: suspected of poison 3 from 2 actors, suspected of injection 1 from 1 actor, "
        "4 in all (2 senders)"
    )
    for path in (address(shared), f"/p/demo/reports/{report.id}/"):
        text = opened(browser, path).text
        assert said in text
        assert "Outcomes and signals Nobody has said what became of a pack" in text
        assert "Utility 0" not in text
    move(shared, owner)
    assert "Outcomes and signals" not in opened(browser, address(shared, "versions/1/")).text


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        (["poison"] * 3, "Suspected: poison 3 from 2 actors since 20"),
        (["injection"], "Suspected: injection 1 from 1 actor since 20"),
        (
            ["poison", "injection", "injection"],
            "Suspected: poison 1 from 1 actor, injection 2 from 2 actors since 20",
        ),
        ([], ""),
    ],
)
def test_a_doubt_because_of_suspicions_begins_with_them(
    browser: Client,
    agent: Actor,
    owner: Actor,
    shared: AssertedRecord,
    kinds: list[str],
    said: str,
) -> None:
    signalled(agent, shared, is_used=True, is_poison_suspected=False)
    for number, kind in enumerate(kinds):
        what: dict[str, Any] = {f"is_{kind}_suspected": True}
        signalled((agent, owner)[number % 2], shared, **what)
    page = opened(browser, address(shared, "report/?reason=suspicions"))
    note = page.html.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0]
    assert note.strip().startswith(said)
    assert bool(note.strip()) == bool(said)


def test_a_corrected_record_starts_without_signals(
    browser: Client, agent: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    suspected(shared, agent, owner)
    replacement = correct(agent, shared)
    page = opened(browser, f"/p/demo/records/{replacement}/")
    assert "No client has sent a signal about this record." in page.text
    assert "Suspected" not in page.text
    assert "Superseded Suspected" in opened(browser, address(shared)).text


def test_hostile_names_stay_text(browser: Client, agent: Actor) -> None:
    record = a_record(agent, subject="<script>quagga</script>", object="\u202e<img src=x>")
    signalled(agent, record, is_used=True)
    page = opened(browser, address(record, "signals/"))
    assert "<script>quagga" not in page.html
    assert "<img" not in page.html
    assert "\u202e" not in page.html


def test_the_pages_cost_the_same_however_many_signals_there_are(
    browser: Client, agent: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    report = a_report(agent, shared)
    signalled(agent, shared, is_used=True)

    def costs() -> dict[str, int]:
        found = {}
        paths = [address(shared, tab) for tab in (*TABS, "report/?reason=suspicions")]
        for path in (*paths, f"/p/demo/reports/{report.id}/"):
            with watched() as statements:
                opened(browser, path)
            found[path] = len(statements)
        return found

    opened(browser, address(shared))
    alone = costs()
    suspected(shared, agent, owner)
    for _ in range(25):
        signalled(another(agent), shared, reward=0.5, is_poison_suspected=True)
    assert costs() == alone
    assert max(alone.values()) <= 14, alone
