"""The list of reports (S6)."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.test import Client

from memory.actor import Actor
from tests.factories import a_record, a_report
from tests.review.pages import Page
from tests.review.situations import correct, move, promote, retract
from tests.review.visitors import entries_of, visitor
from tests.statements import watched

LIST = "/p/demo/reports/"


def opened(client: Client, **query: str) -> Page:
    page = Page(client.get(LIST + ("?" + urlencode(query) if query else "")))
    assert page.status != 200 or page.hinted_keys == page.working_keys
    return page


@pytest.fixture
def states(agent: Actor, reviewer: Actor) -> None:
    """One report in each state, oldest first, named by its note."""
    a_report(agent, note="quagga waits")
    corrected = a_record(agent)
    a_report(agent, corrected, note="quagga came too late", proposed_object="Gitega")
    correct(reviewer, corrected)
    retracted = a_record(agent)
    a_report(agent, retracted, note="quagga lost its record")
    retract(reviewer, retracted)
    promoted = a_report(agent, note="quagga was right", proposed_object="Gitega")
    promote(reviewer, promoted.id)
    moved = a_record(agent)
    a_report(agent, moved, note="quagga saw an older version")
    move(moved, reviewer)


OLDEST_FIRST = [
    "quagga waits",
    "quagga came too late",
    "quagga lost its record",
    "quagga was right",
    "quagga saw an older version",
]
VIEWS = {
    "open": [0, 1, 2, 4],
    "ready": [0, 4],
    "changed": [1, 2],
    "all": [0, 1, 2, 3, 4],
}


@pytest.mark.usefixtures("states")
@pytest.mark.parametrize("order", ["oldest", "newest"])
def test_a_view_lists_its_reports_in_either_order(reader: Actor, order: str) -> None:
    client = visitor(reader)
    for view, places in VIEWS.items():
        page = opened(client, view=view, order=order)
        expected = [OLDEST_FIRST[place] for place in places]
        if order == "newest":
            expected.reverse()
        assert len(page.rows()) == len(expected)
        for row, note in zip(page.rows(), expected, strict=True):
            assert note in row
        assert f", {order} first" in page.text
    assert [entry[3] for entry in entries_of(reader)] == [len(places) for places in VIEWS.values()]


@pytest.mark.usefixtures("states")
def test_the_first_visit_shows_the_open_reports_oldest_first(reviewer: Actor) -> None:
    page = opened(visitor(reviewer))
    assert page.html.count("Open reports, oldest first") == 2  # the heading and the caption
    assert "4 open" in page.text
    assert page.rows() == opened(visitor(reviewer), view="open", order="oldest").rows()
    assert page.title == "Reports · demo · Errata"


@pytest.mark.usefixtures("states")
def test_a_row_says_what_became_of_the_record_and_of_the_report(reviewer: Actor) -> None:
    rows = opened(visitor(reviewer), view="all", order="oldest").rows()
    assert rows[0].endswith("Open")
    assert rows[1].endswith("Open Target corrected")
    assert rows[2].endswith("Open Target retracted")
    assert "Promoted Corrected to “ Gitega ” at 20" in rows[3]
    assert rows[4].endswith("Open Newer version")


@pytest.mark.usefixtures("states")
def test_the_list_of_open_reports_names_only_what_is_odd(reviewer: Actor) -> None:
    rows = opened(visitor(reviewer)).rows()
    assert rows[0].endswith("under 1 min")
    assert rows[1].endswith("under 1 min Target corrected")


def test_the_note_is_the_only_link_of_a_row_and_keeps_the_view(
    reviewer: Actor, agent: Actor
) -> None:
    a_report(agent, note="quagga")
    page = opened(visitor(reviewer), view="all", order="oldest", size="50")
    row = page.html.split('<tr class="row"')[1].split("</tr>")[0]
    assert row.count("<a ") == 1
    report = Page(visitor(reviewer).get(page.links["quagga"]))
    assert report.links["Back to all reports, oldest first"] == (
        f"{LIST}?view=all&order=oldest&size=50"
    )


@pytest.mark.parametrize("order", ["oldest", "newest"])
def test_walking_the_pages_meets_every_report_once(
    reviewer: Actor, agent: Actor, order: str
) -> None:
    record = a_record(agent)
    for number in range(45):
        a_report(agent, record, note=f"quagga number {number:02}")
    client = visitor(reviewer)
    page = opened(client, order=order)
    onward = "Newer reports" if order == "oldest" else "Older reports"
    met = page.rows()
    while onward in page.links:
        address = page.links[onward]
        page = Page(client.get(address))
        met += page.rows()
        assert page.links["Back to start"] == LIST + ("" if order == "oldest" else "?order=newest")
    numbers = [row.split("number ")[1][:2] for row in met]
    expected = [f"{number:02}" for number in range(45)]
    assert numbers == (expected if order == "oldest" else expected[::-1])
    assert [entry[3] for entry in entries_of(reviewer)] == [20, 20, 5]


def test_back_leads_to_the_page_that_somebody_came_from(reviewer: Actor, agent: Actor) -> None:
    record = a_record(agent)
    for number in range(25):
        a_report(agent, record, note=f"quagga number {number:02}")
    client = visitor(reviewer)
    second = Page(client.get(opened(client).links["Newer reports"]))
    report = Page(client.get(second.links["quagga number 22"]))
    following = Page(client.get(report.links["Skip to next"]))
    back = following.links["Back to open reports, oldest first"]
    assert Page(client.get(back)).rows() == second.rows()


def test_a_cursor_of_another_view_is_a_problem_and_not_an_empty_list(
    reviewer: Actor, agent: Actor
) -> None:
    record = a_record(agent)
    for _ in range(21):
        a_report(agent, record)
    client = visitor(reviewer)
    address = opened(client).links["Newer reports"]
    page = Page(client.get(address + "&view=all"))
    assert page.status == 422
    assert "This page link does not fit these filters. Go back to the start." in page.text
    assert page.links["Back to start"] == LIST
    assert page.title == "Error: There is a problem · demo · Errata"
    assert entries_of(reviewer)[1] == ("feedback.list", "refused", "invalid_feedback", 0)


def test_an_unknown_choice_is_a_problem(reviewer: Actor) -> None:
    client = visitor(reviewer)
    for query in ({"view": "triage"}, {"order": "x"}, {"size": "21"}):
        page = opened(client, **query)
        assert page.status == 422
        assert "is not one of the choices." in page.text


def test_a_project_without_a_report_says_how_reports_arrive(reviewer: Actor) -> None:
    for view in VIEWS:
        page = opened(visitor(reviewer), view=view)
        assert (
            "No one has reported a doubt yet. "
            "Reports arrive through the API or a record's page." in page.text
        )
        assert page.links["Help"] == "/help/"


def test_empty_views_say_so_and_lead_to_all_reports(reviewer: Actor, agent: Actor) -> None:
    promote(reviewer, a_report(agent).id)
    client = visitor(reviewer)
    expected = {
        "open": "Nothing is open. Every report has been promoted.",
        "ready": "Nothing is ready to promote.",
        "changed": "No open report is about a record that was closed.",
    }
    for view, text in expected.items():
        page = opened(client, view=view)
        assert text in page.text
        assert page.links["All"] == f"{LIST}?view=all"
    assert len(opened(client, view="all").rows()) == 1


def test_a_page_whose_reports_are_gone_leads_back_to_the_start(
    reviewer: Actor, agent: Actor
) -> None:
    reports = [a_report(agent) for _ in range(21)]
    client = visitor(reviewer)
    address = opened(client).links["Newer reports"]
    promote(reviewer, reports[-1].id)
    page = Page(client.get(address))
    assert page.status == 200
    assert "The entries of this page are gone." in page.text
    assert page.links["Back to start"] == LIST


def test_the_first_row_of_the_next_page_survives_the_promotion_of_the_cursor_row(
    reviewer: Actor, agent: Actor
) -> None:
    reports = [a_report(agent, note=f"quagga number {number:02}") for number in range(22)]
    client = visitor(reviewer)
    address = opened(client).links["Newer reports"]
    for report in reports[:20]:
        promote(reviewer, report.id)
    numbers = [row.split("number ")[1][:2] for row in Page(client.get(address)).rows()]
    assert numbers == ["20", "21"]


def test_a_reader_reads_one_sentence_instead_of_controls(reader: Actor, reviewer: Actor) -> None:
    sentence = "You can read this queue. Promoting needs the role reviewer."
    assert sentence in opened(visitor(reader)).text
    assert sentence not in opened(visitor(reviewer)).text


@pytest.mark.parametrize(
    ("persona", "status", "entries"),
    [
        ("reader", 200, [("feedback.list", "allowed", "", 0)]),
        ("reviewer", 200, [("feedback.list", "allowed", "", 0)]),
        ("owner", 200, [("feedback.list", "allowed", "", 0)]),
        ("auditor", 403, [("feedback.list", "refused", "forbidden", 0)]),
        ("nobody", 404, []),
        ("outsider", 404, []),
    ],
)
def test_who_may_open_the_list(
    request: pytest.FixtureRequest,
    persona: str,
    status: int,
    entries: list[tuple[str, str, str, int]],
) -> None:
    request.getfixturevalue("operator")
    actor = request.getfixturevalue(persona)
    assert opened(visitor(actor)).status == status
    assert entries_of(actor) == entries


def test_the_list_of_another_project_is_not_shown(outsider: Actor, agent: Actor) -> None:
    a_report(agent, note="quagga of the demo")
    page = Page(visitor(outsider).get("/p/elsewhere/reports/"))
    assert "No one has reported a doubt yet." in page.text


def test_hostile_notes_are_escaped_and_never_reach_the_title(reviewer: Actor, agent: Actor) -> None:
    a_report(agent, note="<script>alert('quagga')</script>\u202equagga", proposed_object="<b>x")
    page = opened(visitor(reviewer))
    assert "<script>alert" not in page.html
    assert "&lt;script&gt;alert" in page.html
    assert "RIGHT-TO-LEFT OVERRIDE" in page.text
    assert "quagga" not in page.title


def test_the_list_costs_the_same_for_1_and_20_and_100_reports(
    reviewer: Actor, agent: Actor
) -> None:
    record = a_record(agent)
    client = visitor(reviewer)
    counts = {}
    for more, number in ((1, 1), (19, 20), (80, 100)):
        for _ in range(more):
            a_report(agent, record)
        with watched() as statements:
            page = opened(client, size="100")
        assert len(page.rows()) == number
        counts[number] = len(statements)
    assert set(counts.values()) == {9}


def test_a_list_of_20_is_small(reviewer: Actor, agent: Actor) -> None:
    note = "The capital was moved from Bujumbura to Gitega, says the quagga. " * 10
    for _ in range(20):
        a_report(agent, note=note, proposed_object="Gitega")
    size = len(opened(visitor(reviewer)).html.encode())
    assert size <= 60 * 1024


def test_counting_is_bounded(
    reviewer: Actor, count_statements: Callable[[Callable[[], object]], int]
) -> None:
    client = visitor(reviewer)
    opened(client)
    with watched() as statements:
        opened(client)
    counting = [sql for sql, _ in statements.sent if "COUNT(" in sql.upper()]
    assert counting
    assert all("LIMIT 1001" in sql for sql in counting)
    assert count_statements(lambda: opened(client)) <= 10
