"""The database keeps the rules: a CHECK per vocabulary, composite references, projects first.

Rules: `style.md` 5 and 9, `design.md` "Data model". The walk covers whatever tables there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.db import Error, transaction
from django.db.models import CharField, Field, ForeignKey, TextField

from feedback.models import Report
from feedback.vocabulary import REASON_BYTES
from memory.models import Record, RecordVersion
from memory.vocabulary import (
    NOTE_BYTES,
    OBJECT_BYTES,
    PREDICATE_BYTES,
    PREVIEW_BYTES,
    STATEMENT_BYTES,
    SUBJECT_BYTES,
)
from tests.contracts.catalogue import (
    constraints,
    fetch,
    fields,
    indexes,
    insert_like,
    models,
    refused_by,
    run,
)

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rows")]

#: Tables of people and sign-ins belong to no project; guardian's tables are led by the person.
NOT_OF_A_PROJECT = {
    "memory_user",
    "memory_user_groups",
    "memory_user_user_permissions",
    "memory_project",
    "review_signinwait",
}
GUARDIAN = {"memory_member", "memory_membergroup"}

#: Written by triggers from other rows; nothing refers to a row of it, so its key is what it says.
DERIVED = {"memory_posting": "PRIMARY KEY (project_id, term, is_current, record_id, term_count)"}

#: A credential is looked up before its project is known.
LED_BY_ANOTHER = {
    "memory_credential_public_id_key",
    "memory_credential_public_id_4ff00d20_like",
    "memory_record_names_idx",  # trigrams of names; the function that reads it narrows to a project
}

BYTES = {
    "memory_subject_name_bytes": SUBJECT_BYTES,
    "memory_predicate_name_bytes": PREDICATE_BYTES,
    "memory_record_subject_bytes": SUBJECT_BYTES,
    "memory_record_predicate_bytes": PREDICATE_BYTES,
    "memory_record_object_bytes": OBJECT_BYTES,
    "memory_record_statement_bytes": STATEMENT_BYTES,
    "memory_record_data_subject_name_bytes": SUBJECT_BYTES,
    "memory_message_content_bytes": None,
    "feedback_report_note_bytes": NOTE_BYTES,
    "feedback_report_proposed_object_bytes": OBJECT_BYTES,
    "feedback_report_reporter_name_bytes": SUBJECT_BYTES,
    "feedback_report_target_subject_bytes": SUBJECT_BYTES,
    "feedback_report_target_predicate_bytes": PREDICATE_BYTES,
    "feedback_report_target_object_bytes": OBJECT_BYTES,
    "feedback_report_target_preview_bytes": PREVIEW_BYTES,
    "feedback_integrityitem_reason_bytes": REASON_BYTES,
}

#: Triggers that would write over what a test has inserted.
WRITTEN_OVER = {"memory_record_data_subject_name_bytes": "memory_record_subject_name_v1"}

#: Rules that another one, checked before them, implies.
STRICTER = {
    "memory_auditentry_outcome_valid": "memory_auditentry_code_of_refusal",
    "memory_record_status_valid": "memory_record_status_shape",
    "feedback_report_target_status_valid": "feedback_report_target_shape",
    "feedback_integrityitem_state_valid": "feedback_integrityitem_decision_shape",
}

PAST, FUTURE = "2001-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
OPEN: dict[str, Any] = {"status": "current", "known_until": None, "replaced_by": None}
UNDECIDED: dict[str, Any] = {
    field.attname: None
    for field in Report._meta.concrete_fields
    if field.attname.startswith(("promot", "replacement"))
}
UNDECIDED_ITEM: dict[str, Any] = {
    "state": "open",
    "decided_at": None,
    "decided_by_kind": None,
    "decided_by_id": None,
    "reason": None,
    "report_id": None,
}
NO_CONCERN: dict[str, Any] = {
    "state": "no_concern",
    "decided_at": PAST,
    "decided_by_kind": "user",
    "decided_by_id": uuid4(),
    "reason": "x",
    "report_id": None,
}
REPORTED: dict[str, Any] = {
    **NO_CONCERN,
    "state": "reported",
    "reason": None,
    "report_id": uuid4(),
}

#: rows that each rule refuses, as changes of a row that it allows
SHAPES: dict[str, list[dict[str, Any]]] = {
    "memory_project_name_form": [{"name": name} for name in ("", "-a", "A", "a_b")],
    "memory_project_minimum_actors_range": [{"minimum_actors": 0}],
    "memory_project_integrity_quorum_range": [{"integrity_quorum": value} for value in (0, 11)],
    "memory_credential_eraser_writes": [{"may_erase": True, "access": "read_only"}],
    "memory_record_confidence_range": [{"confidence": value} for value in (0, -1, 1.01)],
    "memory_record_valid_order": [{"valid_from": FUTURE, "valid_until": PAST}],
    "memory_record_known_order": [{"known_from": FUTURE}],
    "memory_record_status_shape": [
        {**OPEN, "known_until": FUTURE},
        {**OPEN, "replaced_by": uuid4()},
        {"status": "superseded", "known_until": None, "replaced_by": uuid4()},
        {"status": "superseded", "known_until": FUTURE, "replaced_by": None},
        {"status": "retracted", "known_until": None, "replaced_by": None},
        {"status": "retracted", "known_until": FUTURE, "replaced_by": uuid4()},
    ],
    "feedback_report_promotion_change_valid": [{"promotion_change": "record.assert"}],
    "feedback_report_promotion_together": [
        {column: None}
        for column in (
            "promoted_at",
            "promoted_by_kind",
            "promoted_by_id",
            "promoted_via",
            "promotion_request_id",
            "promotion_expected_version",
            "promotion_version",
            "target_closed_at",
        )
    ],
    "feedback_report_replacement_shape": [
        {"replacement_record_id": None},
        {"promotion_change": "record.retract"},
        {**UNDECIDED, "replacement_record_id": uuid4()},
    ],
    "feedback_report_reporter_named": [
        {"reporter_name": "x"},
        {"reporter_subject_id": uuid4()},
    ],
    "feedback_report_target_shape": [
        {"target_status": "current"},
        {"target_status": "current", "target_replaced_by": None},
        {"target_status": "retracted"},
        {"target_replaced_by": None},
        {**UNDECIDED, "target_closed_at": None},
        {**UNDECIDED, "target_status": "current", "target_closed_at": None},
    ],
    "feedback_contextrun_budget": [{"max_tokens": 900, "used_tokens": 901}],
    "feedback_contextitem_shares": [
        {share: value}
        for share in (
            "score",
            "relevance",
            "trust",
            "recency",
            "utility",
            "conflict",
            "confidence",
        )
        for value in (-0.000001, 1.000001, "NaN")
    ],
    "feedback_signal_bound_or_not": [
        {"record_id": None},
        {"hit_digest": "x"},
        {"record_id": None, "hit_digest": "x"},
        {"record_id": None, "record_version": None},
    ],
    "feedback_signal_reward_range": [
        {"reward": value} for value in (-1.000001, 1.000001, "NaN", "Infinity")
    ],
    "feedback_integrityitem_decision_shape": [
        *({**NO_CONCERN, column: None} for column in NO_CONCERN if column.startswith("decided")),
        {**NO_CONCERN, "reason": None},
        {**NO_CONCERN, "report_id": uuid4()},
        *({**REPORTED, column: None} for column in REPORTED if column.startswith("decided")),
        {**REPORTED, "reason": "x"},
        {**REPORTED, "report_id": None},
        *(
            {**UNDECIDED_ITEM, column: value}
            for column, value in {**NO_CONCERN, "report_id": uuid4()}.items()
            if column != "state"
        ),
    ],
    "memory_auditentry_project_known": [{"project_id": None, "operation": "record.get"}],
    "memory_auditentry_actor_known": [{"actor_id": None, "actor_kind": "user"}],
    "memory_auditentry_code_of_refusal": [
        {"outcome": "allowed", "code": "x"},
        {"outcome": "refused", "code": ""},
    ],
}


def table_of(constraint: str) -> str:
    """The table whose rule this is."""
    return next(row.table for row in constraints() if row.name == constraint)


# --- Vocabularies, lengths, shapes ---------------------------------------------------------------


def test_every_vocabulary_has_a_check_that_refuses_another_word() -> None:
    checks = {row.name for row in constraints() if row.kind == "c"}
    seen = 0
    run("SET CONSTRAINTS ALL IMMEDIATE")  # what is pending would forbid ALTER TABLE
    run("ALTER TABLE memory_recordversion DISABLE TRIGGER memory_recordversion_number_v1")
    for model, field in fields(Field):
        if not field.choices:
            continue
        name = f"{model._meta.db_table}_{field.column}_valid"
        assert name in checks
        seen += 1
        if model._meta.db_table not in {"memory_member", "memory_membergroup"}:
            word: object = "zz" if isinstance(field, CharField) else 99
            with refused_by(STRICTER.get(name, name)):
                insert_like(model._meta.db_table, **{field.column: word})
    assert seen > 30


def test_every_text_has_a_check_of_its_bytes_but_a_quote_that_equals_a_message() -> None:
    texts = {f"{model._meta.db_table}_{field.column}" for model, field in fields(TextField)}
    unbounded = {"memory_citation_quote"}
    assert {name.removesuffix("_bytes") for name in BYTES} == texts - unbounded


def test_texts_are_never_empty_and_never_longer_in_bytes() -> None:
    for name, most in BYTES.items():
        table = table_of(name)
        column = name.removeprefix(f"{table}_").removesuffix("_bytes")
        if name in WRITTEN_OVER:
            run("SET CONSTRAINTS ALL IMMEDIATE")
            run(f"ALTER TABLE {table} DISABLE TRIGGER {WRITTEN_OVER[name]}")
        texts = [""] if most is None else ["", "a" * (most + 1), "é" * (most // 2) + "a"]
        for text in texts:
            with refused_by(name, len(text)):
                insert_like(table, **{column: text})


def test_a_row_out_of_shape_is_refused() -> None:
    for name, rows in SHAPES.items():
        for changes in rows:
            with refused_by(name, changes):
                insert_like(table_of(name), **changes)


def test_a_span_ends_behind_its_start() -> None:
    with refused_by("memory_citation_span_order"):
        insert_like("memory_citation", byte_start=3, byte_end=3, quote="")


def test_every_check_is_broken_somewhere() -> None:
    checks = {row.name for row in constraints() if row.kind == "c"}
    vocabularies = {name for name in checks if name.endswith("_valid")}
    not_negative = {name for name in checks if name.endswith("_check")}  # Django's own
    assert checks - vocabularies - not_negative == {
        *BYTES,
        *(SHAPES.keys() - vocabularies),
        "memory_citation_span_order",
    }


# --- Projects ------------------------------------------------------------------------------------


def test_every_table_but_those_of_people_has_a_project() -> None:
    tables = {model._meta.db_table for model in models()}
    columns = {
        row[0]
        for row in fetch(
            "SELECT attrelid::regclass::text FROM pg_attribute WHERE attname = 'project_id'"
        )
    }
    assert tables - columns == NOT_OF_A_PROJECT & tables


def test_every_index_of_a_project_s_rows_leads_with_the_project() -> None:
    strays = {
        index.name
        for index in indexes()
        if index.table not in NOT_OF_A_PROJECT | GUARDIAN
        and not index.name.endswith("_pkey")
        and index.leads != "project_id"
    }
    assert strays == LED_BY_ANOTHER


def test_every_row_of_a_project_can_be_referred_to_with_its_project() -> None:
    uniques = {row.table for row in constraints() if row.definition == "UNIQUE (project_id, id)"}
    tables = {model._meta.db_table for model in models()}
    assert uniques == tables - NOT_OF_A_PROJECT - GUARDIAN - DERIVED.keys()


def test_derived_rows_are_led_by_their_project_and_nothing_refers_to_them() -> None:
    keys = {row.table: row.definition for row in constraints() if row.kind == "p"}
    assert {table: keys[table] for table in DERIVED} == DERIVED
    targets = {
        row.definition.rpartition("REFERENCES ")[2].partition("(")[0] for row in constraints()
    }
    assert not targets & DERIVED.keys()


def test_references_within_a_project_are_composite() -> None:
    for row in constraints():
        if row.kind != "f" or row.table in NOT_OF_A_PROJECT | GUARDIAN:
            continue
        assert row.definition.startswith(
            ("FOREIGN KEY (project_id) REFERENCES memory_project(id)", "FOREIGN KEY (project_id, ")
        ), row
        assert "ON DELETE" not in row.definition


def test_django_s_own_references_stand_to_the_project_alone() -> None:
    for model, field in fields(ForeignKey):
        if model._meta.db_table in GUARDIAN:
            continue
        assert field.db_constraint == (field.name == "project"), field


def test_every_reference_column_is_a_reference_in_the_database() -> None:
    referring = {
        (row.table, column)
        for row in constraints()
        if row.kind == "f"
        for column in row.definition.partition(")")[0].partition("(")[2].split(", ")
    }
    for model, field in fields(ForeignKey):
        assert (model._meta.db_table, field.column) in referring


def test_a_reference_to_another_project_is_refused(rows: Actor) -> None:
    strangers = {
        table: _stranger(table, rows)
        for table in (
            "memory_subject",
            "memory_source",
            "memory_record",
            "memory_recordversion",
            "feedback_contextrun",
            "feedback_report",
        )
    }
    run("SET CONSTRAINTS ALL IMMEDIATE")
    run("ALTER TABLE memory_citation DISABLE TRIGGER memory_citation_quote_v1")
    run("ALTER TABLE memory_recordversion DISABLE TRIGGER memory_recordversion_number_v1")
    seen = 0
    for row in constraints():
        if row.kind != "f" or not row.definition.startswith("FOREIGN KEY (project_id, "):
            continue
        columns, _, target = row.definition.removeprefix("FOREIGN KEY (project_id, ").partition(")")
        column = columns.partition(",")[0]
        table = target.removeprefix(" REFERENCES ").partition("(")[0]
        changes: dict[str, object] = {"project_id": rows.project_id, **_unique_columns(row.table)}
        stranger = strangers.get(table, uuid4())
        names = {row.name, "memory_citation_source_fk"} if "message" in row.name else {row.name}
        assert _violated(row.table, **{**changes, column: stranger}) in names, row
        seen += 1
    assert seen == 27


def _stranger(table: str, rows: Actor) -> object:
    """The id of a row of another project."""
    return fetch(f"SELECT id FROM {table} WHERE project_id <> %s", rows.project_id)[0][0]  # noqa: S608 - ours


def _closed() -> Record:
    """The record that was corrected; it is in no pack."""
    return Record.objects.get(status="superseded")


def _unique_columns(table: str) -> dict[str, object]:
    """What would be refused as a copy before any reference is looked at."""
    columns: dict[str, dict[str, object]] = {
        "memory_record": {"origin_digest": None, "replaces": None, "subject": str(uuid4())},
        "memory_message": {"ordinal": 7},
        "memory_recordversion": {"number": 7},
        "feedback_contextitem": {"rank": 99, "record_id": _closed().id},
        "feedback_rcpsession": {"name_digest": "\\x01"},
        "feedback_report": {**UNDECIDED, "target_closed_at": PAST},
        "feedback_integrityitem": {"record_id": _closed().id},
    }
    return columns.get(table, {})


def _violated(table: str, **changes: object) -> str | None:
    from memory.constraints import constraint_name

    if changes.get("promotion_version") or changes.get("replacement_record_id"):
        run("ALTER TABLE feedback_report DISABLE TRIGGER USER")
        for check in ("promotion_together", "replacement_shape"):
            run(f"ALTER TABLE feedback_report DROP CONSTRAINT IF EXISTS feedback_report_{check}")
    if changes.get("reporter_subject_id"):
        changes |= {"reporter_name": "x"}
    if changes.get("report_id"):
        changes = {**REPORTED, **changes}
    if changes.get("replaced_by"):
        changes |= {"status": "superseded", "known_until": FUTURE}
    try:
        with transaction.atomic():
            run("SET CONSTRAINTS ALL IMMEDIATE")
            insert_like(table, **changes)
    except Error as error:
        return constraint_name(error)
    return None


# --- One of a kind -------------------------------------------------------------------------------


def test_what_is_one_of_a_kind_is_refused_twice(rows: Actor) -> None:
    closed = _closed()
    successor = Record.objects.get(replaces=closed.id)
    result = Report.objects.get(promoted_at__isnull=False)
    other = Report.objects.get(project_id=rows.project_id, promoted_at=None)
    copies: dict[str, tuple[str, dict[str, object]]] = {
        "memory_record_origin_uniq": ("memory_record", {"replaces": None}),
        "memory_record_replaces_uniq": (
            "memory_record",
            {"origin_digest": None, "replaces": successor.replaces},
        ),
        "memory_record_single_valued_uniq": (
            "memory_record",
            {"origin_digest": None, "replaces": None, "subject": successor.subject, **OPEN},
        ),
        "memory_subject_name_uniq": ("memory_subject", {}),
        "memory_predicate_name_uniq": ("memory_predicate", {}),
        "memory_message_ordinal_uniq": ("memory_message", {}),
        "memory_idempotencykey_key_uniq": ("memory_idempotencykey", {}),
        "memory_credential_public_id_key": ("memory_credential", {}),
        "memory_project_name_key": ("memory_project", {}),
        "feedback_rcpsession_name_uniq": ("feedback_rcpsession", {}),
        "feedback_report_one_promotion_uniq": (
            "feedback_report",
            {"promotion_version": other.record_version},
        ),
        "feedback_report_result_uniq": ("feedback_report", {"record_id": other.record_id}),
        "feedback_contextitem_rank_uniq": ("feedback_contextitem", {"record_id": closed.id}),
        "feedback_contextitem_record_uniq": ("feedback_contextitem", {"rank": 99}),
        "memory_posting_pkey": ("memory_posting", {}),
        "feedback_integrityitem_record_uniq": ("feedback_integrityitem", {}),
    }
    assert result.record_id == closed.id
    for name, (table, changes) in copies.items():
        with refused_by(name):
            insert_like(table, **changes)


def test_a_version_number_is_one_of_a_kind_even_without_its_trigger() -> None:
    run("SET CONSTRAINTS ALL IMMEDIATE")
    run("ALTER TABLE memory_recordversion DISABLE TRIGGER memory_recordversion_number_v1")
    version = RecordVersion.objects.first()
    assert version is not None
    with refused_by("memory_recordversion_number_uniq"):
        insert_like(
            "memory_recordversion",
            project_id=version.project_id,
            record_id=version.record_id,
            number=version.number,
        )
