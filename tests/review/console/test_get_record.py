"""The pages of one record (S12)."""

from __future__ import annotations

from itertools import product
from uuid import UUID, uuid4

import pytest
from django.test import Client

from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from tests.factories import a_record, a_report
from tests.review.pages import Page
from tests.review.situations import cite_again, correct, move, promote, retract
from tests.review.visitors import entries_of, visitor
from tests.statements import watched

TABS = ("", "reports/", "runs/", "versions/", "versions/1/", "history/", "compare/?from=1&to=1")


def address(record: AssertedRecord | UUID, tab: str = "") -> str:
    record_id = record if isinstance(record, UUID) else record.id
    return f"/p/demo/records/{record_id}/{tab}"


@pytest.fixture
def promoted(owner: Actor, agent: Actor, record: AssertedRecord) -> UUID:
    """The record that took the place of `record` when a report was promoted."""
    report = a_report(agent, record, note="The quagga's is Gitega.", proposed_object="Gitega")
    replacement = promote(owner, report.id).replacement_record_id
    assert replacement is not None
    return replacement


def opened(browser: Client, record: AssertedRecord | UUID, tab: str = "") -> Page:
    page = Page(browser.get(address(record, tab)))
    assert page.status == 200
    assert page.title == "Record · demo · Errata"
    return page


# Now


def test_a_record_shows_what_it_says_and_what_it_rests_on(
    browser: Client, reviewer: Actor, record: AssertedRecord
) -> None:
    page = opened(browser, record)
    for text in (
        "Burundi of the quagga · has_capital · Bujumbura Current version 1",
        "<mark>The capital of the quagga&#x27;s Burundi is Bujumbura.</mark>",
        "Trust asserted",
        "Confidence 0.9",
        "Kind semantic_fact",
        "About a quagga",
    ):
        assert text in page.text or text in page.html
    assert "Known since 20" in page.text
    tabs = {"Now": "", "Versions": "versions/", "History": "history/"}
    for words, tab in tabs.items():
        assert page.links[words] == address(record, tab)
    assert f'href="{address(record, "reports/")}"' in page.html
    assert not page.can_promote
    assert entries_of(reviewer) == [("record.get", "allowed", "", 1)]


def test_a_corrected_record_leads_to_the_one_in_its_place_and_back(
    browser: Client, record: AssertedRecord, promoted: UUID
) -> None:
    page = opened(browser, record)
    assert "Superseded version 2" in page.text
    assert "Corrected to “Gitega” at 20" in page.text
    assert "UTC by owner (person)." in page.text
    assert page.links["Open the record that replaced it"] == address(promoted)
    assert opened(browser, promoted).links["The record before it"] == address(record)


def test_a_retracted_record_says_so_and_leads_nowhere(
    browser: Client, owner: Actor, record: AssertedRecord
) -> None:
    retract(owner, record)
    page = opened(browser, record)
    assert "Retracted version 2" in page.text
    assert "Retracted at 20" in page.text
    assert "Open the record that replaced it" not in page.links


def test_citations_are_paged(browser: Client, record: AssertedRecord) -> None:
    cite_again(record, 14)
    page = opened(browser, record)
    assert page.html.count("<blockquote") == 10
    later = Page(browser.get(page.links["Later citations"]))
    assert later.html.count("<blockquote") == 5
    assert later.links["Back to start"] == address(record)


# Versions


def test_versions_stand_between_the_records_before_and_after(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord, promoted: UUID
) -> None:
    last = correct(agent, promoted)
    page = opened(browser, promoted, "versions/")
    rows = page.rows()
    assert len(rows) == 4
    assert rows[0].startswith("The record that replaced it Took its place · Gitega of the quagga")
    assert rows[1].startswith("version 2,")
    assert "Corrected · Gitega agent (agent, API)" in rows[1]
    assert rows[2].startswith("version 1,")
    assert "Corrected · Gitega owner (person)" in rows[2]
    assert rows[3].startswith("The record before it Replaced by this record · Bujumbura")
    assert page.links["The record that replaced it"] == address(last, "versions/")
    assert page.links["The record before it"] == address(record, "versions/")
    assert entries_of(reviewer) == [("record.history", "allowed", "", 4)]


