"""Whatever stands in a record or a report stays text (`assurance.md` 4, attack 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from memory.operations.issue_credential import issue_credential
from memory.operations.record_rows import Origin
from memory.vocabulary import Access, Role
from tests.browser.scene import AUDIT, REPORTS, Scene, address, record_address
from tests.browser.screens.decision import asked
from tests.factories import MARKER, fresh
from tests.personas import client, person
from tests.review.situations import correct, promote

if TYPE_CHECKING:
    from memory.actor import Actor
    from tests.browser.windows import Window

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOSTILE: Final = (
    f"{MARKER} {{{{7*7}}}} <script>hacked = 1</script><img src=x onerror='hacked = 1'>"
    '"><a href="javascript:hacked = 1">javascript:hacked</a></textarea></bdi></main>'
    "<style>* { display: none }</style><base href=//elsewhere.example><iframe srcdoc=x></iframe>"
    "<form action=//elsewhere.example><button>Correct</button></form>"
    "{% load static %} ${7*7} &lt;b&gt; \x1b[31m =cmd() https://elsewhere.example"
)
#: A bidi override and a zero-width space are shown as boxes, a no-break space is not.
INVISIBLE: Final = f"The {MARKER} \u202ecapital moved to Gi\u200btega\xa0now."
INERT: Final = """
[...document.querySelectorAll(`main script, style, base, img, iframe, a[href^='javascript'],
  a[href*='elsewhere'], [onerror], [style], form[action*='elsewhere']`)].map((e) => e.outerHTML)
"""


@pytest.fixture
def hostile(operator: Actor, rival: Actor) -> Scene:
    """An agent whose very name is hostile."""
    name = HOSTILE.replace("\x1b", "")[:100]
    receipt = issue_credential(actor=fresh(operator), name=name, access=Access.READ_WRITE)
    return Scene(client(operator, receipt, name, Access.READ_WRITE), rival)


def test_hostile_text_is_inert_on_every_page(window: Window, hostile: Scene, owner: Actor) -> None:
    record = hostile.record(
        subject=HOSTILE,
        object=HOSTILE,
        statement=HOSTILE,
        data_subject=HOSTILE,
        origin=Origin(HOSTILE[:60], HOSTILE[:60]),
    )
    said = {"note": HOSTILE, "proposed_object": HOSTILE}
    report, sibling = hostile.correction(record, **said), hostile.retraction(record, note=HOSTILE)
    promoted = hostile.correction(hostile.record(object=HOSTILE), **said)
    promote(hostile.rival, promoted.id)
    window.sign_in(owner)
    for path in (
        REPORTS,
        f"{REPORTS}?view=all",
        address(report),
        address(sibling),
        address(promoted),
        record_address(record),
        record_address(record, "versions/"),
        record_address(record, "history/"),
        record_address(record, "reports/"),
        f"{AUDIT}?reads=shown",
    ):
        window.goto(path)
        assert_inert(window)
        assert "{{7*7}}" in window.text, path
    asked(window, sibling)
    assert_inert(window)
    window.goto(address(report))
    correct(hostile.agent, record, to=HOSTILE)
    window.page.locator("main .button-primary").click()
    window.page.wait_for_url("**/promote/")
    assert window.status == 409
    assert_inert(window)


def assert_inert(window: Window) -> None:
    assert window.page.evaluate(INERT) == []
    assert window.page.evaluate("typeof hacked") == "undefined"
    assert "hacked" not in window.page.title()
    assert window.page.locator("main").count() == 1


def test_invisible_characters_are_boxes_and_copying_gives_the_stored_text(
    window: Window, scene: Scene, reviewer: Actor
) -> None:
    report = scene.correction(note=INVISIBLE)
    window.sign_in(reviewer)
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    window.goto(address(report))
    chips = window.page.locator("#note .chip").all_inner_texts()
    assert chips == ["U+202E RIGHT-TO-LEFT OVERRIDE", "U+200B ZERO WIDTH SPACE"]
    assert "This text contains 2 characters that cannot be seen." in window.text
    assert "They become part of the record if you promote." in window.text
    note = window.page.locator("#note [data-text]")
    assert note.evaluate(
        "note => note.textContent.indexOf('capital') < note.textContent.indexOf('now')"
    )
    note.evaluate("note => getSelection().selectAllChildren(note)")
    window.page.keyboard.press("Control+c")
    assert window.page.evaluate("navigator.clipboard.readText()") == INVISIBLE
    window.page.get_by_text("Ids and versions").click()
    window.page.get_by_role("button", name="Copy Report").click()
    window.page.get_by_role("status").get_by_text("Copied").wait_for()
    assert window.page.evaluate("navigator.clipboard.readText()") == str(report.id)
    window.context.clear_permissions()


def test_removed_and_added_are_told_apart_without_colour(
    plain_window: Window, scene: Scene, reviewer: Actor
) -> None:
    plain_window.sign_in(reviewer)
    plain_window.goto(address(scene.correction()))
    lines = "element => getComputedStyle(element).textDecorationLine"
    assert plain_window.page.locator("#change del").first.evaluate(lines) == "line-through"
    assert plain_window.page.locator("#change ins").first.evaluate(lines) == "underline"
    table = plain_window.page.locator("#change table").aria_snapshot()
    assert "Removed: Bujumbura" in table
    assert "Added: Gitega" in table


@pytest.fixture
def rival(operator: Actor) -> Actor:
    return person(operator, HOSTILE.replace("\x1b", "")[:140], Role.REVIEWER)
