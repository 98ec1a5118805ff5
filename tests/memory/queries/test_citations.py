"""What a record rests on: the quoted bytes, and what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memory.queries.citations import CONTEXT_BYTES, context_span, resolve_citations
from tests.contracts.catalogue import run
from tests.factories import a_record
from tests.observed import Entry, audit_of

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = pytest.mark.django_db


def test_evidence_quotes_the_statement_in_its_message(agent: Actor) -> None:
    record = a_record(agent, statement="The capital of Burundi is Bujumbura.")
    evidence = resolve_citations(actor=agent, record_id=record.id, after=None, limit=8)
    (row,) = evidence.citations.rows
    assert (row.source_id, row.ordinal, row.log_offset) == (record.source_id, 0, 0)
    assert (row.relation, row.role, row.source_kind, row.origin_type) == (
        "supports",
        "user",
        "curated",
        "api",
    )
    assert row.quote == row.context == "The capital of Burundi is Bujumbura."
    assert (row.byte_start, row.byte_end, row.context_byte_start, row.context_byte_end) == (
        0,
        36,
        0,
        36,
    )
    assert row.is_context_complete
    assert row.authored_by == agent.id
    assert audit_of(agent) == [Entry("citation.resolve", "allowed", "", 1)]


@pytest.mark.parametrize(
    ("length", "start", "end", "span"),
    [
        (36, 0, 36, (0, 36)),
        (CONTEXT_BYTES, 10, 20, (0, CONTEXT_BYTES)),
        (10_000, 0, 10_000, (0, 10_000)),
        (10_000, 0, 10, (0, CONTEXT_BYTES)),
        (10_000, 9_990, 10_000, (10_000 - CONTEXT_BYTES, 10_000)),
        (10_000, 5_000, 5_096, (3_000, 7_096)),
    ],
)
def test_context_is_so_many_bytes_around_the_quote(
    length: int, start: int, end: int, span: tuple[int, int]
) -> None:
    assert context_span(b"a" * length, start, end) == span


@pytest.mark.parametrize("offset", range(4))
def test_context_is_cut_between_characters(offset: int) -> None:
    content = ("a" * offset + "🦓" * 5_000).encode()
    start = offset + 4 * 1_000
    first, last = context_span(content, start, start + 12)
    assert content[first:last].decode()
    assert CONTEXT_BYTES - 8 < last - first <= CONTEXT_BYTES


def test_a_quote_that_somebody_changed_is_a_fault_and_not_an_answer(agent: Actor) -> None:
    record = a_record(agent)
    run("SET CONSTRAINTS ALL IMMEDIATE")  # what is pending would forbid ALTER TABLE
    run("ALTER TABLE memory_citation DISABLE TRIGGER USER")
    run("UPDATE memory_citation SET quote = 'another'")
    with pytest.raises(RuntimeError, match="quote differs"):
        resolve_citations(actor=agent, record_id=record.id, after=None, limit=8)
