from __future__ import annotations

import re
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vocabulary import Trust
from review.changes import (
    AT_PROMOTION,
    COMPARED_TOKENS,
    RecordValues,
    compare,
    promoted,
    retraction,
    shown,
    word_difference,
)

RECORD = RecordValues(
    subject="Burundi",
    predicate="has_capital",
    object="Bujumbura",
    statement="The capital of Burundi is Bujumbura.",
    kind="semantic_fact",
    trust=Trust.POLICY_APPROVED,
    confidence=0.9,
    valid_from=datetime(2026, 2, 3, 9, 0, tzinfo=UTC),
)
NOTE = "The capital was moved from Bujumbura to Gitega."


def test_a_correction_lists_every_field_that_changes_and_counts_the_rest() -> None:
    after = promoted(RECORD, proposed_object="Gitega", note=NOTE, trust_cap=Trust.VERIFIED)
    table = compare(RECORD, after)
    removed = {row.name: "".join(p.text for p in row.removed) for row in table.rows}
    added = {row.name: row.added_text for row in table.rows}
    assert removed == {
        "object": "Bujumbura",
        "statement": "The capital of Burundi is Bujumbura.",
        "trust": "policy_approved",
        "valid_from": "2026-02-03 09:00:00 UTC",
    }
    assert added == {
        "object": "Gitega",
        "statement": NOTE,
        "trust": "verified",
        "valid_from": str(AT_PROMOTION),
    }
    assert [field.name for field in table.unchanged] == [
        "subject",
        "predicate",
        "kind",
        "confidence",
    ]
    assert not table.is_retraction


def test_trust_is_never_raised_by_a_promotion() -> None:
    asserted = replace(RECORD, trust=Trust.ASSERTED)
    after = promoted(asserted, proposed_object="x", note="y", trust_cap=Trust.POLICY_APPROVED)
    assert after.trust is Trust.ASSERTED


def test_an_end_of_validity_is_removed_by_a_correction() -> None:
    bounded = replace(RECORD, valid_until=datetime(2027, 1, 1, tzinfo=UTC))
    after = promoted(bounded, proposed_object="x", note="y", trust_cap=Trust.VERIFIED)
    row = next(row for row in compare(bounded, after).rows if row.name == "valid_until")
    assert [piece.text for piece in row.removed] == ["2027-01-01 00:00:00 UTC"]
    assert row.added == ()


def test_a_retraction_strikes_every_value_and_adds_nothing() -> None:
    table = retraction(RECORD)
    assert table.is_retraction
    assert table.unchanged == ()
    assert [row.name for row in table.rows] == [
        "subject",
        "predicate",
        "object",
        "statement",
        "kind",
        "trust",
        "confidence",
        "valid_from",
    ]
    assert all(row.added == () and row.removed[0].is_changed for row in table.rows)
    assert table.added_text.strip() == ""


def test_equal_records_have_no_rows() -> None:
    assert compare(RECORD, RECORD).rows == ()


def test_fields_are_labelled_for_people() -> None:
    table = compare(RECORD, replace(RECORD, object="Gitega"))
    assert str(table.rows[0].label) == "Object"
    assert str(table.unchanged[0].label) == "Subject"


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (0.9, "0.9"), (1.0, "1"), (Trust.VERIFIED, "verified"), ("x ", "x ")],
)
def test_values_are_printed_as_people_read_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_words_that_differ_are_marked_when_most_stay() -> None:
    removed, added = word_difference(
        "The capital of Burundi is Bujumbura.", "The capital of Burundi is Gitega."
    )
    assert [(piece.text, piece.is_changed) for piece in removed] == [
        ("The capital of Burundi is ", False),
        ("Bujumbura", True),
        (".", False),
    ]
    assert [piece.text for piece in added if piece.is_changed] == ["Gitega"]


def test_a_space_between_two_changed_words_does_not_split_them() -> None:
    _removed, added = word_difference("one two three four five", "one two ten eleven five")
    assert [piece.text for piece in added if piece.is_changed] == ["ten eleven"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The capital is Bujumbura.", "It moved."),
        ("a " * COMPARED_TOKENS, "a " * COMPARED_TOKENS + "b"),
    ],
)
def test_texts_with_little_in_common_or_too_long_are_replaced_as_a_whole(
    old: str, new: str
) -> None:
    removed, added = word_difference(old, new)
    assert [piece.is_changed for piece in (*removed, *added)] == [True, True]


@given(st.text(), st.text())
def test_the_pieces_of_a_difference_are_the_texts(old: str, new: str) -> None:
    removed, added = word_difference(old, new)
    assert "".join(piece.text for piece in removed) == old
    assert "".join(piece.text for piece in added) == new


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@given(st.lists(st.sampled_from(["a", "b", " ", ".", "the"]), max_size=40), st.integers(0, 40))
def test_words_shown_as_unchanged_occur_in_the_other_text_in_that_order(
    parts: list[str], at: int
) -> None:
    old, new = "".join(parts), "".join([*parts[:at], " x ", *parts[at:]])
    removed, added = word_difference(old, new)
    for pieces, other in ((removed, new), (added, old)):
        rest = iter(words_of(other))
        kept = [w for piece in pieces if not piece.is_changed for w in words_of(piece.text)]
        assert all(word in rest for word in kept)
    assert "x" in "".join(piece.text for piece in added if piece.is_changed)


def test_the_worst_pair_of_texts_is_compared_quickly() -> None:
    old = " ".join(["a", "b"] * (COMPARED_TOKENS // 4))
    new = " ".join(["b", "a"] * (COMPARED_TOKENS // 4))
    begin = time.perf_counter()
    word_difference(old, new)
    assert time.perf_counter() - begin < 1
