"""Runs and outcomes on the pages of a record, on a report about it, and in a doubt."""

from __future__ import annotations

import pytest
from django.test import Client

from feedback.vocabulary import OutcomeKind
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.configure_project import configure_project
from tests.factories import a_record, a_report, fresh, some_records
from tests.factories.bulk import bulk_outcomes
from tests.review.pages import Page
from tests.review.situations import cite_again, compiled, correct, graded, move
from tests.review.visitors import entries_of
from tests.statements import watched


def address(record: AssertedRecord, tab: str = "") -> str:
    return f"/p/demo/records/{record.id}/{tab}"


def opened(client: Client, path: str) -> Page:
    page = Page(client.get(path))
    assert page.status == 200, page.text
    return page


def complain(
    actor: Actor,
    record: AssertedRecord,
    kind: OutcomeKind = OutcomeKind.INCORRECT,
    times: int = 1,
) -> None:
    for _ in range(times):
        graded(actor, compiled(actor), kind, record)


@pytest.fixture(params=["record", "report"])
def page_address(request: pytest.FixtureRequest, agent: Actor, shared: AssertedRecord) -> str:
    """The record's page, and that of a report about it: both say the same of outcomes."""
    if request.param == "record":
        return address(shared)
    return f"/p/demo/reports/{a_report(agent, shared).id}/"


def test_a_record_that_nobody_graded_says_so(browser: Client, page_address: str) -> None:
    text = opened(browser, page_address).text
    assert "Outcomes and signals Nobody has said what became of a pack with this record." in text
    assert "Utility" not in text


def test_outcomes_are_counted_by_kind_with_their_senders(
    browser: Client, agent: Actor, reviewer: Actor, shared: AssertedRecord, page_address: str
) -> None:
    complain(agent, shared, times=2)
    complain(reviewer, shared)
    complain(agent, shared, OutcomeKind.USEFUL)
    text = opened(browser, page_address).text
    assert "Outcomes and signals useful 1 (1 actor), incorrect 3 (2 actors)" in text
    assert "4 of 4 count. Utility 0.250, by 2 actors." in text
    assert "Outcomes never change a record." in text


def test_too_few_outcomes_leave_utility_alone(
    browser: Client, agent: Actor, shared: AssertedRecord, page_address: str
) -> None:
    complain(agent, shared, times=2)
    text = opened(browser, page_address).text
    assert "2 of 2 count. Utility 0.500: fewer than three outcomes count." in text


def test_what_does_not_count_by_the_settings_is_said(
    browser: Client, agent: Actor, operator: Actor, shared: AssertedRecord, page_address: str
) -> None:
    run = compiled(agent)
    for kind in (OutcomeKind.INCORRECT, OutcomeKind.HARMFUL):
        graded(agent, run, kind, shared)
    complain(agent, shared, times=2)
    configure_project(actor=fresh(operator), one_vote_per_run=True, minimum_actors=2)
    text = opened(browser, page_address).text
    assert "incorrect 3 (1 actor), harmful 1 (1 actor)" in text
    assert "3 of 4 count. Utility 0.500: outcomes of 2 distinct actors are needed." in text


