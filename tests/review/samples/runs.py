"""Made-up screens of context runs, of records in trouble, and of the packs of a record."""

from __future__ import annotations

from dataclasses import replace

from review.messages import sentence
from review.screens import (
    Badge,
    DeliveryRow,
    Empty,
    Filters,
    FormProblem,
    Grade,
    IdEntry,
    Link,
    OutcomesPanel,
    RunItemRow,
    RunListRow,
    RunScreen,
    RunsScreen,
    Screen,
    Share,
    TroubleRow,
    TroubleScreen,
)
from tests.review.samples.parts import (
    AGENT,
    ANYWHERE,
    HOSTILE,
    NOW,
    PAGER,
    THEN,
    VERSION,
    SampleForm,
    frame,
)

HASH = "5aa8109e55ed"
DOUBT = Link(label="Report a doubt", url="/p/demo/records/1/report/?reason=outcomes")
SHARES = {"Relevance": 1.0, "Trust": 2 / 3, "Recency": 0.5, "Utility": 0.0, "Conflict": 1.0}
WORDS = (
    sentence("outcome_count", kind="useful", n=3),
    sentence("outcome_reasons", kind="incorrect", n=1, reasons=HOSTILE),
)
OUTCOMES = OutcomesPanel(
    words=(sentence("outcome_actors", kind="incorrect", number=3, n=2),),
    counted=sentence("outcomes_counted", n=2, total=3),
    utility=sentence("utility_few", utility="0.500"),
    signals=(
        sentence("suspected", what=sentence("suspicion_actors", kind="poison", number=1, n=1)),
        sentence("signals_senders", number=3, n=2),
    ),
    signals_told=sentence("signals_uncounted"),
)


def list_row(**changes: object) -> RunListRow:
    row = RunListRow(
        url="/p/demo/runs/1/",
        at=THEN,
        actor=replace(AGENT, label=HOSTILE),
        items=8,
        outcomes=WORDS[:1],
        task_hash=HASH,
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def runs(**changes: object) -> RunsScreen:
    screen = RunsScreen(
        frame=frame("Context runs"),
        now=NOW,
        filters=Filters(form=SampleForm({}), action="/", clear_url="/"),
        rows=(list_row(), list_row(outcomes=())),
        cut=sentence("scan_cut_runs", n=2000),
        pager=PAGER,
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def item(**changes: object) -> RunItemRow:
    row = RunItemRow(
        rank=1,
        url="/p/demo/records/1/",
        subject=HOSTILE,
        predicate="has_capital",
        object=HOSTILE,
        badges=(Badge.NEWER_VERSION,),
        score=0.84,
        shares=tuple(Share(label=name, value=value) for name, value in SHARES.items()),
        formula=sentence("score_formula", n=1, confidence="1.000000", sum="0.45", score="0.840000"),
        outcomes=WORDS,
        doubt=DOUBT,
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def run(**changes: object) -> RunScreen:
    grade = Grade(
        said=sentence("grade_item", kind="incorrect", n=1, actor=replace(AGENT, label=HOSTILE)),
        reason_code=HOSTILE,
        at=THEN,
        uncounted=sentence("grade_replaced"),
    )
    screen = RunScreen(
        frame=frame("Context run"),
        now=NOW,
        heading=sentence("run_heading", time=THEN),
        actor=replace(AGENT, label=HOSTILE),
        about=HOSTILE,
        budget=sentence("run_budget", n=1200),
        as_of=THEN,
        task_hash=HASH,
        items=(item(), item(rank=2, badges=(), formula=None, outcomes=(), doubt=None)),
        is_reviewing=True,
        erased=sentence("items_erased", n=2),
        pager=PAGER,
        whole=sentence("graded_whole", outcomes=HOSTILE),
        grades=(grade, replace(grade, reason_code=None, uncounted=None)),
        told=sentence("grades_told", n=3),
        facts=(IdEntry(label="Tokens used", value="163"),),
        ids=(IdEntry(label="Context run", value=str(VERSION)),),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def read_only_run() -> RunScreen:
    return run(items=(item(doubt=None),), is_reviewing=False, erased=None, told=None)


def empty_run() -> RunScreen:
    return run(
        items=(),
        is_reviewing=False,
        empty=Empty(text=sentence("run_emptied")),
        whole=None,
        grades=(),
        no_grades=Empty(text=sentence("run_ungraded")),
    )


def trouble(**changes: object) -> TroubleScreen:
    row = TroubleRow(
        url="/p/demo/records/1/",
        subject=HOSTILE,
        predicate="has_capital",
        object=HOSTILE,
        status=None,
        incorrect=3,
        harmful=1,
        poison=2,
        injection=0,
        actors=2,
        last_at=THEN,
        open_reports="1",
        reports_url="/p/demo/records/1/reports/",
        doubt=DOUBT,
    )
    closed = replace(row, status=Badge.RETRACTED, open_reports="0", doubt=None)
    screen = TroubleScreen(
        frame=frame("Records in trouble"),
        now=NOW,
        periods=(Link(label="30 days", url="/?days=30", is_current=True),),
        closed=Link(label="Include closed records", url="/?closed=show"),
        rows=(row, closed),
        is_reviewing=True,
        bound=sentence("trouble_bound", rows=50, n=10_000),
        cut=sentence("trouble_cut"),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def quiet() -> TroubleScreen:
    return trouble(rows=(), is_reviewing=False, empty=Empty(text=sentence("trouble_empty")))


def delivery(**changes: object) -> DeliveryRow:
    row = DeliveryRow(
        url="/p/demo/runs/1/",
        at=THEN,
        actor=replace(AGENT, label=HOSTILE),
        rank=2,
        score=0.84,
        version=VERSION,
        is_older=True,
        outcomes=WORDS,
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def run_screens() -> dict[str, tuple[str, Screen]]:
    wrong = (FormProblem(text=sentence("from_before_to"), field_id="id_name"),)
    nothing = Empty(text=sentence("runs_empty"), links=(ANYWHERE,))
    return {
        "runs": ("runs", runs()),
        "no runs": ("runs", runs(rows=(), cut=None, pager=None, empty=nothing)),
        "runs problem": ("runs", runs(rows=(), cut=None, pager=None, problems=wrong)),
        "run": ("run", run()),
        "run for a reader": ("run", read_only_run()),
        "run of nothing": ("run", empty_run()),
        "trouble": ("trouble", trouble()),
        "no trouble": ("trouble", quiet()),
    }
