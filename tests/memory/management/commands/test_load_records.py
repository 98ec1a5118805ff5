from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from memory.actor import Actor
from memory.management.lines import LINES_PER_BATCH
from memory.models import AuditEntry, Citation, Record, RecordVersion, Source, User
from memory.operations.retract_records import RetractionDraft, retract_records
from memory.vocabulary import AuditOutcome, RecordStatus, Trust
from tests.commands import answered, command_line, environment, refusal_of, said, write_lines
from tests.factories import MARKER, fresh

pytestmark = pytest.mark.django_db

DEMO = Path(__file__).parents[4] / "feedback" / "management" / "demo" / "countries.jsonl"


def a_line(number: int = 0, **said_too: Any) -> dict[str, Any]:
    return {
        "subject": f"Land {number}",
        "predicate": "has_capital",
        "object": f"Town {number} {MARKER}",
        "statement": f"Town {number} is the capital of Land {number}.",
        "source": {"type": "dataset", "ref": "lands 1", "id": f"lands-1:{number}"},
        **said_too,
    }


def lines(number: int) -> list[dict[str, Any]]:
    return [a_line(n) for n in range(number)]


def counts_of(answer: dict[str, Any]) -> tuple[int, int]:
    return answer["added"], answer["skipped"]


@pytest.fixture(autouse=True)
def demo(request: pytest.FixtureRequest) -> None:
    """The project that the files are loaded into."""
    if "transactional_db" not in request.fixturenames:
        request.getfixturevalue("operator")


def test_a_line_becomes_a_record_of_the_operators_with_its_source(tmp_path: Path) -> None:
    line = a_line(
        data_subject_id="user_42",
        kind="relationship",
        confidence=0.5,
        valid_from="2020-01-01T00:00:00Z",
        valid_until="2021-01-01T00:00:00Z",
    )
    path = write_lines(tmp_path / "f", [line])
    assert said("load_records", "demo", path) == (
        "Records added: 1; skipped, since they were there: 0.\n"
    )
    record = Record.objects.get()
    assert (record.subject, record.predicate, record.object) == (
        "Land 0",
        "has_capital",
        line["object"],
    )
    assert (record.statement, record.kind, record.confidence) == (
        line["statement"],
        "relationship",
        0.5,
    )
    assert record.data_subject is not None
    assert record.data_subject.name == "user_42"
    assert record.valid_until is not None
    assert (record.valid_from.year, record.valid_until.year) == (2020, 2021)
    assert record.trust == Trust.ASSERTED
    assert record.recorded_by_id == User.objects.get(username="operator").id
    assert (record.recorded_by_kind, record.recorded_via) == ("user", "cli")
    source = Source.objects.get()
    assert (source.origin_type, source.origin_ref, source.origin_id) == (
        "dataset",
        "lands 1",
        "lands-1:0",
    )
    assert Citation.objects.get().quote == line["statement"]