def test_the_two_newest_rows_are_chosen_for_the_comparison(
    browser: Client, record: AssertedRecord, promoted: UUID
) -> None:
    html = opened(browser, record, "versions/").html
    assert 'name="to" value="successor" checked' in html
    assert 'name="from" value="2" checked' in html
    assert 'aria-label="Compare from the record that replaced it"' in html
    assert 'aria-label="Compare to version 1"' in html
    html = opened(browser, promoted, "versions/").html
    assert 'name="to" value="1" checked' in html
    assert 'name="from" value="predecessor" checked' in html


def test_a_record_of_one_version_offers_nothing_to_compare(
    browser: Client, record: AssertedRecord
) -> None:
    page = opened(browser, record, "versions/")
    assert len(page.rows()) == 1
    assert "Compare the chosen versions" not in page.text


def test_an_old_version_says_that_it_is_old(
    browser: Client, reviewer: Actor, record: AssertedRecord, promoted: UUID
) -> None:
    page = opened(browser, record, "versions/1/")
    assert "You are looking at an old version." in page.text
    assert "Current version 1" in page.text
    assert page.links["The record as it is"] == address(record)
    newest = opened(browser, record, "versions/2/")
    assert "You are looking at an old version." not in newest.text
    assert "Superseded version 2" in newest.text
    assert entries_of(reviewer) == [("record.history", "allowed", "", 1)] * 2
    assert "You are looking" not in opened(browser, promoted).text


# Compare


def test_a_correction_is_compared_across_the_two_records(
    browser: Client, reviewer: Actor, record: AssertedRecord, promoted: UUID
) -> None:
    page = opened(browser, record, "compare/?from=2&to=successor")
    assert "What changed from version 2 to the record that replaced it" in page.text
    assert "Object Removed: Bujumbura Added: Gitega" in page.text
    assert "Added: The quagga's is Gitega." in page.text
    assert "Status Removed: superseded Added: current" in page.text
    mirrored = opened(browser, promoted, "compare/?from=predecessor&to=1")
    assert "What changed from the record before it to version 1" in mirrored.text
    assert "Object Removed: Bujumbura Added: Gitega" in mirrored.text
    assert entries_of(reviewer) == [("record.history", "allowed", "", 2)] * 2


@pytest.mark.usefixtures("promoted")
def test_two_versions_differ_in_their_state_only(browser: Client, record: AssertedRecord) -> None:
    page = opened(browser, record, "compare/?from=1&to=2")
    assert "What changed from version 1 to version 2" in page.text
    assert "Status Removed: current Added: superseded" in page.text
    assert "Unchanged: 11 fields" in page.text
    assert "Removed: Bujumbura" not in page.text
    assert page.links["Back to the versions"] == address(record, "versions/")


def test_the_earlier_state_comes_first_whichever_way_it_is_asked(
    browser: Client, record: AssertedRecord, promoted: UUID
) -> None:
    for query in ("from=successor&to=1", "from=1&to=successor"):
        page = opened(browser, record, f"compare/?{query}")
        assert "Object Removed: Bujumbura Added: Gitega" in page.text
    for query in ("from=predecessor&to=1", "from=1&to=predecessor"):
        assert "Removed: Bujumbura" in opened(browser, promoted, f"compare/?{query}").text


def test_both_ends_of_a_chain_can_be_compared(
    browser: Client, agent: Actor, promoted: UUID
) -> None:
    correct(agent, promoted, to="Ngozi")
    page = opened(browser, promoted, "compare/?from=successor&to=predecessor")
    assert "What changed from the record before it to the record that replaced it" in page.text
    assert "Object Removed: Bujumbura Added: Ngozi" in page.text


def test_a_version_beside_itself_says_the_same(browser: Client, record: AssertedRecord) -> None:
    page = opened(browser, record, "compare/?from=1&to=1")
    assert "Both versions say the same." in page.text


