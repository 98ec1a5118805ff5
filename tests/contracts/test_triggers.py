"""Every trigger is in the catalogue and refuses, or does, what it is there for: by plain SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from django.db import Error, transaction

from memory.models import Record, Source, Subject
from tests.contracts.catalogue import fetch, insert_like, refused_by, run, triggers

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rows")]

APPEND_ONLY = (
    "memory_source",
    "memory_message",
    "memory_recordversion",
    "memory_citation",
    "feedback_contextrun",
    "feedback_contextitem",
    "feedback_outcome",
    "feedback_signal",
)
#: Those of them that also go by age, items before their runs.
PRUNED = ("feedback_contextitem", "feedback_contextrun")
ERASED_ONLY = ("memory_record", "feedback_report")
NEVER_CHANGES = ("memory_auditentry",)

#: What each append-only table may have changed that somebody could be hurt by.
SOME_COLUMN = {
    "memory_source": "origin_type = 'another'",
    "memory_message": "content = 'another'",
    "memory_recordversion": "number = number + 1",
    "memory_citation": "quote = 'another'",
    "feedback_contextrun": "used_tokens = 0",
    "feedback_contextitem": "score = 1",
    "feedback_outcome": "kind = 'useful'",
    "feedback_signal": "is_poison_suspected = false",
}

#: Each part of the state that a report shows of its record, and a whole next one.
STATE = (
    "target_status = 'retracted'",
    "target_version = gen_random_uuid()",
    "target_version_number = target_version_number + 1",
    "target_replaced_by = record_id",
)
NEXT_STATE = ", ".join(STATE[:3])


CURRENT = {"status": "current", "known_until": None, "replaced_by": None, "version_number": 1}


def test_every_trigger_is_listed_here() -> None:
    guarded = (*APPEND_ONLY, *ERASED_ONLY, *NEVER_CHANGES)
    assert triggers() == {
        *((table, f"{table}_append_only_v1") for table in APPEND_ONLY),
        *((table, f"{table}_erased_only_v1") for table in ERASED_ONLY),
        *((table, f"{table}_never_changes_v1") for table in NEVER_CHANGES),
        *((table, f"{table}_no_truncate_v1") for table in guarded),
        ("memory_record", "memory_record_legal_change_v1"),
        ("memory_record", "memory_record_single_valued_v1"),
        ("memory_record", "memory_record_subject_name_v1"),
        ("memory_record", "memory_record_terms_v1"),
        ("memory_record", "memory_record_posted_v1"),
        ("memory_record", "memory_record_reposted_v1"),
        ("memory_record", "memory_record_unposted_v1"),
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


@pytest.mark.parametrize("setting", ["pruning", "erasure"])
@pytest.mark.parametrize("value", ["''", "'zz'"])
def test_a_run_stays_unless_a_transaction_names_why_it_goes(setting: str, value: str) -> None:
    run(f"SET LOCAL errata.{setting} = {value}")
    for table in PRUNED:
        with pytest.raises(Error, match=r"never change|uuid"), transaction.atomic():
            run(f"DELETE FROM {table}")  # noqa: S608 - ours


@pytest.mark.parametrize("setting", ["pruning", "erasure"])
def test_a_pruning_and_an_erasure_may_delete_runs_and_change_none(setting: str) -> None:
    run(f"SET LOCAL errata.{setting} = '{uuid4()}'")
    for table in PRUNED:
        with refused_by(f"{table}_append_only"):
            run(f"UPDATE {table} SET {SOME_COLUMN[table]}")  # noqa: S608 - ours
    for table in PRUNED:
        run(f"DELETE FROM {table}")  # noqa: S608 - ours
        assert fetch(f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608 - ours


def test_a_pruning_deletes_nothing_but_runs() -> None:
    run(f"SET LOCAL errata.pruning = '{uuid4()}'")
    for table in {*APPEND_ONLY, *ERASED_ONLY} - set(PRUNED):
        with refused_by(f"{table}_append_only"):
            run(f"DELETE FROM {table}")  # noqa: S608 - ours


def test_only_signals_about_no_record_go_by_age() -> None:
    bound = "SELECT count(*) FROM feedback_signal WHERE record_id IS NOT NULL"
    before = fetch(bound)
    unbound = "DELETE FROM feedback_signal WHERE record_id IS NULL"
    with refused_by("feedback_signal_append_only"):
        run(unbound)
    run(f"SET LOCAL errata.pruning = '{uuid4()}'")
    for change in ("UPDATE feedback_signal SET reward = 1", "DELETE FROM feedback_signal"):
        for which in ("", " WHERE record_id IS NOT NULL"):
            with refused_by("feedback_signal_append_only", change + which):
                run(change + which)
    with refused_by("feedback_signal_append_only"):
        run("UPDATE feedback_signal SET reward = 1 WHERE record_id IS NULL")
    run(unbound)
    assert fetch("SELECT count(*) FROM feedback_signal") == fetch(bound) == before != [(0,)]


@pytest.mark.parametrize("setting", ["pruning", "erasure"])
@pytest.mark.parametrize("value", ["''", "'zz'"])
def test_a_signal_stays_unless_a_transaction_names_why_it_goes(setting: str, value: str) -> None:
    run(f"SET LOCAL errata.{setting} = {value}")
    with pytest.raises(Error, match=r"never change|uuid"), transaction.atomic():
        run("DELETE FROM feedback_signal WHERE record_id IS NULL")


def test_an_erasure_may_delete_signals_and_change_none() -> None:
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    with refused_by("feedback_signal_append_only"):
        run("UPDATE feedback_signal SET is_used = NOT is_used")
    run("DELETE FROM feedback_signal")
    assert fetch("SELECT count(*) FROM feedback_signal") == [(0,)]


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
        "observer_name = 'another'",
        "terms = '{7}'",
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
        **CURRENT,
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


# --- Postings ------------------------------------------------------------------------------------


def test_the_terms_of_a_record_are_those_of_its_statement(rows: Actor) -> None:
    said = {"project_id": rows.project_id, "origin_digest": None, "replaces": None, **CURRENT}
    person = fetch("SELECT data_subject_id FROM memory_record WHERE status = 'superseded'")[0][0]
    insert_like("memory_record", subject="A", statement="The herds run", terms=[7], **said)
    insert_like("memory_record", subject="B", statement="a herd", data_subject_id=None, **said)
    insert_like("memory_record", subject="C", statement="it is the", **said)

    assert fetch(
        "SELECT r.subject, r.terms = ARRAY(SELECT memory_term_v1(p.digest_key, r.data_subject_id,"
        " lexeme) FROM unnest(CASE r.subject WHEN 'A' THEN '{herd,run}'"
        " WHEN 'B' THEN '{herd}' END::text[]) lexeme ORDER BY 1), r.data_subject_id"
        " FROM memory_record r JOIN memory_project p ON p.id = r.project_id"
        " WHERE r.subject IN ('A', 'B', 'C') ORDER BY 1"
    ) == [("A", True, person), ("B", True, None), ("C", True, person)]


def test_a_record_s_words_are_posted_closed_and_taken_away_with_it(rows: Actor) -> None:
    said = {"project_id": rows.project_id, "origin_digest": None, "replaces": None, **CURRENT}
    insert_like("memory_record", subject="A", statement="The herds run by the lake", **said)
    ((record_id, terms),) = fetch("SELECT id, terms FROM memory_record WHERE subject = 'A'")
    posted = "SELECT term, is_current, term_count FROM memory_posting WHERE record_id = %s"
    assert sorted(fetch(posted, record_id)) == [(term, True, 3) for term in terms]

    run(
        "UPDATE memory_record SET status = 'retracted', known_until = clock_timestamp(),"
        " version = gen_random_uuid(), version_number = version_number + 1 WHERE id = %s",
        record_id,
    )
    assert sorted(fetch(posted, record_id)) == [(term, False, 3) for term in terms]

    run("UPDATE memory_record SET is_disputed = true WHERE id = %s", record_id)
    assert sorted(fetch(posted, record_id)) == [(term, False, 3) for term in terms]

    run("SET CONSTRAINTS ALL DEFERRED")
    run(f"SET LOCAL errata.erasure = '{uuid4()}'")
    run("DELETE FROM memory_record WHERE id = %s", record_id)
    assert fetch(posted, record_id) == []
    assert fetch("SELECT count(*) > 0 FROM memory_posting") == [(True,)]


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


def test_a_record_is_about_whom_its_person_is_called(rows: Actor) -> None:
    person = Subject.objects.filter(project_id=rows.project_id)[0]
    for said, name in ((person.id, person.name), (None, None)):
        new = {"project_id": rows.project_id, "subject": str(uuid4()), "data_subject_id": said}
        unique = {"replaces": None, "origin_digest": None}
        insert_like("memory_record", **new, **unique, data_subject_name="another")
        assert Record.objects.get(subject=new["subject"]).data_subject_name == name
    with refused_by("memory_record_legal_change"):
        run("UPDATE memory_record SET data_subject_name = 'another'")


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
