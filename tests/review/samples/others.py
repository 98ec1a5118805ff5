"""Made-up screens of the audit log, the projects, the sign-in and a refusal."""

from __future__ import annotations

from dataclasses import replace

from review.console.keys import AUDIT_KEYS
from review.console.meanings import ROLES, SETTINGS, WORDS
from review.messages import sentence
from review.screens import (
    AuditRow,
    AuditScreen,
    Empty,
    ErrorScreen,
    Filters,
    FormProblem,
    Frame,
    HelpScreen,
    KeyGroup,
    KeysScreen,
    Notice,
    ProjectRow,
    ProjectsScreen,
    Screen,
    SignInScreen,
    Tone,
)
from tests.review.samples.parts import (
    ANYWHERE,
    HOSTILE,
    NOW,
    PAGER,
    PERSON,
    REQUEST,
    THEN,
    SampleForm,
    frame,
)


def audit(**changes: object) -> AuditScreen:
    row = AuditRow(
        at=NOW,
        operation="feedback.promote",
        is_refused=False,
        code="",
        actor=replace(PERSON, label=HOSTILE),
        magnitude=1,
        request_id=REQUEST,
        request_url="/p/demo/audit/?request=" + REQUEST,
    )
    screen = AuditScreen(
        frame=frame("Audit log"),
        now=NOW,
        filters=Filters(form=SampleForm({}), action="/", clear_url="/"),
        rows=(
            row,
            replace(row, operation="record.correct", is_same_request=True),
            replace(row, is_refused=True, code="record_conflict", magnitude=0),
        ),
        pager=PAGER,
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def audit_problem() -> AuditScreen:
    problems = (
        FormProblem(text=sentence("from_before_to"), field_id="id_name"),
        FormProblem(text="Something else"),
    )
    return audit(problems=problems, rows=(), empty=Empty(text=sentence("audit_empty")), pager=None)


def projects() -> ProjectsScreen:
    rows = (
        ProjectRow(
            name="demo",
            url="/p/demo/",
            roles=("owner",),
            open_reports="1,000+",
            oldest_open_at=THEN,
        ),
        ProjectRow(name="desk", url="/p/desk/", roles=("auditor",)),
    )
    return ProjectsScreen(frame=frame("Projects", project="", projects=()), now=NOW, rows=rows)


def sign_in(**changes: object) -> SignInScreen:
    notice = Notice(tone=Tone.INFO, heading=sentence("signed_out"))
    screen = SignInScreen(
        frame=Frame(title="Sign in", home_url="/", notice=notice),
        form=SampleForm({}),
        next_url="/p/demo/",
    )
    return replace(screen, **changes)  # type: ignore[arg-type]


def help_screen() -> HelpScreen:
    return HelpScreen(
        frame=frame("Help", project="", projects=()),
        words=WORDS,
        roles=ROLES,
        settings=SETTINGS,
        keys=ANYWHERE,
    )


def keys_screen(**changes: object) -> KeysScreen:
    group = KeyGroup(name="audit", title="Audit log", hints=AUDIT_KEYS)
    return KeysScreen(frame=frame("Keys", **changes), groups=(group,), help=ANYWHERE)


def other_screens() -> dict[str, tuple[str, Screen]]:
    empty = Empty(text=sentence("projects_empty"))
    wrong = (FormProblem(text=sentence("sign_in_wrong"), field_id="id_name"),)
    return {
        "audit": ("audit", audit()),
        "audit problem": ("audit", audit_problem()),
        "projects": ("projects", projects()),
        "no projects": ("projects", replace(projects(), rows=(), empty=empty)),
        "help": ("help", help_screen()),
        "keys": ("help_keys", keys_screen()),
        "keys switched off": ("help_keys", keys_screen(are_keys_on=False)),
        "sign in": ("sign_in", sign_in()),
        "sign in wrong": (
            "sign_in",
            sign_in(frame=Frame(title="Sign in", home_url="/"), problems=wrong, next_url=""),
        ),
        "error": (
            "error",
            ErrorScreen(
                frame=frame("Not found", are_keys_on=False),
                heading="Not found",
                sentences=(sentence("not_found"),),
                links=(ANYWHERE,),
            ),
        ),
    }
