from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from feedback.models import Report
from memory.actor import Actor
from memory.management.lines import LINES_PER_BATCH
from memory.models import AuditEntry, Credential, Record, User
from memory.operations.retract_records import RetractionDraft, retract_records
from tests.commands import answered, refusal_of, said, write_lines
from tests.factories import MARKER, a_record, fresh

SAYS = {"subject": "Burundi", "predicate": "has_capital", "object": "Bujumbura"}


def a_doubt(number: int = 0, **said_too: Any) -> dict[str, Any]:
    return {**SAYS, "note": f"It moved to {MARKER} {number}.", **said_too}


def counts_of(answer: dict[str, Any]) -> tuple[int, int]:
    return answer["added"], answer["skipped"]


def recorded_by() -> list[tuple[str, str, str]]:
    """Who recorded each report, by note."""
    reports = Report.objects.order_by("note")
    return [(r.recorded_by_kind, str(r.recorded_by_id), r.recorded_via) for r in reports]


@pytest.fixture(autouse=True)
def bujumbura(operator: Actor) -> Record:
    """The record that the files doubt."""
    return Record.objects.get(id=a_record(operator, **SAYS).id)


def test_a_line_becomes_a_report_of_the_operators(tmp_path: Path, bujumbura: Record) -> None:
    doubt = a_doubt(
        proposed_object="Gitega",
        reporter_subject_id="user_42",
        reported_by="person",
        reported_on="2019-06-25",
        reference="https://example.org/133",
    )
    path = write_lines(tmp_path / "f", [doubt])
    assert said("load_reports", "demo", path) == (
        "Reports added: 1; skipped, since they were there: 0.\n"
    )
    report = Report.objects.get()
    assert (report.record_id, report.record_version) == (bujumbura.id, bujumbura.version)
    assert (report.note, report.proposed_object) == (doubt["note"], "Gitega")
    assert report.reporter_subject is not None
    assert report.reporter_subject.name == "user_42"
    assert recorded_by() == [("user", str(User.objects.get(username="operator").id), "cli")]


def test_reporting_changes_no_record(tmp_path: Path, bujumbura: Record) -> None:
    before = Record.objects.values().get()
    said("load_reports", "demo", write_lines(tmp_path / "f", [a_doubt()]))
    assert Record.objects.values().get(id=bujumbura.id) == before


