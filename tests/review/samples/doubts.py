"""Made-up screens of a doubt about a record."""

from __future__ import annotations

from dataclasses import replace

from review.console.forms import DoubtForm
from review.messages import sentence
from review.screens import (
    Badge,
    DoubtScreen,
    FormProblem,
    ReportForm,
    SaidRecord,
    Screen,
)
from tests.review.samples.parts import (
    ANYWHERE,
    FORM_KEY,
    HOSTILE,
    NOW,
    PERSON,
    VERSION,
    frame,
)

#: A field holds text as it is, so what cannot be seen stays as it is too.
TYPED = HOSTILE.replace("\u202e", "")


def report_form() -> ReportForm:
    return ReportForm(
        action="/p/demo/records/1/report/",
        expected_version=VERSION,
        form_key=FORM_KEY,
        fields=DoubtForm({"note": TYPED, "proposed_object": TYPED}),
        label=sentence("doubt_send_version", n=2),
    )


def doubt(**changes: object) -> DoubtScreen:
    screen = DoubtScreen(
        frame=frame("Report a doubt", refresh_url=""),
        subject=HOSTILE,
        predicate="has_capital",
        record=SaidRecord(
            status=Badge.CURRENT,
            object=HOSTILE,
            statement=HOSTILE,
            version_number=2,
            version=VERSION,
        ),
        form=report_form(),
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def closed_doubt() -> DoubtScreen:
    closed = sentence("superseded_by", x=HOSTILE, time=NOW, actor=PERSON)
    return doubt(form=None, closed=closed, links=(ANYWHERE,))


def doubt_screens() -> dict[str, tuple[str, Screen]]:
    conflict = sentence("report_conflict")
    wrong = (FormProblem(text=sentence("note_blank"), field_id="id_name"),)
    return {
        "doubt": ("report_doubt", doubt()),
        "doubt with a problem": ("report_doubt", doubt(problems=wrong)),
        "doubt of a closed record": ("report_doubt", closed_doubt()),
        "doubt of a record that moved": ("report_doubt", doubt(conflict=conflict)),
        "doubt of a record that is gone": (
            "report_doubt",
            replace(closed_doubt(), conflict=conflict, note=HOSTILE, proposed_object=HOSTILE),
        ),
    }
