"""Each invariant sees its own breach, made by the owner with the rules switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contracts.catalogue import run
from tests.invariants import QUERIES, broken_invariants

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db

#: number of the invariant, and what breaks it
BREACHES = {
    "half a promotion": ("I1", "UPDATE feedback_report SET promoted_by_id = NULL"),
    "a promotion without a result": (
        "I1",
        "UPDATE feedback_report SET promotion_version = gen_random_uuid()"
        " WHERE promoted_at IS NOT NULL",
    ),
    "the result of another record": (
        "I1",
        "UPDATE feedback_report SET promotion_version = record_version"
        " WHERE promoted_at IS NOT NULL",
    ),
    "a version that is not the newest": (
        "I2",
        "UPDATE memory_record SET version_number = 9 WHERE status = 'current'",
    ),
    "a status that no version has": (
        "I2",
        "UPDATE memory_record SET status = 'retracted', known_until = now(), replaced_by = NULL"
        " WHERE status = 'superseded'",
    ),
    "a replacement that begins later": (
        "I2",
        "UPDATE memory_record SET known_from = known_from + interval '1 us'"
        " WHERE replaces IS NOT NULL",
    ),
    "a current record with an end": (
        "I2",
        "UPDATE memory_record SET known_until = now() WHERE status = 'current'",
    ),
    "a missing version": (
        "I3",
        "DELETE FROM memory_recordversion WHERE number = 1 AND record_id IN"
        " (SELECT id FROM memory_record WHERE status = 'superseded')",
    ),
    "a version number twice": ("I3", "UPDATE memory_recordversion SET number = 1"),
    "two records in a single place": (
        "I3",
        "UPDATE memory_record SET subject = 'one', is_single_valued = true"
        " WHERE status = 'current'",
    ),
    "one result of two reports": (
        "I4",
        "UPDATE feedback_report SET promotion_version ="
        " (SELECT promotion_version FROM feedback_report WHERE promoted_at IS NOT NULL)",
    ),
    "one record decided twice": (
        "I4",
        "UPDATE feedback_report SET promoted_at = now(), record_id ="
        " (SELECT record_id FROM feedback_report WHERE promoted_at IS NOT NULL)",
    ),
    "a promotion without its change": (
        "I5",
        "DELETE FROM memory_auditentry WHERE operation = 'record.correct'",
    ),
    "a promotion without its entry": (
        "I5",
        "DELETE FROM memory_auditentry WHERE operation = 'feedback.promote'",
    ),
    "a version without its entry": (
        "I5",
        "DELETE FROM memory_auditentry WHERE operation = 'record.assert'",
    ),
    "a report about nothing": ("I6", "UPDATE feedback_report SET record_id = gen_random_uuid()"),
    "a citation for nothing": ("I6", "UPDATE memory_citation SET record_id = gen_random_uuid()"),
    "a packed record that is gone": (
        "I6",
        "UPDATE feedback_contextitem SET record_id = gen_random_uuid()",
    ),
    "an outcome about nothing": (
        "I6",
        "UPDATE feedback_outcome SET record_id = gen_random_uuid() WHERE record_id IS NOT NULL",
    ),
    "a signal about nothing": (
        "I6",
        "UPDATE feedback_signal SET record_id = gen_random_uuid(), record_version = NULL"
        " WHERE record_id IS NOT NULL",
    ),
    "a signal about another record's version": (
        "I6",
        "UPDATE feedback_signal s SET record_version = v.id FROM memory_recordversion v"
        " WHERE v.project_id = s.project_id AND v.record_id <> s.record_id",
    ),
    "a suspicion of nothing": (
        "I6",
        "UPDATE feedback_integrityitem SET record_id = gen_random_uuid() WHERE report_id IS NULL",
    ),
    "a suspicion that led to a report about another record": (
        "I6",
        "UPDATE feedback_integrityitem i SET report_id = r.id FROM feedback_report r"
        " WHERE r.project_id = i.project_id AND r.record_id <> i.record_id",
    ),
    "a target that is not closed": (
        "I6",
        "UPDATE feedback_report SET target_closed_at = now() WHERE promoted_at IS NULL",
    ),
    "a report that shows another record": (
        "I6",
        "UPDATE feedback_report SET target_preview = 'another' WHERE promoted_at IS NULL",
    ),
    "a report that shows an old state": (
        "I6",
        "UPDATE feedback_report SET target_version = record_version WHERE promoted_at IS NOT NULL",
    ),
    "a reporter by another name": ("I6", "UPDATE feedback_report SET reporter_name = 'another'"),
    "a person by another name": ("I6", "UPDATE memory_record SET data_subject_name = 'another'"),
    "a receipt of nothing": (
        "I7",
        "UPDATE memory_idempotencykey"
        " SET receipt = jsonb_build_object('report', gen_random_uuid())",
    ),
    "a receipt of records that are gone": (
        "I7",
        "UPDATE memory_idempotencykey SET receipt ="
        " jsonb_build_object('records', jsonb_build_array(jsonb_build_object('record',"
        " gen_random_uuid())))",
    ),
    "a receipt of claims that are gone": (
        "I7",
        "UPDATE memory_idempotencykey SET receipt = jsonb_build_object('canonical_replays', 0,"
        " 'records', jsonb_build_array(gen_random_uuid()))",
    ),
    "a receipt of an outcome that is gone": (
        "I7",
        "UPDATE memory_idempotencykey"
        " SET receipt = jsonb_build_object('outcome', gen_random_uuid())",
    ),
    "a receipt of a decision about nothing": (
        "I7",
        "UPDATE memory_idempotencykey SET receipt = jsonb_build_object('item', gen_random_uuid())",
    ),
    "a word that cannot be found": (
        "I8",
        "DELETE FROM memory_posting WHERE ctid = (SELECT min(ctid) FROM memory_posting)",
    ),
    "a closed record that is found": (
        "I8",
        "UPDATE memory_posting SET is_current = true WHERE NOT is_current",
    ),
    "a record of another length": ("I8", "UPDATE memory_posting SET term_count = term_count + 1"),
    "a word that was not said": (
        "I8",
        "INSERT INTO memory_posting (project_id, term, is_current, record_id, term_count)"
        " SELECT project_id, 7, is_current, record_id, term_count FROM memory_posting LIMIT 1",
    ),
    "a posting of nothing": (
        "I8",
        "INSERT INTO memory_posting (project_id, term, is_current, record_id, term_count)"
        " SELECT project_id, term, is_current, gen_random_uuid(), term_count"
        " FROM memory_posting LIMIT 1",
    ),
    "a record without its words": (
        "I8",
        "UPDATE memory_record SET terms = '{}' WHERE status = 'current'",
    ),
}

RULES_OFF = """
DO $$ DECLARE rule record; BEGIN
  FOR rule IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint
    WHERE conrelid::regclass::text ~ '^memory_(record|recordversion|citation)$|^feedback_'
      AND contype IN ('c', 'f', 'u') AND conname !~ '_project_id_uniq$'
  LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', rule.owner, rule.conname); END LOOP;
  DROP INDEX memory_record_single_valued_uniq, feedback_report_one_promotion_uniq;
  FOR rule IN SELECT DISTINCT tgrelid::regclass AS owner FROM pg_trigger WHERE NOT tgisinternal
  LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', rule.owner); END LOOP;
END $$
"""


def test_a_sound_database_breaks_none(rows: Actor) -> None:  # noqa: ARG001
    assert broken_invariants() == {}
    assert len(QUERIES) == 12


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("name", BREACHES)
def test_a_breach_is_seen_by_its_invariant(name: str) -> None:
    number, breach = BREACHES[name]
    run("SET CONSTRAINTS ALL IMMEDIATE")  # what is pending would forbid ALTER TABLE
    run(RULES_OFF)  # taken back with the test's transaction
    run(breach)
    broken = broken_invariants()
    assert number in broken
    assert broken[number]