def test_an_old_version_shows_no_outcomes(
    browser: Client, owner: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    complain(agent, shared)
    move(shared, owner)
    assert "Outcomes and signals incorrect 1" in opened(browser, address(shared)).text
    assert "Outcomes" not in opened(browser, address(shared, "versions/1/")).text


# Runs


def test_the_packs_that_held_a_record_are_listed_newest_first(
    browser: Client, reviewer: Actor, agent: Actor, owner: Actor, shared: AssertedRecord
) -> None:
    old = compiled(agent)
    graded(agent, old, OutcomeKind.INCORRECT, shared, "stale")
    graded(agent, old, OutcomeKind.USED)
    move(shared, owner)
    compiled(owner)
    other = a_record(agent)
    page = opened(browser, address(shared, "runs/"))
    assert page.title == "Record · demo · Errata"
    newest, oldest = page.rows()
    assert " owner (person) 1 0." in newest
    assert newest.endswith(" none")
    assert "Newer version" not in newest
    assert " agent (agent) 1 0." in oldest
    assert "Newer version incorrect 1" in oldest
    assert f'href="/p/demo/runs/{old.run_id}/"' in page.html
    assert 'aria-current="page">Runs' in page.html
    assert entries_of(reviewer) == [("record.history", "allowed", "", 2)]
    nothing = opened(browser, address(other, "runs/"))
    assert "No context pack has held this record." in nothing.text


def test_packs_are_paged(browser: Client, agent: Actor, shared: AssertedRecord) -> None:
    for _ in range(21):
        compiled(agent)
    page = opened(browser, address(shared, "runs/"))
    assert len(page.rows()) == 20
    later = opened(browser, page.links["Older runs"])
    assert len(later.rows()) == 1
    assert later.links["Back to start"] == address(shared, "runs/")


# History


def test_history_tells_packs_between_doubts_and_changes(
    browser: Client, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    report = a_report(agent, shared)
    compiled(reviewer)
    correct(agent, shared)
    page = opened(browser, address(shared, "history/"))
    order = [
        "Corrected by agent (agent, API)",
        "Delivered to reviewer (person), at rank 1",
        "Doubt reported by agent (agent, API)",
        "Delivered to agent (agent, API), at rank 1",
        "Asserted by agent (agent, API)",
    ]
    places = [page.text.index(text) for text in order]
    assert places == sorted(places)
    assert f'href="/p/demo/runs/{run.run_id}/"' in page.html
    assert page.links["The report"] == f"/p/demo/reports/{report.id}/"
    assert entries_of(reviewer)[-1] == ("record.history", "allowed", "", 5)


def test_a_long_history_meets_doubts_and_packs_once(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    for _ in range(25):
        compiled(agent)
        a_report(agent, shared)
    correct(agent, shared)
    page = opened(browser, address(shared, "history/"))
    pages = [page]
    while "Earlier events" in page.links:
        page = opened(browser, page.links["Earlier events"])
        pages.append(page)
    events = [event for page in pages for event in page.html.split('<li class="event">')[1:]]
    kinds = [event.split()[0] for event in events]
    assert kinds == ["Corrected", *["Doubt", "Delivered"] * 25, "Asserted"]
    assert len(pages) == 3


# What it costs, and where it leads


def test_the_pages_cost_the_same_whatever_hangs_on_the_record(
    browser: Client, agent: Actor, reviewer: Actor, shared: AssertedRecord
) -> None:
    report = a_report(agent, shared)
    graded(agent, compiled(agent), OutcomeKind.USED, shared)

    def costs() -> dict[str, int]:
        found = {}
        tabs = ("", "runs/", "history/", "report/?reason=outcomes")
        paths = [address(shared, tab) for tab in tabs]
        for path in (*paths, f"/p/demo/reports/{report.id}/"):
            with watched() as statements:
                opened(browser, path)
            found[path] = len(statements)
        return found

    opened(browser, address(shared))
    alone = costs()
    some_records(agent, 5)
    for _ in range(25):
        graded(agent, compiled(reviewer), OutcomeKind.INCORRECT, shared)
        a_report(agent, shared)
    cite_again(shared, 19)
    assert costs() == alone
    assert max(alone.values()) <= 14, alone


@pytest.mark.parametrize(
    ("kinds", "said"),
    [
        ([OutcomeKind.INCORRECT] * 3, "Counted outcomes: incorrect 3 from 2 actors since 20"),
        ([OutcomeKind.HARMFUL], "Counted outcomes: harmful 1 from 1 actor since 20"),
        (
            [OutcomeKind.INCORRECT, OutcomeKind.HARMFUL],
            "Counted outcomes: incorrect 1, harmful 1 from 2 actors since 20",
        ),
        ([OutcomeKind.USEFUL, OutcomeKind.IRRELEVANT], ""),
    ],
)
def test_a_doubt_because_of_outcomes_begins_with_what_counts(
    browser: Client,
    agent: Actor,
    owner: Actor,
    shared: AssertedRecord,
    kinds: list[OutcomeKind],
    said: str,
) -> None:
    for number, kind in enumerate(kinds):
        complain((agent, owner)[number % 2], shared, kind)
    page = opened(browser, address(shared, "report/?reason=outcomes"))
    note = page.html.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0]
    assert note.strip().startswith(said)
    assert bool(note.strip()) == bool(said)


def test_a_corrected_record_starts_without_outcomes(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    complain(agent, shared, times=3)
    replacement = correct(agent, shared)
    page = opened(browser, f"/p/demo/records/{replacement}/")
    assert "Nobody has said what became of a pack with this record." in page.text
    assert "incorrect 3 (1 actor)" in opened(browser, address(shared)).text


def test_more_than_a_thousand_outcomes_are_said_to_be_more_and_not_read(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    graded(agent, run, OutcomeKind.HARMFUL, shared)  # the oldest, which nobody looks at any more
    bulk_outcomes(agent, 1_001, run_id=run.run_id, record_id=shared.id, kind=OutcomeKind.INCORRECT)
    report = a_report(agent, shared)
    for path in (address(shared), f"/p/demo/reports/{report.id}/"):
        text = opened(browser, path).text
        assert "incorrect 1,000+ (1,001 actors)" in text
        assert "Of each, the newest 1,000 are counted here; ranking counts all." in text
        assert "Utility 0" not in text
    for path in (address(shared, "runs/"), "/p/demo/runs/", f"/p/demo/runs/{run.run_id}/"):
        assert "incorrect 1,000+" in opened(browser, path).text
    for path in (*(address(shared, tab) for tab in ("", "runs/")), "/p/demo/runs/"):
        assert "harmful 1" not in opened(browser, path).text
    note = opened(browser, address(shared, "report/?reason=outcomes")).html
    assert "Counted outcomes: incorrect 1,000+ from 1,001 actors since 20" in note


def test_a_thousand_outcomes_are_counted_to_the_last(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    bulk_outcomes(agent, 999, run_id=run.run_id, record_id=shared.id, kind=OutcomeKind.INCORRECT)
    graded(agent, run, OutcomeKind.HARMFUL, shared)
    text = opened(browser, address(shared)).text
    assert "incorrect 999 (999 actors), harmful 1 (1 actor)" in text
    assert "1,000 of 1,000 count. Utility 0.000" in text
    assert "incorrect 999, harmful 1" in opened(browser, "/p/demo/runs/").text.replace(" ,", ",")
