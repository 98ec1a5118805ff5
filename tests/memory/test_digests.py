"""Keyed digests: the same for the same, different for anything else, nothing without the key."""

from __future__ import annotations

from memory.digests import Digester

ONE, OTHER = Digester(b"1" * 32), Digester(b"2" * 32)


def test_equal_parts_under_one_key_are_equal() -> None:
    assert ONE.digest("origin", "a", "b") == ONE.digest("origin", "a", "b")
    assert len(ONE.digest("origin")) == 32


def test_key_purpose_and_borders_of_parts_all_count() -> None:
    digests = {
        ONE.digest("origin", "a", "b"),
        OTHER.digest("origin", "a", "b"),
        ONE.digest("subject", "a", "b"),
        ONE.digest("origin", "ab"),
        ONE.digest("origin", "a", "b", ""),
        ONE.digest("origin", "", "ab"),
        ONE.digest("origina", "b"),
        ONE.digest("origin", "A", "b"),
        ONE.digest("origin", "á", "b"),
        ONE.digest("origin", "a\u0301", "b"),
    }
    assert len(digests) == 10


def test_the_id_of_a_subject_is_a_uuid_of_its_name() -> None:
    id_ = ONE.subject_id("a herder")
    assert id_ == ONE.subject_id("a herder") != OTHER.subject_id("a herder")
    assert id_.version == 5


def test_the_key_is_not_shown() -> None:
    assert "111" not in repr(ONE)
