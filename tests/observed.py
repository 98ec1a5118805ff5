"""What the database holds, as tests compare it: audit entries, and fingerprints of all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import pytest
from django.db import connection

from memory.errors import DomainError

if TYPE_CHECKING:
    from memory.actor import Actor

#: Every table whose rows an operation could write, but the audit log, and the postings, which
#: triggers derive from records (I8).
CONTENT = (
    "memory_subject",
    "memory_source",
    "memory_message",
    "memory_record",
    "memory_recordversion",
    "memory_citation",
    "memory_idempotencykey",
    "memory_predicate",
    "memory_member",
    "memory_credential",
    "feedback_report",
    "feedback_contextrun",
    "feedback_contextitem",
    "feedback_outcome",
    "feedback_signal",
    "feedback_integrityitem",
)
_ROWS: Final = " UNION ALL ".join(  # one statement, since so many tests ask
    f"SELECT '{table}', to_jsonb(t)::text FROM {table} t"  # noqa: S608 - ours
    for table in CONTENT
)
E = TypeVar("E", bound=DomainError)


class Entry(NamedTuple):
    """An audit entry, without its ids and time."""

    operation: str
    outcome: str
    code: str
    magnitude: int


def audit_of(actor: Actor) -> list[Entry]:
    """The entries of one request, in order of operation."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT operation, outcome, code, magnitude FROM memory_auditentry"
            " WHERE project_id = %s AND request_id = %s AND actor_id = %s AND actor_kind = %s"
            " AND edge = %s ORDER BY operation, outcome",
            [actor.project_id, actor.request_id, actor.id, actor.kind, actor.edge],
        )
        return [Entry(*row) for row in cursor.fetchall()]


def content() -> dict[str, list[str]]:
    """Every row of every project as text, by table."""
    rows: dict[str, list[str]] = {table: [] for table in CONTENT}
    with connection.cursor() as cursor:
        cursor.execute(f"{_ROWS} ORDER BY 1, 2")
        for table, row in cursor.fetchall():
            rows[table].append(row)
    return rows


def changed_tables(call: Callable[[], object]) -> dict[str, tuple[int, int]]:
    """What a call did: by table, the rows that are gone (or were changed) and those that came."""
    before = content()
    call()
    after = content()
    return {
        table: (len(gone), len(came))
        for table in CONTENT
        if (gone := set(before[table]) - set(after[table]))
        | (came := set(after[table]) - set(before[table]))
    }


@contextmanager
def refused(actor: Actor, error: type[E], *operations: str) -> Iterator[pytest.ExceptionInfo[E]]:
    """The call is refused with this error, changes nothing, and is audited once as a refusal."""
    before = content()
    with pytest.raises(error) as raised:
        yield raised
    assert content() == before
    assert raised.value.is_audited
    code = raised.value.code if raised.value.code != "invalid" else None
    entries = audit_of(actor)
    assert [entry.operation for entry in entries] == list(operations)
    assert {entry.outcome for entry in entries} == {"refused"}
    assert {entry.magnitude for entry in entries} == {0}
    if code is not None:
        assert {entry.code for entry in entries} == {code}
