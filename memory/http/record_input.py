"""A record as it is sent: the fields of an assertion, shared by load files (`contract.md` 1.1)."""

from __future__ import annotations

from typing import Any

from memory.http.fields import CanonicalUUID, Choice, StrictNumber, Text, Timestamp
from memory.http.serializers import InputSerializer
from memory.operations.assert_records import RecordDraft
from memory.operations.record_rows import Origin
from memory.vocabulary import (
    OBJECT_BYTES,
    PREDICATE_BYTES,
    PREDICATE_PATTERN,
    SOURCE_ID_CHARACTERS,
    SOURCE_REF_CHARACTERS,
    SOURCE_TYPE_CHARACTERS,
    STATEMENT_BYTES,
    SUBJECT_BYTES,
    RecordKind,
)


class SourceInput(InputSerializer):
    """Where a record says that it comes from."""

    type = Text(max_characters=SOURCE_TYPE_CHARACTERS)
    ref = Text(max_characters=SOURCE_REF_CHARACTERS, required=False)
    id = Text(max_characters=SOURCE_ID_CHARACTERS, required=False)


class RecordContentInput(InputSerializer):
    """What a record says, apart from its key."""

    subject = Text(max_bytes=SUBJECT_BYTES)
    object = Text(max_bytes=OBJECT_BYTES)
    predicate = Text(max_bytes=PREDICATE_BYTES, pattern=PREDICATE_PATTERN)
    statement = Text(max_bytes=STATEMENT_BYTES)
    data_subject_id = Text(max_bytes=SUBJECT_BYTES, required=False)
    valid_from = Timestamp(required=False)
    valid_until = Timestamp(required=False)
    kind = Choice(RecordKind, default=RecordKind.SEMANTIC_FACT)
    confidence = StrictNumber(above=0, maximum=1, default=1.0)
    source = SourceInput(required=False)  # type: ignore[assignment]  # DRF has that name too


class RecordKeyInput(InputSerializer):
    """The key that stands for one record."""

    idempotency_key = CanonicalUUID()


class RecordInput(RecordKeyInput, RecordContentInput):
    """A record to be asserted, its key first: faults are told in the order of the contract."""


def draft_of(values: dict[str, Any]) -> RecordDraft:
    """The draft of accepted values."""
    source = values["source"]
    return RecordDraft(
        subject=values["subject"],
        predicate=values["predicate"],
        object=values["object"],
        statement=values["statement"],
        idempotency_key=values.get("idempotency_key"),
        data_subject=values["data_subject_id"],
        valid_from=values["valid_from"],
        valid_until=values["valid_until"],
        kind=values["kind"],
        confidence=float(values["confidence"]),
        origin=None if source is None else Origin(source["type"], source["ref"], source["id"]),
    )