def test_json_counts_lines(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", lines(2))
    assert answered("load_records", "demo", path) == {
        "project": "demo",
        "lines": 2,
        "added": 2,
        "skipped": 0,
    }


def test_each_batch_is_audited_with_its_new_records(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", lines(LINES_PER_BATCH + 7))
    said("load_records", "demo", path)
    entries = AuditEntry.objects.filter(operation="record.assert")
    assert sorted(entries.values_list("magnitude", flat=True)) == [7, LINES_PER_BATCH]
    assert set(entries.values_list("actor_id", "edge")) == {
        (User.objects.get(username="operator").id, "cli")
    }
    assert len(set(entries.values_list("request_id"))) == 2  # each batch is a call of its own


def test_a_second_run_skips_everything(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", lines(5))
    assert counts_of(answered("load_records", "demo", path)) == (5, 0)
    assert counts_of(answered("load_records", "demo", path)) == (0, 5)
    assert Record.objects.count() == 5


def test_a_refused_file_goes_on_where_it_stopped(tmp_path: Path) -> None:
    good = lines(LINES_PER_BATCH + 10)
    path = tmp_path / "f"
    refusal = refusal_of(
        "load_records", "demo", write_lines(path, [*good, a_line(999, statement=" ")])
    )
    assert refusal.splitlines() == [
        f'line {LINES_PER_BATCH + 11}: Field "statement" must not be blank.',
        f"Nothing from line {LINES_PER_BATCH + 1} on was written. Mend the file and repeat.",
    ]
    assert Record.objects.count() == LINES_PER_BATCH
    answer = answered("load_records", "demo", write_lines(path, good))
    assert counts_of(answer) == (10, LINES_PER_BATCH)
    assert Record.objects.count() == len(good)
    assert RecordVersion.objects.count() == Source.objects.count() == len(good)


def test_lines_without_a_source_id_are_known_by_what_they_say(tmp_path: Path) -> None:
    bare = a_line(1)
    del bare["source"]
    unnamed = a_line(2, source={"type": "dataset", "ref": "lands 1"})
    path = write_lines(tmp_path / "f", [bare, unnamed, bare])
    assert counts_of(answered("load_records", "demo", path)) == (2, 1)
    assert counts_of(answered("load_records", "demo", path)) == (0, 3)
    path = write_lines(tmp_path / "f", [bare | {"confidence": 0.25, "cardinality": "many"}])
    assert counts_of(answered("load_records", "demo", path)) == (1, 0)
    assert set(Source.objects.values_list("origin_type", "origin_ref")) == {
        ("cli", None),
        ("dataset", "lands 1"),
    }


def test_a_retracted_record_does_not_come_back(tmp_path: Path, operator: Actor) -> None:
    path = write_lines(tmp_path / "f", [a_line()])
    said("load_records", "demo", path)
    record = Record.objects.get()
    retraction = RetractionDraft(record_id=record.id, expected_version=record.version)
    retract_records(actor=fresh(operator), retractions=[retraction])
    assert counts_of(answered("load_records", "demo", path)) == (0, 1)
    assert Record.objects.get().status == RecordStatus.RETRACTED


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subject": None}, 'Field "subject" is required.'),
        ({"subject": "é" * 513}, 'Field "subject" must be 1 to 1024 bytes.'),
        ({"predicate": "Has Capital"}, 'Field "predicate" must have the form [a-z][a-z0-9_]*.'),
        ({"object": "a\0b"}, 'Field "object" must not contain NUL.'),
        ({"statement": 5}, 'Field "statement" must be a string.'),
        ({"confidence": 0}, 'Field "confidence" must be a number above 0 and at most 1.'),
        ({"cardinality": "few"}, 'Field "cardinality" must be one of: one, many.'),
        ({"source": {"id": "x"}}, 'Field "source.type" is required.'),
        ({"capital": "x"}, 'Field "capital" is not known here.'),
        ({"idempotency_key": "x"}, 'Field "idempotency_key" is not known here.'),
        (
            {"valid_from": "2021-01-01T00:00:00Z", "valid_until": "2020-01-01T00:00:00Z"},
            'Field "valid_until" must be after valid_from.',
        ),
    ],
)
def test_a_bad_line_is_named_before_anything_of_its_batch_is_written(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    path = write_lines(tmp_path / "f", [a_line(1), a_line(2, **change), a_line(3)])
    assert refusal_of("load_records", "demo", path).splitlines()[0] == f"line 2: {message}"
    assert not Record.objects.exists()


def test_cardinality_one_marks_the_predicate_before_the_records(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", [a_line(1), a_line(2, cardinality="one")])
    said("load_records", "demo", path)
    assert set(Record.objects.values_list("is_single_valued", flat=True)) == {True}
    said("load_records", "demo", path)
    assert AuditEntry.objects.filter(operation="predicate.mark").count() == 1


def test_a_predicate_that_cannot_be_single_valued_is_refused_by_line(tmp_path: Path) -> None:
    twice = [a_line(1), a_line(1, object="Elsewhere")]
    said("load_records", "demo", write_lines(tmp_path / "f", twice))
    path = write_lines(tmp_path / "f", [a_line(2), a_line(3, cardinality="one")])
    refusal = refusal_of("load_records", "demo", path)
    assert refusal.startswith("line 2: Some subject has more than one current record")
    assert Record.objects.count() == 2


def test_every_line_whose_place_is_taken_is_named_and_nothing_of_the_batch_is_written(
    tmp_path: Path,
) -> None:
    said("load_records", "demo", write_lines(tmp_path / "f", [a_line(1, cardinality="one")]))
    rival = a_line(1, object="Elsewhere", source={"type": "dataset", "id": "rival"})
    path = write_lines(
        tmp_path / "f", [a_line(1), a_line(2), rival, a_line(3), a_line(2, object="B")]
    )
    refusal = refusal_of("load_records", "demo", path).splitlines()
    assert [line.partition(":")[0] for line in refusal[:-1]] == ["line 3", "line 5"]
    assert "Correct that record instead." in refusal[0]
    assert refusal[-1] == "Nothing from line 1 on was written. Mend the file and repeat."
    assert Record.objects.count() == 1
    refused = AuditEntry.objects.get(outcome=AuditOutcome.REFUSED)
    assert (refused.operation, refused.code, refused.magnitude) == (
        "record.assert",
        "record_conflict",
        0,
    )


def test_an_unknown_project_or_file_is_refused(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "f", [a_line()])
    assert refusal_of("load_records", "nope", path).startswith("There is no project of that name.")
    assert refusal_of("load_records", "demo", tmp_path / "none") == (
        "The file cannot be read: no such file or directory."
    )


@pytest.mark.slow
def test_a_killed_run_is_finished_by_the_next_one(
    tmp_path: Path,
    transactional_db: None,  # noqa: ARG001
) -> None:
    said("create_project", "demo")
    run = subprocess.Popen(command_line("load_records", "demo", DEMO), env=environment(tmp_path))
    deadline = time.monotonic() + 40
    while not Record.objects.exists() and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    run.send_signal(signal.SIGKILL)
    run.wait(10)
    loaded = Record.objects.count()
    assert 0 < loaded < 1221
    assert loaded % LINES_PER_BATCH == 0
    assert counts_of(answered("load_records", "demo", DEMO)) == (1221 - loaded, loaded)
    assert Record.objects.count() == RecordVersion.objects.count() == 1221
    assert Citation.objects.count() == Source.objects.count() == 1221
