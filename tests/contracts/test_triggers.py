"""Every trigger is in the catalogue and refuses, or does, what it is there for: by plain SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.db import connection, transaction

from memory.models import Record, Source
from tests.contracts.catalogue import fetch, insert_like, refused_by, triggers

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

APPEND_ONLY = ("memory_source", "memory_message", "memory_recordversion", "memory_citation")
ERASED_ONLY = ("memory_record", "feedback_report")
NEVER_CHANGES = ("memory_auditentry",)

#: What each table may have changed that another row could be hurt by.
SOME_COLUMN = {
    "memory_source": "origin_type = 'another'",
    "memory_message": "content = 'another'",
    "memory_recordversion": "number = number + 1",
    "memory_citation": "quote = 'another'",
    "memory_auditentry": "magnitude = magnitude + 1",
}


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_every_trigger_is_listed_here() -> None:
    expected = {
        *((table, f"{table}_append_only_v1") for table in APPEND_ONLY),
        *((table, f"{table}_erased_only_v1") for table in ERASED_ONLY),
        *((table, f"{table}_never_changes_v1") for table in NEVER_CHANGES),
        *(
            (table, f"{table}_no_truncate_v1")
            for table in (*APPEND_ONLY, *ERASED_ONLY, *NEVER_CHANGES)
        ),
        ("memory_record", "memory_record_legal_change_v1"),
        ("memory_record", "memory_record_single_valued_v1"),
        ("memory_recordversion", "memory_recordversion_number_v1"),
        ("memory_citation", "memory_citation_quote_v1"),
        ("memory_source", "memory_source_log_offset_v1"),
        ("feedback_report", "feedback_report_set_once_v1"),
    }
    assert triggers() == expected


def test_all_but_those_that_the_flush_of_the_tests_needs_are_enabled() -> None:
    states = dict(fetch("SELECT tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal"))
    asleep = {name for name, state in states.items() if state != "O"}
    assert asleep == {name for name in states if name.endswith("_no_truncate_v1")}


# --- Rows that stay ------------------------------------------------------------------------------


@pytest.mark.parametrize("table", APPEND_ONLY)
def test_appended_rows_are_not_updated(rows: Actor, table: str) -> None:  # noqa: ARG001
    with refused_by(f"{table}_append_only"):
        run(f"UPDATE {table} SET {SOME_COLUMN[table]}")  # noqa: S608 - ours


@pytest.mark.parametrize("table", [*APPEND_ONLY, *ERASED_ONLY])
def test_rows_are_not_deleted(rows: Actor, table: str) -> None:  # noqa: ARG001
    with refused_by(f"{table}_append_only"):
        run(f"DELETE FROM {table}")  # noqa: S608 - ours


@pytest.mark.parametrize("erasure", ["''", "'zz'"])
def test_a_transaction_that_names_no_erasure_deletes_nothing(rows: Actor, erasure: str) -> None:  # noqa: ARG001
    with pytest.raises(Exception, match="append-only|uuid"), transaction.atomic():
        run(f"SET LOCAL errata.erasure = {erasure}")
        run("DELETE FROM memory_citation")


def test_a_transaction_that_names_its_erasure_may_delete(rows: Actor) -> None:  # noqa: ARG001
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    run("DELETE FROM memory_citation")
    assert fetch("SELECT count(*) FROM memory_citation") == [(0,)]


def test_naming_an_erasure_does_not_allow_updates(rows: Actor) -> None:  # noqa: ARG001
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    with refused_by("memory_citation_append_only"):
        run("UPDATE memory_citation SET quote = 'another'")


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE memory_auditentry SET {SOME_COLUMN['memory_auditentry']}",
        "DELETE FROM memory_auditentry",
    ],
    ids=["update", "delete"],
)
@pytest.mark.parametrize("is_erasing", [False, True])
def test_audit_entries_never_change_and_never_go(
    rows: Actor,
    statement: str,
    *,
    is_erasing: bool,  # noqa: ARG001
) -> None:
    if is_erasing:
        run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    with refused_by("memory_auditentry_never_changes"):
        run(statement)


@pytest.mark.parametrize("table", [*APPEND_ONLY, *ERASED_ONLY, *NEVER_CHANGES])
def test_no_table_of_these_is_truncated(rows: Actor, table: str) -> None:  # noqa: ARG001
    trigger, rule = f"{table}_no_truncate_v1", "append_only"
    if table in NEVER_CHANGES:
        rule = "never_changes"
    run("SET CONSTRAINTS ALL IMMEDIATE")  # what is pending would forbid ALTER TABLE
    run(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")  # taken back with the test's transaction
    with refused_by(f"{table}_{rule}"):
        run(f"TRUNCATE {table} CASCADE")


# --- Records -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        "subject = 'another'",
        "predicate = 'another'",
        "object = 'another'",
        "statement = 'another'",
        "kind = 'decision'",
        "confidence = 0.1",
        "trust = 3",
        "data_subject_id = NULL",
        "valid_from = now()",
        "valid_until = now() + interval '1 year'",
        "known_from = now()",
        "recorded_at = now()",
        "recorded_by_id = gen_random_uuid()",
        "request_id = 'another'",
        "replaces = id",
        "origin_digest = 'x'",
    ],
)
@pytest.mark.parametrize("status", ["current", "superseded"])
def test_what_a_record_says_never_changes(rows: Actor, status: str, change: str) -> None:  # noqa: ARG001
    with refused_by("memory_record_legal_change"):
        run(f"UPDATE memory_record SET {change} WHERE status = '{status}'")  # noqa: S608 - ours


@pytest.mark.parametrize(
    "change",
    [
        "status = 'current', known_until = NULL, replaced_by = NULL",
        "status = 'retracted', replaced_by = NULL",
        "known_until = now()",
        "replaced_by = id",
        "version = gen_random_uuid(), version_number = version_number + 1",
    ],
)
def test_a_closed_record_stays_as_it_is(rows: Actor, change: str) -> None:  # noqa: ARG001
    with refused_by("memory_record_legal_change"):
        run(f"UPDATE memory_record SET {change} WHERE status = 'superseded'")  # noqa: S608 - ours


@pytest.mark.parametrize(
    "change",
    [
        "version = gen_random_uuid()",
        "version = gen_random_uuid(), version_number = version_number + 2",
        "version = gen_random_uuid(), version_number = version_number - 1",
        "version_number = version_number + 1",
        "status = 'retracted', known_until = now()",
    ],
)
def test_a_change_of_state_is_a_new_version_with_the_next_number(
    rows: Actor,
    change: str,  # noqa: ARG001
) -> None:
    with refused_by("memory_record_version_number"):
        run(f"UPDATE memory_record SET {change} WHERE status = 'current'")  # noqa: S608 - ours


def test_a_new_record_is_single_valued_when_its_predicate_is(rows: Actor) -> None:
    insert_like(
        "memory_record",
        subject="another",
        origin_digest=None,
        replaces=None,
        status="current",
        known_until=None,
        replaced_by=None,
        is_single_valued=False,
    )
    assert Record.objects.get(subject="another").is_single_valued
    insert_like(
        "memory_record",
        subject="yet another",
        predicate="borders",
        origin_digest=None,
        replaces=None,
        is_single_valued=True,
        project_id=rows.project_id,
    )
    assert not Record.objects.get(subject="yet another").is_single_valued


@pytest.mark.parametrize("number", [1, 2, 4, 0])
def test_version_numbers_have_no_gaps(rows: Actor, number: int) -> None:  # noqa: ARG001
    (closed,) = fetch("SELECT id, project_id FROM memory_record WHERE status = 'superseded'")
    with refused_by("memory_recordversion_number"):
        insert_like(
            "memory_recordversion", record_id=closed[0], project_id=closed[1], number=number
        )


# --- Evidence ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "end", "quote", "is_true"),
    [
        (0, 4, "zéro", False),
        (0, 5, "zéro", True),
        (1, 3, "é", True),
        (6, 10, "🦓", True),
        (6, 9, "🦓", False),
        (0, 5, "zero", False),
        (0, 5, "ze\u0301ro", False),
        (6, 12, "🦓", False),
        (0, 99, "zéro 🦓", False),
    ],
)
def test_a_quote_equals_the_bytes_it_cites(
    rows: Actor,
    start: int,
    end: int,
    quote: str,
    *,
    is_true: bool,  # noqa: ARG001
) -> None:
    (source,) = fetch("SELECT source_id, project_id, ordinal FROM memory_citation LIMIT 1")
    insert_like(
        "memory_message", source_id=source[0], project_id=source[1], ordinal=1, content="zéro 🦓"
    )
    said = {
        "source_id": source[0],
        "project_id": source[1],
        "ordinal": 1,
        "byte_start": start,
        "byte_end": end,
        "quote": quote,
    }
    (record,) = fetch("SELECT record_id FROM memory_citation WHERE source_id = %s", source[0])
    if is_true:
        insert_like("memory_citation", record_id=record[0], **said)
    else:
        with refused_by("memory_citation_quote"):
            insert_like("memory_citation", record_id=record[0], **said)


def test_the_log_offset_is_the_database_s(rows: Actor) -> None:
    before = Source.objects.filter(project_id=rows.project_id).count()
    insert_like("memory_source", project_id=rows.project_id, log_offset=7_000, data_subject_id=None)
    offsets = Source.objects.filter(project_id=rows.project_id).values_list("log_offset", flat=True)
    assert sorted(offsets) == list(range(before + 1))


# --- Reports -------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_promoted", [False, True])
@pytest.mark.parametrize(
    "change",
    [
        "note = 'another'",
        "proposed_object = 'another'",
        "record_id = gen_random_uuid()",
        "record_version = gen_random_uuid()",
        "reporter_subject_id = gen_random_uuid()",
        "recorded_at = now()",
        "recorded_by_id = gen_random_uuid()",
        "recorded_by_kind = 'user', recorded_via = 'mcp'",
        "request_id = 'another'",
    ],
)
def test_what_a_report_says_never_changes(rows: Actor, change: str, *, is_promoted: bool) -> None:  # noqa: ARG001
    where = f"promoted_at IS {'NOT ' if is_promoted else ''}NULL"
    with refused_by("feedback_report_set_once"):
        run(f"UPDATE feedback_report SET {change} WHERE {where}")  # noqa: S608 - ours


@pytest.mark.parametrize(
    "change",
    [
        "promoted_at = now()",
        "promoted_at = NULL",
        "promoted_by_id = gen_random_uuid()",
        "promoted_by_kind = 'user'",
        "promoted_via = 'console'",
        "promotion_request_id = 'another'",
        "promotion_change = 'record.retract', replacement_record_id = NULL",
        "promotion_expected_version = gen_random_uuid()",
        "promotion_version = record_version",
        "replacement_record_id = record_id",
        "target_closed_at = now()",
        "target_closed_at = NULL",
    ],
)
def test_a_promotion_is_set_once(rows: Actor, change: str) -> None:  # noqa: ARG001
    with refused_by("feedback_report_set_once"):
        run(f"UPDATE feedback_report SET {change} WHERE promoted_at IS NOT NULL")  # noqa: S608 - ours


@pytest.mark.parametrize(
    "column",
    [
        "promoted_at = now()",
        "promoted_by_kind = 'user'",
        "promoted_by_id = gen_random_uuid()",
        "promoted_via = 'api'",
        "promotion_request_id = 'x'",
        "promotion_expected_version = record_version",
        "promotion_version = record_version",
    ],
)
def test_a_promotion_is_set_together(rows: Actor, column: str) -> None:  # noqa: ARG001
    with refused_by("feedback_report_promotion_together"):
        run(
            f"UPDATE feedback_report SET {column}, target_closed_at = now()"  # noqa: S608 - ours
            " WHERE promoted_at IS NULL"
        )


def test_the_closing_of_a_target_is_set_once(rows: Actor) -> None:  # noqa: ARG001
    run("UPDATE feedback_report SET target_closed_at = now() WHERE promoted_at IS NULL")
    for value in ("now() + interval '1 second'", "NULL"):
        with refused_by("feedback_report_set_once"):
            run(f"UPDATE feedback_report SET target_closed_at = {value}")  # noqa: S608 - ours
