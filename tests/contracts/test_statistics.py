"""Texts leave nothing in the planner's statistics, where an erasure could not reach them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import connection
from django.db.models import TextField

from tests.contracts.catalogue import fetch, fields, models

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rows")]

#: Texts that say nothing about anybody: a vocabulary of the project itself.
WITH_STATISTICS = {("memory_record", "predicate"), ("memory_predicate", "name")}


def test_texts_leave_no_values_in_the_statistics() -> None:
    wanted = {
        (model._meta.db_table, field.column) for model, field in fields(TextField)
    } - WITH_STATISTICS
    wanted |= {("memory_source", f"origin_{name}") for name in ("type", "ref", "id")}
    wanted |= {
        ("memory_source", "content_hash"),
        ("memory_source", "agent_name"),
        ("memory_source", "run_name"),
        ("memory_record", "observer_name"),
        ("memory_record", "terms"),
        ("memory_posting", "term"),
        ("feedback_contextrun", "task_digest"),
        ("feedback_contextrun", "lexemes_digest"),
        ("feedback_outcome", "reason_code"),
        ("feedback_outcome", "lexemes_digest"),
        ("feedback_rcpsession", "name_digest"),
        *(("feedback_signal", f"{name}_digest") for name in ("hit", "session", "query")),
        ("memory_record", "origin_digest"),
        ("memory_idempotencykey", "key_digest"),
        ("memory_idempotencykey", "fingerprint"),
        ("memory_idempotencykey", "receipt"),
    }
    without = set(
        fetch(
            "SELECT attrelid::regclass::text, attname FROM pg_attribute"
            " WHERE attstattarget = 0 AND attnum > 0 AND attrelid::regclass::text ~ %s",
            "^(memory|feedback|review)_[a-z]+$",
        )
    )
    assert without == wanted


def test_an_analysis_keeps_no_text(rows: Actor) -> None:
    with connection.cursor() as cursor:
        for table in {model._meta.db_table for model in models()}:
            cursor.execute(f"ANALYZE {table}")
    kept = fetch(
        "SELECT string_agg(to_jsonb(s)::text, ' ') FROM pg_stats s WHERE tablename ~ %s",
        "^(memory|feedback)_",
    )
    assert "quagga" not in kept[0][0]
    assert str(rows.project_id) in kept[0][0]  # there are statistics


def test_the_queue_is_vacuumed_early() -> None:
    ((options,),) = fetch("SELECT reloptions FROM pg_class WHERE relname = 'feedback_report'")
    assert "autovacuum_vacuum_scale_factor=0.02" in options