ABSENT = (
    "versions/2/",
    "versions/0/",
    "versions/01/",
    "versions/-1/",
    "versions/99999999999999999999/",
    "compare/",
    "compare/?from=1",
    "compare/?from=1&to=2",
    "compare/?from=1&to=successor",
    "compare/?from=predecessor&to=1",
    "compare/?from=0&to=1",
    "compare/?from=1&to=1%00",
    "compare/?from=%D9%A1&to=1",
    "compare/?from=1&to=99999999999999999999",
)


def test_what_a_record_does_not_have_is_not_found(browser: Client, record: AssertedRecord) -> None:
    statuses = {tab: browser.get(address(record, tab)).status_code for tab in ABSENT}
    assert statuses == dict.fromkeys(ABSENT, 404)


# History and reports


def test_history_tells_doubts_and_decisions_newest_first(
    browser: Client, reviewer: Actor, record: AssertedRecord, promoted: UUID
) -> None:
    page = opened(browser, record, "history/")
    order = [
        "Corrected: reported by agent (agent, API), promoted by owner (person)",
        "Doubt reported by agent (agent, API)",
        "Asserted by agent (agent, API)",
    ]
    places = [page.text.index(text) for text in order]
    assert places == sorted(places)
    assert page.links["The record that replaced it"] == address(promoted)
    assert page.links["The report"].startswith("/p/demo/reports/")
    assert entries_of(reviewer) == [("record.history", "allowed", "", 3)]
    after = opened(browser, promoted, "history/")
    assert order[0] in after.text
    assert "Asserted" not in after.text
    assert after.links["The record it replaced"] == address(record)


def test_a_direct_change_names_who_made_it(
    browser: Client, owner: Actor, agent: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent)
    retract(owner, other)
    new = correct(owner, record)
    assert "Retracted by owner (person)" in opened(browser, other, "history/").text
    assert "Corrected by owner (person)" in opened(browser, record, "history/").text
    assert "Corrected by owner (person)" in opened(browser, new, "history/").text


def test_a_promoted_retraction_names_both_people_and_the_report(
    browser: Client, owner: Actor, agent: Actor, record: AssertedRecord
) -> None:
    report = a_report(agent, record)
    promote(owner, report.id)
    page = opened(browser, record, "history/")
    assert "Retracted: reported by agent (agent, API), promoted by owner (person)" in page.text
    assert page.links["The report"] == f"/p/demo/reports/{report.id}/"


def test_a_long_history_meets_every_event_once(
    browser: Client, reviewer: Actor, owner: Actor, agent: Actor, record: AssertedRecord
) -> None:
    for number in range(25):
        a_report(agent, record, note=f"quagga doubt {number}")
    correct(owner, record)
    for number in range(25, 45):
        a_report(agent, record, note=f"quagga doubt {number}")
    page = opened(browser, record, "history/")
    events = page.html.split('<li class="event">')[1:]
    pages = 1
    while "Earlier events" in page.links:
        page = Page(browser.get(page.links["Earlier events"]))
        events += page.html.split('<li class="event">')[1:]
        pages += 1
    assert pages == 3
    kinds = [event.split()[0] for event in events]
    assert kinds == ["Doubt"] * 20 + ["Corrected"] + ["Doubt"] * 25 + ["Asserted"]
    assert sum(entry[3] for entry in entries_of(reviewer)) == 47


def test_reports_are_listed_with_their_outcome(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord, promoted: UUID
) -> None:
    a_report(agent, record, note="quagga too late")
    page = opened(browser, record, "reports/")
    assert "quagga too late" in page.rows()[0]
    assert page.rows()[0].endswith("Open Target corrected")
    assert "Promoted Corrected to “ Gitega ” at 20" in page.rows()[1]
    assert entries_of(reviewer) == [("feedback.list", "allowed", "", 2)]
    assert "No one has reported a doubt about this record." in (
        opened(browser, promoted, "reports/").text
    )


