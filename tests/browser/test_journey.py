"""The story of the product in a real browser at the real server, with scripting and without."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from feedback.models import Report
from feedback.vocabulary import OutcomeKind
from tests.browser.scene import address, record_address
from tests.factories import MARKER, PASSWORD
from tests.invariants import assert_invariants
from tests.leaks import leaks_in
from tests.personas import account
from tests.review.situations import compiled, correct, graded, suspected

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from feedback.operations.record_report import ReportReceipt
    from memory.actor import Actor
    from memory.operations.assert_records import AssertedRecord
    from tests.browser.scene import Scene
    from tests.browser.windows import Window
    from tests.serving import Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]
CORRECT = "Correct to “Gitega”, open next"
DIGEST = PBKDF2PasswordHasher().encode(PASSWORD, "salt", 1_000)  # as the real server expects it


@dataclass(frozen=True, slots=True)
class Story:
    """Three doubts, the oldest first."""

    burundi: AssertedRecord
    chad: AssertedRecord
    correction: ReportReceipt
    retraction: ReportReceipt
    newest: ReportReceipt


@pytest.fixture(params=["scripted", "unscripted"])
def window(
    request: pytest.FixtureRequest,
    transactional_db: None,  # noqa: ARG001 - the server sees committed rows only
    server: Server,
) -> Iterator[Window]:
    """A window at the real server, once with scripting and once without."""
    lent: Window = request.getfixturevalue(request.param)
    lent.start(server.url)
    yield lent
    lent.leave()
    assert lent.watch.complaints == []
    assert leaks_in(server.said()) == []
    assert_invariants()


@pytest.fixture
def story(scene: Scene) -> Story:
    burundi = scene.record(subject=f"Burundi of the {MARKER}")
    chad = scene.record(subject=f"Chad of the {MARKER}", object="Fort-Lamy")
    return Story(
        burundi,
        chad,
        scene.correction(burundi, note=f"It moved in 2019, says the {MARKER}."),
        scene.retraction(scene.record(), note=f"No {MARKER} was ever there."),
        scene.correction(chad, note=f"It has a new name, says the {MARKER}."),
    )


def enter(window: Window, actor: Actor) -> None:
    """Sign in by the form."""
    user = account(actor)
    user.password = DIGEST
    user.save(update_fields=["password"])
    window.goto("/")
    window.page.get_by_label("Name", exact=True).fill(actor.label)
    window.page.get_by_label("Password", exact=True).fill(PASSWORD)
    window.click("Sign in")


def rows_of(page: Page) -> list[str]:
    return [" ".join(row.split()) for row in page.locator("tbody tr").all_inner_texts()]


def test_a_reported_doubt_becomes_a_corrected_record(
    window: Window, story: Story, scene: Scene, reviewer: Actor, auditor: Actor, reader: Actor
) -> None:
    enter(window, reviewer)
    review(window, story, scene)
    enter(window, auditor)
    look_up_who_complained_and_who_decided(window)
    window.click("Sign out")
    enter(window, reader)
    look_without_a_form(window, (scene.correction(), scene.retraction()))


def test_a_doubt_reported_at_the_console_is_decided_there(
    window: Window, story: Story, reviewer: Actor
) -> None:
    enter(window, reviewer)
    window.goto(record_address(story.chad))
    window.follow("Report a doubt")
    note, value = window.page.get_by_label("What is wrong?"), window.page.get_by_label("It should")
    note.fill(" ")
    value.fill("Ndjamena")
    window.click("Report this doubt")
    assert window.status == 422
    assert window.focused.startswith("There is a problem")
    window.page.get_by_role("link", name="Write a note").click()
    assert value.input_value() == "Ndjamena"
    text = f"\n The capital of the {MARKER}\nis Ndjamena. "
    note.fill(text)
    window.click("Report this doubt")
    assert window.path == record_address(story.chad)
    assert window.focused.startswith("Reported. Nothing has changed yet; a reviewer decides.")
    report = Report.objects.get(recorded_by_id=reviewer.id)
    assert (report.note, report.proposed_object) == (text, "Ndjamena")
    window.follow("See the reports on this record")
    window.page.locator("[data-row]").first.click()
    window.page.wait_for_url(f"**/reports/{report.id}/**")
    window.click("Correct to “Ndjamena”, open next")
    assert "credited to you." in window.focused


def test_what_clients_said_of_a_record_leads_to_its_correction(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    chad = scene.record(subject=f"Chad of the {MARKER}", object="Fort-Lamy")
    runs = [compiled(scene.agent) for _ in range(3)]
    for run, actor in zip(runs, (scene.agent, scene.rival, scene.agent), strict=True):
        graded(actor, run, OutcomeKind.INCORRECT, chad, "stale")
    compiled(scene.agent)
    enter(window, reviewer)

    # From the run in which it appeared to the record, and to what everybody said of it.
    window.follow("Context runs")
    assert len(rows_of(window.page)) == 4
    window.page.get_by_label("Outcome", exact=True).select_option("incorrect or harmful")
    window.click("Apply filters")
    assert len(rows_of(window.page)) == 3
    with window.page.expect_navigation():
        window.page.locator("[data-row]").last.click()
    assert "incorrect 1 (stale)" in window.text
    window.follow(f"Chad of the {MARKER} · has_capital · Fort-Lamy")
    assert "incorrect 3 (2 actors)" in window.text
    assert "3 of 3 count. Utility 0.000, by 2 actors." in window.text
    window.follow("Runs")
    assert len(rows_of(window.page)) == 4

    # From the records in trouble to a report, which changes nothing yet.
    window.follow("Records in trouble")
    assert "nothing was changed because of them" in window.text
    window.follow(f"Report a doubt · Chad of the {MARKER} · has_capital")
    note = window.page.get_by_label("What is wrong?")
    assert note.input_value().startswith("Counted outcomes: incorrect 3 from 2 actors since 20")
    note.fill(f"The capital of Chad, says the {MARKER}, is Ndjamena.")
    window.page.get_by_label("It should").fill("Ndjamena")
    window.click("Report this doubt")
    window.follow("See the reports on this record")
    with window.page.expect_navigation():
        window.page.locator("[data-row]").first.click()
    assert "incorrect 3 (2 actors)" in window.text

    # Promoted, the record is out of trouble, and the new one starts without outcomes.
    window.click("Correct to “Ndjamena”, open next")
    window.follow("View the new record")
    assert "Nobody has said what became of a pack with this record." in window.text
    window.follow("Records in trouble")
    assert "No record has counted negative outcomes or signals" in window.text
    window.follow("Include closed records")
    [row] = rows_of(window.page)
    assert "Superseded" in row


def test_a_suspected_record_is_looked_at_and_decided_about(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    chad = scene.record(subject=f"Chad of the {MARKER}", object="Fort-Lamy")
    suspected(chad, scene.agent, scene.rival)
    enter(window, reviewer)
    window.follow("Integrity")
    window.follow(f"Chad of the {MARKER} · has_capital · Fort-Lamy")
    reason = window.page.get_by_label("Why is it of no concern?")
    reason.fill(" ")
    window.click("Decide: no concern")
    assert window.status == 422
    assert "Write a reason: why is it of no concern?" in window.focused
    reason.fill(f" Asked the {MARKER}.\n")
    window.click("Decide: no concern")
    assert window.focused.startswith("Noted: no concern. Nothing else has changed.")
    assert "No concern, says reviewer (person), 20" in window.text

    # A decision is taken back, and a report becomes a correction like any other.
    window.click("Reopen this item")
    assert window.focused == "Open again. Nothing else has changed."
    note = window.page.get_by_label("What is wrong?")
    assert note.input_value().startswith("Suspected: poison 2 from 2 actors since 20")
    note.fill(f"The capital of Chad, says the {MARKER}, is Ndjamena.")
    window.page.get_by_label("It should").fill("Ndjamena")
    window.click("Report this doubt")
    assert window.focused.startswith("Reported. Nothing has changed yet; a reviewer decides.")
    window.follow("Open the report")
    assert "suspected of poison 2 from 2 actors" in window.text
    window.click("Correct to “Ndjamena”, open next")
    assert "credited to you." in window.focused
    window.follow("Integrity")
    [row] = rows_of(window.page)
    assert "Superseded" in row
    assert row.endswith("Reported")


def review(window: Window, story: Story, scene: Scene) -> None:
    assert window.path == "/p/demo/reports/"
    assert "Open reports, oldest first" in window.text
    in_2019, nowhere, new_name = rows_of(window.page)
    assert "Correct It moved in 2019" in in_2019
    assert "Bujumbura" in in_2019
    assert "Gitega" in in_2019
    assert "Retract No" in nowhere
    assert "It has a new name" in new_name

    # One report: the note, what will change, what the record rests on.
    window.follow(f"It moved in 2019, says the {MARKER}.")
    main = window.page.locator("main")
    assert f"It moved in 2019, says the {MARKER}." in window.text
    removed, added = main.get_by_role("row", name=re.compile("^Object")).get_by_role("cell").all()
    assert removed.text_content() == "Removed: Bujumbura"
    assert added.text_content() == "Added: Gitega"
    statement = f"Bujumbura is where Burundi of the {MARKER} meets."
    assert main.locator("mark").all_inner_texts() == [statement]
    second = window.context.new_page()
    second.goto(window.page.url)

    window.click(CORRECT)
    assert window.path.startswith(address(story.retraction))
    assert window.focused.startswith(f"Corrected Burundi of the {MARKER} · has_capital to “Gitega”")
    assert "credited to you." in window.focused
    window.follow("View the new record")
    assert "Gitega" in window.page.locator("h1").inner_text()
    window.follow("History")
    assert re.search(r"Corrected: reported by agent .*, promoted by reviewer", window.text)
    window.follow("Back to open reports, oldest first")
    assert len(rows_of(window.page)) == 2

    # A retraction asks first.
    window.follow(f"No {MARKER} was ever there.")
    window.follow("Retract this record")
    assert window.focused == "Retract this record?"
    assert "no context will include it" in window.text
    window.click("Retract record, open next")
    assert window.path.startswith(address(story.newest))
    assert "No context will include it." in window.focused

    # The second promotion of the same report, in the other window.
    with second.expect_navigation() as led:
        second.get_by_role("button", name=CORRECT, exact=True).click()
    assert led.value.status == 409
    assert "You already promoted this report at" in second.locator("main").inner_text()
    assert second.title() == "Changed: Report · demo · Errata"
    with second.expect_navigation():
        second.get_by_role("link", name="Next report").click()
    assert address(story.newest) in second.url
    second.close()

    # Somebody closes the record before this promotion.
    correct(scene.agent, story.chad, to="Ndjamena")
    window.click(CORRECT)
    assert window.status == 409
    assert window.focused == (
        "This record was closed after you opened it. Nothing was saved; the report is still open."
    )
    assert "agent (agent, API) corrected it to “Ndjamena”" in window.text
    assert window.page.get_by_role("button", name="Correct").count() == 0

    window.follow("Open the report")
    window.click("Sign out")
    assert window.path == "/sign-in/"
    window.page.go_back()
    assert window.path.startswith("/sign-in/")
    assert MARKER not in window.page.content()


def look_up_who_complained_and_who_decided(window: Window) -> None:
    assert window.path == "/p/demo/audit/"
    complaints = [row for row in rows_of(window.page) if "feedback.record" in row]
    assert len(complaints) == 3
    assert all("agent (agent)" in row and "API" in row for row in complaints)
    entries = window.page.get_by_role("row")
    changed = entries.filter(has_text="record.correct").filter(has_text="same request")
    with window.page.expect_navigation():
        changed.get_by_role("link").click()
    promoted, changed_with_it = rows_of(window.page)
    assert "feedback.promote allowed reviewer (person) console" in promoted
    assert "record.correct allowed, same request reviewer (person) console" in changed_with_it
    assert MARKER not in window.page.content()
    window.goto("/p/demo/reports/")
    assert window.status == 403


def look_without_a_form(window: Window, reports: tuple[ReportReceipt, ...]) -> None:
    assert "You can read this queue. Promoting needs the role reviewer." in window.text
    for report in reports:
        window.goto(address(report))
        assert "Promoting needs the role reviewer." in window.text
        assert "What will change" in window.text
        main = window.page.locator("main")
        assert main.locator("form, button:visible:not([data-copy])").count() == 0
        assert main.get_by_role("link", name="Retract this record").count() == 0
    window.goto(f"{address(reports[1])}retract/")
    assert window.status == 403