def test_json_counts_lines(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", [a_doubt(1), a_doubt(2)])
    assert answered("load_reports", "demo", path) == {
        "project": "demo",
        "lines": 2,
        "added": 2,
        "skipped": 0,
    }


def test_a_second_run_adds_none(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", [a_doubt(1), a_doubt(2)])
    assert counts_of(answered("load_reports", "demo", path)) == (2, 0)
    assert counts_of(answered("load_reports", "demo", path)) == (0, 2)
    path = write_lines(tmp_path / "f", [a_doubt(3), a_doubt(2), a_doubt(1)])
    assert counts_of(answered("load_reports", "demo", path)) == (1, 2)
    assert Report.objects.count() == 3


def test_a_refused_file_goes_on_where_it_stopped(tmp_path: Path) -> None:
    doubts = [a_doubt(n) for n in range(LINES_PER_BATCH + 2)]
    path = write_lines(tmp_path / "f", [*doubts, a_doubt(999, note="")])
    refusal = refusal_of("load_reports", "demo", path).splitlines()
    assert refusal == [
        f'line {LINES_PER_BATCH + 3}: Field "note" must be 1 to 16384 bytes.',
        f"Nothing from line {LINES_PER_BATCH + 1} on was written. Mend the file and repeat.",
    ]
    assert Report.objects.count() == LINES_PER_BATCH
    answer = answered("load_reports", "demo", write_lines(path, doubts))
    assert counts_of(answer) == (2, LINES_PER_BATCH)
    assert Report.objects.count() == LINES_PER_BATCH + 2


def test_a_second_run_adds_none_even_when_the_record_has_closed(
    tmp_path: Path, operator: Actor, bujumbura: Record
) -> None:
    path = write_lines(tmp_path / "f", [a_doubt()])
    said("load_reports", "demo", path)
    retraction = RetractionDraft(record_id=bujumbura.id, expected_version=bujumbura.version)
    retract_records(actor=fresh(operator), retractions=[retraction])
    assert counts_of(answered("load_reports", "demo", path)) == (0, 1)
    a_record(operator, **SAYS)
    assert counts_of(answered("load_reports", "demo", path)) == (0, 1)


def test_a_doubt_about_a_closed_record_is_recorded_and_never_ready(
    tmp_path: Path, operator: Actor, bujumbura: Record
) -> None:
    retraction = RetractionDraft(record_id=bujumbura.id, expected_version=bujumbura.version)
    retract_records(actor=fresh(operator), retractions=[retraction])
    said("load_reports", "demo", write_lines(tmp_path / "f", [a_doubt()]))
    report = Report.objects.get()
    assert report.record_id == bujumbura.id
    assert report.target_closed_at is not None


def test_the_current_record_is_doubted_where_several_say_the_same(
    tmp_path: Path, operator: Actor, bujumbura: Record
) -> None:
    second = a_record(operator, **SAYS)
    retraction = RetractionDraft(record_id=second.id, expected_version=second.version)
    retract_records(actor=fresh(operator), retractions=[retraction])
    said("load_reports", "demo", write_lines(tmp_path / "f", [a_doubt()]))
    assert Report.objects.get().record_id == bujumbura.id


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"note": None}, 'Field "note" is required.'),
        ({"note": "x" * 16_385}, 'Field "note" must be 1 to 16384 bytes.'),
        ({"proposed_object": " "}, 'Field "proposed_object" must not be blank.'),
        ({"reported_by": 5}, 'Field "reported_by" must be a string.'),
        ({"record_id": "x"}, 'Field "record_id" is not known here.'),
        (
            {"object": "Gitega"},
            "No record of the project has this subject, predicate and object.",
        ),
    ],
)
def test_a_bad_line_is_named_before_anything_of_its_batch_is_written(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = write_lines(tmp_path / "f", [a_doubt(1), a_doubt(2, **change), a_doubt(3)])
    assert refusal_of("load_reports", "demo", path).splitlines()[0] == f"line 2: {message}"
    assert not Report.objects.exists()


def test_kinds_of_reporters_become_accounts_and_credentials(
    tmp_path: Path, owner: Actor, agent: Actor
) -> None:
    kinds = {1: "person", 2: "agent", 3: "ghost", 4: None}
    doubts = [a_doubt(n, reported_by=kind) for n, kind in kinds.items()]
    mapping = ("--as", "person=user:owner", "--as", "agent=credential:agent")
    said("load_reports", "demo", write_lines(tmp_path / "f", doubts), *mapping)
    operator = ("user", str(User.objects.get(username="operator").id), "cli")
    assert recorded_by() == [
        ("user", str(owner.id), "cli"),
        ("credential", str(agent.id), "cli"),
        operator,
        operator,
    ]
    entries = AuditEntry.objects.filter(operation="feedback.record")
    assert len(set(entries.values_list("request_id"))) == 4  # each report is a call of its own
    assert set(entries.values_list("actor_id", flat=True)) >= {owner.id, agent.id}


def test_a_reporter_who_may_not_report_is_refused(
    tmp_path: Path, reader: Actor, agent_ro: Actor, outsider: Actor
) -> None:
    path = write_lines(tmp_path / "f", [a_doubt()])
    for who in (f"user:{reader.label}", f"user:{outsider.label}", f"credential:{agent_ro.label}"):
        message = refusal_of("load_reports", "demo", path, "--as", f"person={who}")
        what = who.partition(":")[0]
        assert message == f"The {what} of --as person may not report in this project."
    assert not Report.objects.exists()


@pytest.mark.parametrize(
    "mapping", ["person", "person=", "=user:owner", "person=owner", "person=user:", "p=group:x"]
)
def test_a_malformed_mapping_is_refused(tmp_path: Path, mapping: str) -> None:
    path = write_lines(tmp_path / "f", [a_doubt()])
    message = refusal_of("load_reports", "demo", path, f"--as={mapping}")
    assert message == "--as must be KIND=user:NAME or KIND=credential:NAME."


def test_a_mapping_that_names_nobody_or_too_many_is_refused(
    tmp_path: Path, owner: Actor, agent: Actor
) -> None:
    path = write_lines(tmp_path / "f", [a_doubt()])

    def refusal(*mappings: str) -> str:
        options = [part for mapping in mappings for part in ("--as", mapping)]
        return refusal_of("load_reports", "demo", path, *options)

    assert refusal("person=user:nobody-here") == "--as names a user who has no active account."
    assert refusal("agent=credential:bot") == (
        "--as names a credential, and no live one has that name."
    )
    assert refusal(f"person=user:{owner.label}", f"person=user:{owner.label}") == (
        "--as must name each kind of reporter once."
    )
    said("issue_credential", "demo", "--name", "agent", "--access", "read_write")
    assert refusal("agent=credential:agent") == (
        "--as names a credential, and more than one live one has that name."
    )
    said("revoke_credential", agent.id)
    said("load_reports", "demo", path, "--as", "agent=credential:agent")
    expired = Credential.objects.exclude(id=agent.id)
    expired.update(expires_at="2020-01-01T00:00:00Z")
    assert refusal("agent=credential:agent").endswith("no live one has that name.")


def test_an_unknown_project_or_file_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", [a_doubt()])
    assert refusal_of("load_reports", "nope", path).startswith("There is no project of that name.")
    assert refusal_of("load_reports", "demo", tmp_path / "none") == (
        "The file cannot be read: no such file or directory."
    )