def test_reports_are_paged(browser: Client, agent: Actor, record: AssertedRecord) -> None:
    for _ in range(21):
        a_report(agent, record)
    page = opened(browser, record, "reports/")
    assert len(page.rows()) == 20
    later = Page(browser.get(page.links["Older reports"]))
    assert len(later.rows()) == 1
    assert later.links["Back to start"] == address(record, "reports/")


# Who, what else, and at what cost


def test_a_tab_hints_at_the_keys_that_do_something_on_it(
    browser: Client, agent: Actor, record: AssertedRecord, promoted: UUID
) -> None:
    for _ in range(21):
        a_report(agent, record)
    for opened_record in (record, promoted):
        for tab in TABS:
            page = opened(browser, opened_record, tab)
            assert page.hinted_keys == page.working_keys, tab
    assert opened(browser, record, "versions/").hinted_keys == set("uvhdjko")
    assert opened(browser, record, "versions/1/").hinted_keys == set("uvhe]")
    assert opened(browser, record, "reports/").hinted_keys == set("uvhjkon")


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 200), ("owner", 200), ("auditor", 403), ("nobody", 404)]
)
def test_who_may_open_a_record(
    request: pytest.FixtureRequest, record: AssertedRecord, persona: str, status: int
) -> None:
    client = visitor(request.getfixturevalue(persona))
    pages = [Page(client.get(address(record, tab))) for tab in TABS]
    assert {page.status for page in pages} == {status}
    assert {"Bujumbura" in page.html for page in pages} == {status == 200}


def test_missing_and_foreign_records_are_not_found(outsider: Actor, record: AssertedRecord) -> None:
    client = visitor(outsider)
    for record_id, tab in product((record.id, uuid4()), TABS):
        answer = client.get(address(record_id, tab).replace("/demo/", "/elsewhere/"))
        assert answer.status_code == 404
    assert {entry[1:] for entry in entries_of(outsider)} == {("refused", "not_found", 0)}


def test_a_cursor_of_another_tab_is_a_problem(
    browser: Client, reviewer: Actor, agent: Actor, record: AssertedRecord
) -> None:
    other = a_record(agent)
    for _ in range(21):
        a_report(agent, other)
    onward = opened(browser, other, "reports/").links["Older reports"]
    cursor = onward.partition("?")[2]
    for tab in ("", "reports/", "versions/", "history/"):
        page = Page(browser.get(address(record, tab) + "?" + cursor))
        assert page.status == 422
        assert "This page link does not fit these filters." in page.text
        assert page.links["Back to start"] == address(record, tab)
        assert entries_of(reviewer)[-1][1] == "refused"


def test_a_current_record_that_moved_has_two_versions_and_no_closing(
    browser: Client, owner: Actor, record: AssertedRecord
) -> None:
    move(record, owner)
    page = opened(browser, record)
    assert "Current version 2" in page.text
    assert len(opened(browser, record, "versions/").rows()) == 2


def test_a_tab_costs_the_same_whatever_hangs_on_the_record(
    browser: Client, owner: Actor, agent: Actor, record: AssertedRecord
) -> None:
    a_report(agent, record)
    correct(owner, record)
    opened(browser, record)

    def costs() -> dict[str, int]:
        found = {}
        for tab in (*TABS, "compare/?from=1&to=successor"):
            with watched() as statements:
                opened(browser, record, tab)
            found[tab] = len(statements)
        return found

    alone = costs()
    for _ in range(30):
        a_report(agent, record)
    cite_again(record, 19)
    assert costs() == alone
    assert max(alone.values()) <= 14


def test_hostile_names_stay_text(browser: Client, agent: Actor) -> None:
    record = a_record(
        agent,
        subject="<script>quagga</script>",
        object='"><img src=x onerror=alert(1)>',
        statement="\u202equagga",
    )
    for tab in TABS:
        page = opened(browser, record, tab)
        assert "<script>quagga" not in page.html
        assert "<img" not in page.html
        assert "quagga" not in page.title
