"""Context runs, what became of them, and the records in trouble because of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedback.vocabulary import OutcomeKind
from tests.browser.scene import LONG, RUNS, TROUBLE, record_address, run_address
from tests.browser.screens.matrix import shown
from tests.factories import MARKER, some_records
from tests.review.situations import compiled, correct, graded, retract

if TYPE_CHECKING:
    from feedback.operations.compile_context import CompiledContext
    from memory.operations.assert_records import AssertedRecord
    from tests.browser.scene import Scene
    from tests.browser.windows import Window

REASON = f"<b>\u202e{MARKER}"


def told(scene: Scene) -> tuple[CompiledContext, AssertedRecord]:
    """A run of records in every state, and the one that most was said of."""
    records = [scene.record() for _ in range(4)]
    run = compiled(scene.agent, data_subject=f"person of the {MARKER}")
    for kind in OutcomeKind:
        graded(scene.agent, run, kind, records[0], REASON)
    for actor in (scene.agent, scene.rival):
        graded(actor, run, OutcomeKind.INCORRECT, records[0], "stale")
        graded(actor, run, OutcomeKind.USEFUL)
    correct(scene.agent, records[1])
    retract(scene.agent, records[2])
    scene.move(records[3])
    return run, records[0]


@shown("run-list", "reader", "reviewer", "owner")
def runs(window: Window, scene: Scene) -> None:
    told(scene)
    for _ in range(22):
        compiled(scene.agent)
    window.goto(RUNS)


@shown("run-list", "reviewer")
def older_runs(window: Window, _scene: Scene) -> None:
    window.goto(RUNS)
    window.follow("Older runs")


@shown("run-list", "reviewer")
def complaints(window: Window, scene: Scene) -> None:
    window.goto(f"{RUNS}?outcome=complaint&by={scene.agent.id}")


@shown("run-list", "reviewer")
def no_runs(window: Window, _scene: Scene) -> None:
    window.goto(f"{RUNS}?from=2019-01-01&to=2019-01-02")


@shown("run-list", "reviewer", status=422)
def nothing_fits(window: Window, _scene: Scene) -> None:
    window.goto(f"{RUNS}?outcome=nonsense&by=nonsense&from=nonsense")


@shown("run-list", "auditor", status=403)
def not_for_this_role(window: Window, _scene: Scene) -> None:
    window.goto(RUNS)


@shown("run-get", "reader", "reviewer", "owner")
def run(window: Window, scene: Scene) -> None:
    window.goto(run_address(told(scene)[0]))


@shown("run-get", "reviewer")
def further_items(window: Window, scene: Scene) -> None:
    some_records(scene.agent, 20)
    window.goto(run_address(compiled(scene.agent)))
    window.follow("Further items")


@shown("run-get", "reviewer")
def long_texts(window: Window, scene: Scene) -> None:
    text = LONG.replace("capital", "lighthouse")
    scene.record(subject=f"{MARKER * 30}", object=text[:1000], statement=text)
    run = compiled(scene.agent, "lighthouse", max_candidates=1)
    graded(scene.agent, run, OutcomeKind.HARMFUL, run.items[0].record.id, "x" * 64)
    window.goto(run_address(run))


@shown("run-get", "reviewer")
def nothing_delivered(window: Window, scene: Scene) -> None:
    window.goto(run_address(compiled(scene.agent, "xylophone")))


@shown("run-get", "reviewer", status=404)
def missing(window: Window, scene: Scene) -> None:
    window.goto(f"{RUNS}{scene.record().id}/")


@shown("run-get", "reviewer", status=422)
def no_such_rank(window: Window, scene: Scene) -> None:
    window.goto(f"{run_address(compiled(scene.agent))}?after=nonsense")


@shown("trouble-list", "reader", "reviewer", "owner")
def trouble(window: Window, scene: Scene) -> None:
    _run, record = told(scene)
    scene.retraction(record)
    window.goto(TROUBLE)


@shown("trouble-list", "reviewer")
def trouble_with_closed_records(window: Window, scene: Scene) -> None:
    record = scene.record(subject=f"{MARKER * 30}", object=REASON)
    graded(scene.agent, compiled(scene.agent), OutcomeKind.HARMFUL, record)
    retract(scene.agent, record)
    window.goto(f"{TROUBLE}?days=7&closed=show")


@shown("trouble-list", "auditor", status=403)
def trouble_not_for_this_role(window: Window, _scene: Scene) -> None:
    window.goto(TROUBLE)


@shown("trouble-list", "reviewer", status=422)
def no_such_period(window: Window, _scene: Scene) -> None:
    window.goto(f"{TROUBLE}?days=8")


@shown("record-get", "reviewer")
def record_with_outcomes(window: Window, scene: Scene) -> None:
    window.goto(record_address(told(scene)[1]))


@shown("record-runs", "reader", "reviewer")
def packs_of_a_record(window: Window, scene: Scene) -> None:
    run, record = told(scene)
    graded(scene.agent, run, OutcomeKind.HARMFUL, record)
    for _ in range(20):
        compiled(scene.agent)
    window.goto(record_address(record, "runs/"))


@shown("record-runs", "reviewer")
def no_packs(window: Window, scene: Scene) -> None:
    window.goto(record_address(scene.record(), "runs/"))


@shown("record-history", "reviewer")
def history_with_packs(window: Window, scene: Scene) -> None:
    window.goto(record_address(told(scene)[1], "history/"))


@shown("record-report", "reviewer")
def doubt_because_of_outcomes(window: Window, scene: Scene) -> None:
    window.goto(record_address(told(scene)[1], "report/?reason=outcomes"))
