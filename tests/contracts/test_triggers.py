"""Every trigger is in the catalogue and refuses, or does, what it is there for: by plain SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.db import Error, transaction

from memory.models import Record, Source
from tests.contracts.catalogue import fetch, insert_like, refused_by, run, triggers

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rows")]

APPEND_ONLY = ("memory_source", "memory_message", "memory_recordversion", "memory_citation")
ERASED_ONLY = ("memory_record", "feedback_report")
NEVER_CHANGES = ("memory_auditentry",)

#: What each append-only table may have changed that somebody could be hurt by.
SOME_COLUMN = {
    "memory_source": "origin_type = 'another'",
    "memory_message": "content = 'another'",
    "memory_recordversion": "number = number + 1",
    "memory_citation": "quote = 'another'",
}

#: Each part of the state that a report shows of its record, and a whole next one.
STATE = (
    "target_status = 'retracted'",
    "target_version = gen_random_uuid()",
    "target_version_number = target_version_number + 1",
    "target_replaced_by = record_id",
)
NEXT_STATE = ", ".join(STATE[:3])


def test_every_trigger_is_listed_here() -> None:
    guarded = (*APPEND_ONLY, *ERASED_ONLY, *NEVER_CHANGES)
    assert triggers() == {
        *((table, f"{table}_append_only_v1") for table in APPEND_ONLY),
        *((table, f"{table}_erased_only_v1") for table in ERASED_ONLY),
        *((table, f"{table}_never_changes_v1") for table in NEVER_CHANGES),
        *((table, f"{table}_no_truncate_v1") for table in guarded),
        ("memory_record", "memory_record_legal_change_v1"),
        ("memory_record", "memory_record_single_valued_v1"),
        ("memory_recordversion", "memory_recordversion_number_v1"),
        ("memory_citation", "memory_citation_quote_v1"),
        ("memory_source", "memory_source_log_offset_v1"),
        ("feedback_report", "feedback_report_set_once_v2"),
    }


def test_all_but_those_that_the_flush_of_the_tests_needs_are_enabled() -> None:
    states = dict(fetch("SELECT tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal"))
    asleep = {name for name, state in states.items() if state != "O"}
    assert asleep == {name for name in states if name.endswith("_no_truncate_v1")}


# --- Rows that stay ------------------------------------------------------------------------------


def test_appended_rows_are_not_updated() -> None:
    for table in APPEND_ONLY:
        with refused_by(f"{table}_append_only"):
            run(f"UPDATE {table} SET {SOME_COLUMN[table]}")  # noqa: S608 - ours


def test_rows_are_not_deleted() -> None:
    for table in (*APPEND_ONLY, *ERASED_ONLY):
        with refused_by(f"{table}_append_only"):
            run(f"DELETE FROM {table}")  # noqa: S608 - ours


@pytest.mark.parametrize("erasure", ["''", "'zz'"])
def test_a_transaction_that_names_no_erasure_deletes_nothing(erasure: str) -> None:
    run(f"SET LOCAL errata.erasure = {erasure}")
    with pytest.raises(Error, match=r"append-only|uuid"), transaction.atomic():
        run("DELETE FROM memory_citation")


def test_a_transaction_that_names_its_erasure_may_delete_and_no_more() -> None:
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    with refused_by("memory_citation_append_only"):
        run("UPDATE memory_citation SET quote = 'another'")
    run("DELETE FROM memory_citation")
    assert fetch("SELECT count(*) FROM memory_citation") == [(0,)]


def test_audit_entries_never_change_and_never_go() -> None:
    for statement in (
        "UPDATE memory_auditentry SET magnitude = magnitude + 1",
        "DELETE FROM memory_auditentry",
    ):
        with refused_by("memory_auditentry_never_changes", statement):
            run(statement)
        with refused_by("memory_auditentry_never_changes", statement):
            run(f"SET LOCAL errata.erasure = '{uuid4()}'")
            run(statement)


def test_no_table_of_these_is_truncated() -> None:
    run("SET CONSTRAINTS ALL IMMEDIATE")  # what is pending would forbid ALTER TABLE
    for table in (*APPEND_ONLY, *ERASED_ONLY, *NEVER_CHANGES):
        rule = "never_changes" if table in NEVER_CHANGES else "append_only"
        trigger = f"{table}_no_truncate_v1"
        run(f"ALTER TABLE {table} ENABLE TRIGGER {trigger}")  # ends with the test's transaction
        with refused_by(f"{table}_{rule}"):
            run(f"TRUNCATE {table} CASCADE")
        run(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")  # CASCADE must reach the next one


# --- Records -------------------------------------------------------------------------------------


def test_what_a_record_says_never_changes() -> None:
    for change in (
        "subject = 'another'",
        "predicate = 'another'",
        "object = 'another'",
        "statement = 'another'",
        "kind = 'decision'",
        "confidence = 0.1",
        "trust = 3",
        "data_subject_id = gen_random_uuid()",
        "valid_from = now()",
        "valid_until = now() + interval '1 year'",
        "known_from = now()",
        "recorded_at = now()",
        "recorded_by_id = gen_random_uuid()",
        "request_id = 'another'",
        "replaces = id",
        "source_role = 'tool'",
        "origin_digest = 'x'",
    ):
        for status in ("current", "superseded"):
            with refused_by("memory_record_legal_change", change):
                run(f"UPDATE memory_record SET {change} WHERE status = '{status}'")  # noqa: S608 - ours


def test_a_closed_record_stays_as_it_is() -> None:
    for change in (
        "status = 'current', known_until = NULL, replaced_by = NULL",
        "status = 'retracted', replaced_by = NULL",
        "known_until = now()",
        "replaced_by = id",
        "version = gen_random_uuid(), version_number = version_number + 1",
    ):
        with refused_by("memory_record_legal_change", change):
            run(f"UPDATE memory_record SET {change} WHERE status = 'superseded'")  # noqa: S608 - ours


def test_a_change_of_state_is_a_new_version_with_the_next_number() -> None:
    for change in (
        "version = gen_random_uuid()",
        "version = gen_random_uuid(), version_number = version_number + 2",
        "version = gen_random_uuid(), version_number = version_number - 1",
        "version_number = version_number + 1",
        "status = 'retracted', known_until = now()",
    ):
        with refused_by("memory_record_version_number", change):
            run(f"UPDATE memory_record SET {change} WHERE status = 'current'")  # noqa: S608 - ours


def test_a_new_record_is_single_valued_when_its_predicate_is(rows: Actor) -> None:
    current = {
        "project_id": rows.project_id,
        "origin_digest": None,
        "replaces": None,
        "status": "current",
        "known_until": None,
        "replaced_by": None,
    }
    insert_like("memory_record", subject="A", is_single_valued=False, **current)
    insert_like("memory_record", subject="B", predicate="x", is_single_valued=True, **current)
    found = dict(Record.objects.filter(subject__in="AB").values_list("subject", "is_single_valued"))
    assert found == {"A": True, "B": False}


def test_version_numbers_have_no_gaps() -> None:
    ((record_id, project_id),) = fetch(
        "SELECT id, project_id FROM memory_record WHERE status = 'superseded'"
    )
    for number in (0, 1, 2, 4):
        with refused_by("memory_recordversion_number", number):
            insert_like(
                "memory_recordversion", record_id=record_id, project_id=project_id, number=number
            )


# --- Evidence ------------------------------------------------------------------------------------


def test_a_quote_equals_the_bytes_it_cites() -> None:
    record_id, source_id, project_id = fetch(
        "SELECT record_id, source_id, project_id FROM memory_citation LIMIT 1"
    )[0]
    place = {"source_id": source_id, "project_id": project_id, "ordinal": 1}
    insert_like("memory_message", content="zéro 🦓", **place)
    for start, end, quote, is_true in (
        (0, 5, "zéro", True),
        (1, 3, "é", True),
        (6, 10, "🦓", True),
        (0, 4, "zéro", False),
        (0, 5, "zero", False),
        (0, 5, "ze\u0301ro", False),
        (6, 9, "🦓", False),
        (6, 12, "🦓", False),
        (0, 99, "zéro 🦓", False),
        (20, 24, "zéro", False),
    ):
        said = {"record_id": record_id, "byte_start": start, "byte_end": end, "quote": quote}
        if is_true:
            insert_like("memory_citation", **said, **place)
        else:
            with refused_by("memory_citation_quote", (start, end, quote)):
                insert_like("memory_citation", **said, **place)


def test_the_log_offset_is_the_database_s(rows: Actor) -> None:
    before = Source.objects.filter(project_id=rows.project_id).count()
    insert_like("memory_source", project_id=rows.project_id, log_offset=7_000, data_subject_id=None)
    offsets = Source.objects.filter(project_id=rows.project_id).values_list("log_offset", flat=True)
    assert sorted(offsets) == list(range(before + 1))


# --- Reports -------------------------------------------------------------------------------------


def test_what_a_report_says_never_changes() -> None:
    for change in (
        "note = 'another'",
        "proposed_object = 'another'",
        "record_id = gen_random_uuid()",
        "record_version = gen_random_uuid()",
        "reporter_subject_id = gen_random_uuid()",
        "recorded_at = now()",
        "recorded_by_id = gen_random_uuid()",
        "recorded_by_kind = 'user', recorded_via = 'mcp'",
        "request_id = 'another'",
        "reporter_name = 'another'",
        *(f"target_{text} = 'another'" for text in ("subject", "predicate", "object", "preview")),
    ):
        for where in ("promoted_at IS NULL", "promoted_at IS NOT NULL"):
            with refused_by("feedback_report_set_once", change):
                run(f"UPDATE feedback_report SET {change} WHERE {where}")  # noqa: S608 - ours


def test_a_promotion_is_set_once() -> None:
    for change in (
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
        f"target_closed_at = now(), {NEXT_STATE}",
    ):
        with refused_by("feedback_report_set_once", change):
            run(f"UPDATE feedback_report SET {change} WHERE promoted_at IS NOT NULL")  # noqa: S608 - ours


def test_a_promotion_is_set_together() -> None:
    for change in (
        "promoted_at = now()",
        "promoted_by_kind = 'user'",
        "promoted_by_id = gen_random_uuid()",
        "promoted_via = 'api'",
        "promotion_request_id = 'x'",
        "promotion_expected_version = record_version",
        "promotion_version = record_version",
    ):
        with refused_by("feedback_report_promotion_together", change):
            run(
                f"UPDATE feedback_report SET {change}, target_closed_at = now(), {NEXT_STATE}"  # noqa: S608 - ours
                " WHERE promoted_at IS NULL"
            )


def test_the_closing_of_a_target_is_set_once() -> None:
    run(
        f"UPDATE feedback_report SET target_closed_at = now(), {NEXT_STATE}"  # noqa: S608 - ours
        " WHERE promoted_at IS NULL"
    )
    for change in (
        "target_closed_at = now() + interval '1 second'",
        "target_closed_at = NULL, target_status = 'current'",
        f"target_closed_at = now(), {NEXT_STATE}",
        *STATE,
    ):
        with refused_by("feedback_report_set_once", change):
            run(f"UPDATE feedback_report SET {change}")  # noqa: S608 - ours


def test_the_state_of_a_target_changes_when_it_closes_and_then_as_a_whole() -> None:
    closing = "target_closed_at = now(), target_status = 'retracted'"
    for change in (
        *STATE,
        NEXT_STATE,
        closing,
        f"{closing}, target_version = gen_random_uuid()",
        f"{closing}, target_version_number = target_version_number + 1",
        f"{closing}, target_version = gen_random_uuid(), target_version_number = 1",
        f"{closing}, target_version = gen_random_uuid(), target_version_number = 3",
    ):
        with refused_by("feedback_report_set_once", change):
            run(f"UPDATE feedback_report SET {change} WHERE promoted_at IS NULL")  # noqa: S608 - ours
    with refused_by("feedback_report_target_shape"):
        run(
            "UPDATE feedback_report SET target_closed_at = now(),"
            " target_version = gen_random_uuid(), target_version_number = 2"
            " WHERE promoted_at IS NULL"
        )
