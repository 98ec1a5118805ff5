"""`load_demo`: the demo project, its people and agents, its records and what was doubted."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO

from django.conf import settings
from django.core.management.base import CommandError
from django.db import transaction
from typing_extensions import override

from feedback.management.report_lines import load_reports_file
from feedback.management.reporters import reporters_of
from memory.management.operator import NO_PROJECT, OperatorCommand, operator_in
from memory.management.record_lines import load_records_file
from memory.operations.create_project import create_project
from memory.operations.create_user import create_user
from memory.operations.grant_role import grant_role
from memory.operations.issue_credential import DAYS_MOST, issue_credential
from memory.queries.members import find_project
from memory.vocabulary import Access, Role, Trust

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory.actor import Actor
    from memory.management.lines import LoadCounts

PROJECT: Final = "demo"
FILES: Final = Path(__file__).resolve().parents[1] / "demo"
#: Who reports which kind of doubt. The tokens of these credentials are thrown away.
REPORTERS: Final = {
    "person": "user:owner",
    "agent": "credential:country-agent",
    "evaluation": "credential:nightly-evaluation",
}
#: Of passwords: easy to read aloud and to type, since no character looks like another one.
_CHARACTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS: Final = 4


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the demo holds."""

    records: LoadCounts
    reports: LoadCounts


class Command(OperatorCommand):
    """Load the demo."""

    help = (
        "Create the project demo with one account per role, 1,221 records and 30 doubts about"
        " them. Sign-ins and tokens are kept in demo.json of the state folder."
    )

    @override
    def act(self, **options: Any) -> None:
        """Load it, unless it is there."""
        as_json = options["as_json"]
        if find_project(PROJECT) is not None:
            self.answer(
                "The project demo exists already. Nothing was changed.",
                as_json=as_json,
                project=PROJECT,
                new=False,
            )
            return
        sign_ins = settings.ERRATA_HOME / "demo.json"
        # All or nothing: an interrupted demo is loaded anew. The file is in place before the
        # commit, so that there is no demo whose sign-ins nobody has.
        with transaction.atomic(), _private_file(sign_ins) as file:
            loaded, content = _load()
            json.dump(content, file, indent=2)
            file.write("\n")
        self.answer(
            f"The project demo is ready: {loaded.records.added} records, {loaded.reports.added}"
            f" reports. Sign-ins and tokens are in {sign_ins}.",
            as_json=as_json,
            project=PROJECT,
            new=True,
            records=loaded.records.added,
            reports=loaded.reports.added,
            sign_ins=sign_ins,
        )


def _load() -> tuple[Loaded, dict[str, Any]]:
    project = create_project(actor=operator_in(NO_PROJECT), name=PROJECT)
    operator = operator_in(project.id)
    users = [_create_member(operator, role) for role in Role]
    for who in REPORTERS.values():
        what, _, name = who.partition(":")
        if what == "credential":
            _issue(operator, name, Access.READ_WRITE)
    tokens = {
        Access.READ_WRITE: _issue(
            operator, "demo-read-write", Access.READ_WRITE, max_trust=Trust.VERIFIED
        ),
        Access.READ_ONLY: _issue(operator, "demo-read-only", Access.READ_ONLY),
    }
    reporters = reporters_of(operator, [f"{kind}={who}" for kind, who in REPORTERS.items()])
    loaded = Loaded(
        load_records_file(operator, FILES / "countries.jsonl"),
        load_reports_file(operator, FILES / "doubts.jsonl", reporters),
    )
    return loaded, {"project": PROJECT, "users": users, "tokens": tokens}


def _create_member(operator: Actor, role: Role) -> dict[str, Any]:
    groups = ["".join(secrets.choice(_CHARACTERS) for _ in range(4)) for _ in range(_GROUPS)]
    password = "-".join(groups)
    create_user(actor=operator, username=role.value, password=password)
    grant_role(actor=operator, username=role.value, role=role)
    return {"username": role.value, "password": password, "roles": [role.value]}


def _issue(operator: Actor, name: str, access: Access, *, max_trust: Trust = Trust.ASSERTED) -> str:
    receipt = issue_credential(
        actor=operator, name=name, access=access, days=DAYS_MOST, max_trust=max_trust
    )
    return receipt.token


@contextmanager
def _private_file(path: Path) -> Iterator[TextIO]:
    """A file that only its owner reads; it takes its place when the context ends well.

    Raises CommandError, before anything else is done, if it cannot be written.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise CommandError(f"{path} cannot be written: {reason}.") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
