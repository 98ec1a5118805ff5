"""Suspected records, every decision about them, and signals on the page of a record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from feedback.operations.decide_integrity import (
    IntegrityDecision,
    decide_integrity,
    reopen_integrity,
)
from feedback.vocabulary import IntegrityState
from tests.browser.scene import (
    INTEGRITY,
    LONG,
    PROPOSED,
    TROUBLE,
    address,
    item_address,
    record_address,
)
from tests.browser.screens.matrix import shown
from tests.factories import MARKER, fresh, some_records
from tests.review.situations import correct, retract, signalled, suspected

if TYPE_CHECKING:
    from uuid import UUID

    from memory.operations.assert_records import AssertedRecord
    from tests.browser.scene import Scene
    from tests.browser.windows import Window

NO_CONCERN = "Decide: no concern"
SEND = "Report this doubt"
REASON = f"<b>\u202e{MARKER} & so on</b>"
BOTH: Final[dict[str, Any]] = {"is_poison_suspected": True, "is_injection_suspected": True}


def told(scene: Scene, **said: str) -> tuple[UUID, AssertedRecord]:
    """A record that several suspect, and praise, too; with its item."""
    record = scene.record(**said)
    for number in range(3):
        signalled(scene.agent, record, session=f"s{number}", is_used=True, reward=0.5)
        signalled(scene.agent, record, session=f"s{number}", is_poison_suspected=True)
    signalled(replace(scene.agent, id=uuid4()), record, is_helpful=False, reward=-1.0)
    return suspected(record, scene.rival, **BOTH), record


def dismissed(window: Window, item: UUID, reason: str = REASON) -> None:
    """Open an item and say that it is of no concern."""
    window.goto(item_address(item))
    window.page.get_by_label("Why is it of no concern?").fill(reason)
    window.click(NO_CONCERN)


def doubted(window: Window, item: UUID, note: str) -> None:
    """Open an item and write a doubt."""
    window.goto(item_address(item))
    window.page.get_by_label("What is wrong?").fill(note)
    window.page.get_by_label("It should say").fill(PROPOSED)


def decide(scene: Scene, item: UUID) -> None:
    """Let the other person say that it is of no concern."""
    decision = IntegrityDecision(item_id=item, seen_state=IntegrityState.OPEN, reason=REASON)
    decide_integrity(actor=fresh(scene.rival), decision=decision)


def reopen(scene: Scene, item: UUID) -> None:
    """Let the other person take that back."""
    actor, seen = fresh(scene.rival), IntegrityState.NO_CONCERN
    reopen_integrity(actor=actor, item_id=item, seen_state=seen)


@shown("integrity-list", "reader", "reviewer", "owner")
def suspects(window: Window, scene: Scene) -> None:
    told(scene)
    told(scene, subject=f"{MARKER * 30}", object=REASON)
    signalled(scene.agent, "elsewhere", REASON, is_poison_suspected=True)
    signalled(replace(scene.agent, id=uuid4()), "elsewhere")
    window.goto(INTEGRITY)


@shown("integrity-list", "reviewer")
def older_suspects(window: Window, scene: Scene) -> None:
    for record in some_records(scene.agent, 20):
        suspected(record, scene.agent, scene.rival)
    _item, record = told(scene)
    retract(scene.agent, record)
    window.goto(f"{INTEGRITY}?kind=poison&state=open")
    window.follow("Older items")


@shown("integrity-list", "reviewer")
def no_such_suspect(window: Window, scene: Scene) -> None:
    told(scene)
    window.goto(f"{INTEGRITY}?state=reported")


@shown("integrity-list", "reviewer", status=422)
def nothing_fits(window: Window, _scene: Scene) -> None:
    window.goto(f"{INTEGRITY}?kind=nonsense&state=nonsense")


@shown("integrity-list", "auditor", status=403)
def not_for_this_role(window: Window, _scene: Scene) -> None:
    window.goto(INTEGRITY)


@shown("integrity-get", "reader", "reviewer", "owner")
def suspect(window: Window, scene: Scene) -> None:
    window.goto(item_address(told(scene)[0]))


@shown("integrity-get", "reviewer")
def suspect_with_long_texts(window: Window, scene: Scene) -> None:
    item, record = told(scene, subject=f"{MARKER * 30}", object=LONG[:1000], statement=LONG)
    for _ in range(25):
        signalled(scene.agent, record, **BOTH)
    window.goto(item_address(item))


@shown("integrity-get", "reviewer")
def suspect_that_was_closed(window: Window, scene: Scene) -> None:
    item, record = told(scene)
    correct(scene.agent, record)
    window.goto(item_address(item))


@shown("integrity-get", "reviewer", status=404)
def missing(window: Window, scene: Scene) -> None:
    window.goto(item_address(scene.record().id))


@shown("integrity-decide", "reviewer", "owner")
def of_no_concern(window: Window, scene: Scene) -> None:
    dismissed(window, told(scene)[0])


@shown("integrity-decide", "reviewer")
def reported(window: Window, scene: Scene) -> None:
    doubted(window, told(scene)[0], f"It is {PROPOSED}, {MARKER}.")
    window.click(SEND)


@shown("integrity-decide", "reviewer", status=422)
def without_a_reason(window: Window, scene: Scene) -> None:
    dismissed(window, told(scene)[0], "\u200b")


@shown("integrity-decide", "reviewer", status=422)
def without_a_note(window: Window, scene: Scene) -> None:
    doubted(window, told(scene)[0], " ")
    window.click(SEND)


@shown("integrity-decide", "reviewer", status=409)
def decided_meanwhile(window: Window, scene: Scene) -> None:
    item, _record = told(scene)
    doubted(window, item, LONG)
    decide(scene, item)
    window.click(SEND)


@shown("integrity-decide", "reviewer", status=409)
def record_moved(window: Window, scene: Scene) -> None:
    item, record = told(scene)
    doubted(window, item, LONG)
    scene.move(record)
    window.click(SEND)


@shown("integrity-decide", "reader", status=403)
def not_theirs_to_decide(window: Window, scene: Scene) -> None:
    window.goto(item_address(told(scene)[0]))
    window.page.evaluate(
        """() => {
          const form = document.querySelector('form[action$="/sign-out/"]');
          form.action = location.pathname + 'decide/';
        }"""
    )
    window.click("Sign out")


@shown("integrity-decide", "reviewer", status=405)
def opened_as_a_page(window: Window, scene: Scene) -> None:
    window.goto(f"{item_address(told(scene)[0])}decide/")


@shown("integrity-reopen", "reviewer", "owner")
def reopened(window: Window, scene: Scene) -> None:
    dismissed(window, told(scene)[0])
    window.click("Reopen this item")


@shown("integrity-reopen", "reviewer", status=409)
def reopened_by_somebody(window: Window, scene: Scene) -> None:
    item, _record = told(scene)
    decide(scene, item)
    window.goto(item_address(item))
    reopen(scene, item)
    window.click("Reopen this item")


@shown("record-signals", "reader", "reviewer", "owner")
def signals(window: Window, scene: Scene) -> None:
    window.goto(record_address(told(scene)[1], "signals/"))


@shown("record-signals", "reviewer")
def no_signals(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.record(), "signals/"))


@shown("record-get", "reviewer")
def suspected_record(window: Window, scene: Scene) -> None:
    window.goto(record_address(told(scene)[1]))


@shown("report-get", "reviewer")
def report_on_a_suspected_record(window: Window, scene: Scene) -> None:
    window.goto(address(scene.correction(told(scene)[1])))


@shown("record-report", "reviewer")
def doubt_because_of_suspicions(window: Window, scene: Scene) -> None:
    window.goto(record_address(told(scene)[1], "report/?reason=suspicions"))


@shown("trouble-list", "reviewer")
def trouble_by_suspicion(window: Window, scene: Scene) -> None:
    told(scene, subject=f"{MARKER * 30}", object=REASON)
    window.goto(TROUBLE)
