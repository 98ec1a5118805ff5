from __future__ import annotations

import json
import stat
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.db import transaction
from pytest_django import Settings

from feedback.management.commands.load_demo import FILES, PROJECT
from feedback.models import Report
from memory.models import Credential, Project, Record, Source, User
from memory.queries.credentials import find_credential
from memory.queries.members import list_projects_of
from memory.tokens import digest_of, public_id_of
from memory.vocabulary import INCLUDED_ROLES, Access, Role, Trust
from tests.commands import answered, refusal_of, said
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

CROATIA = {"record__subject": "Croatia", "record__predicate": "uses_currency"}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Settings) -> Path:
    """A state folder that nobody has made yet."""
    settings.ERRATA_HOME = tmp_path / "state" / "errata"
    return tmp_path / "state" / "errata"


def the_rows() -> dict[str, int]:
    return {
        model.__name__: model.objects.count()
        for model in (Project, User, Credential, Record, Source, Report)
    }


def sign_ins(home: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((home / "demo.json").read_text(encoding="utf-8"))
    return content


def test_the_demo_holds_what_people_really_doubted(home: Path) -> None:
    assert said("load_demo") == (
        "The project demo is ready: 1221 records, 30 reports."
        f" Sign-ins and tokens are in {home / 'demo.json'}.\n"
    )
    assert Record.objects.filter(status="current").count() == 1221
    assert len(set(Record.objects.values_list("subject"))) == 250
    singles = Record.objects.filter(is_single_valued=True).values_list("predicate", flat=True)
    assert set(singles) == {"has_capital", "has_demonym", "located_in", "has_calling_code"}
    assert Report.objects.filter(promoted_at=None, target_closed_at=None).count() == 30
    assert Report.objects.filter(proposed_object=None).count() == 5
    doubts = Report.objects.filter(**CROATIA).values_list("proposed_object", flat=True)
    assert sorted(map(str, doubts)) == ["EUR", "EUR", "HUF"]
    assert len({report.record_id for report in Report.objects.filter(**CROATIA)}) == 1

    people = {"owner": User.objects.get(username="owner").id}
    agents = {credential.id: credential.name for credential in Credential.objects.all()}
    names = {id_: name for name, id_ in people.items()} | agents
    reporters = Counter(
        (report.recorded_by_kind, names[report.recorded_by_id]) for report in Report.objects.all()
    )
    assert reporters == {
        ("user", "owner"): 17,
        ("credential", "country-agent"): 9,
        ("credential", "nightly-evaluation"): 4,
    }

    before, file = the_rows(), (home / "demo.json").read_bytes()
    assert said("load_demo") == "The project demo exists already. Nothing was changed.\n"
    assert answered("load_demo") == {"project": "demo", "new": False}
    assert (the_rows(), (home / "demo.json").read_bytes()) == (before, file)


def test_demo_json_is_private_and_its_sign_ins_and_tokens_work(home: Path) -> None:
    answer = answered("load_demo")
    assert answer == {
        "project": "demo",
        "new": True,
        "records": 1221,
        "reports": 30,
        "sign_ins": str(home / "demo.json"),
    }
    assert stat.S_IMODE((home / "demo.json").stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == ["demo.json"]
    content = sign_ins(home)
    assert set(content) == {"project", "users", "tokens"}
    assert content["project"] == "demo"

    project = Project.objects.get(name=PROJECT)
    for user, role in zip(content["users"], Role, strict=True):
        assert set(user) == {"username", "password", "roles"}
        assert (user["username"], user["roles"]) == (role, [role])
        account = authenticate(username=user["username"], password=user["password"])
        assert account is not None
        [granted] = list_projects_of(account.pk)
        assert (granted.project_id, granted.roles) == (project.id, INCLUDED_ROLES[role])
    assert len({user["password"] for user in content["users"]}) == len(Role)

    caps = {Access.READ_WRITE: Trust.VERIFIED, Access.READ_ONLY: Trust.ASSERTED}
    assert set(content["tokens"]) == set(caps)
    for access, token in content["tokens"].items():
        row = find_credential(public_id_of(token) or "")
        assert row is not None
        assert row.digest == digest_of(token)
        assert (row.access, row.max_trust, row.is_live) == (access, caps[access], True)
        assert not row.may_erase


def test_a_state_folder_that_cannot_be_written_leaves_nothing(home: Path) -> None:
    home.parent.write_text("a file, where a folder belongs", encoding="utf-8")
    message = refusal_of("load_demo")
    assert message == f"{home / 'demo.json'} cannot be written: not a directory."
    assert not any(the_rows().values())


def test_accounts_of_other_people_are_left_alone(home: Path) -> None:
    theirs = UserFactory.create(username="reviewer")
    before = the_rows()
    with transaction.atomic():
        message = refusal_of("load_demo")
    assert message == "An account of that name exists already. Choose another name."
    assert the_rows() == before
    assert User.objects.get(username="reviewer").password == theirs.password
    assert list(home.iterdir()) == []


def test_the_data_stand_beside_their_licence() -> None:
    licence = (FILES / "LICENSE").read_text(encoding="utf-8")
    assert "MIT License" in licence
    assert "Copyright (c) 2018 Porimol Chandro" in licence
    assert "countryinfo" in (FILES / "README.md").read_text(encoding="utf-8")
