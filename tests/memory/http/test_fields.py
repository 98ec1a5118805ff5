"""Fields: what each accepts, what it refuses and with which words; limits in bytes."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.errors import FieldInvalid
from memory.http.fields import (
    NOT_BLANK,
    CanonicalUUID,
    Choice,
    Constant,
    Cursor,
    StrictBoolean,
    StrictInteger,
    StrictNumber,
    Text,
    Timestamp,
    TrustLevel,
    is_blank,
    page_limit,
    plain_number,
    time_text,
)
from memory.http.strict_field import StrictField
from memory.vocabulary import PREDICATE_PATTERN, RecordStatus, Trust

ID = "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"


def _refused(field: StrictField, value: Any) -> str:
    with pytest.raises(FieldInvalid) as refused:
        field.accept(value, "records[2].x")
    assert refused.value.field == "records[2].x"
    assert refused.value.message == f'Field "records[2].x" {refused.value.rule}'
    return refused.value.rule


CHARACTERS = {"a": 1, "é": 2, "e\u0301": 3, "文": 3, "😀": 4}


@pytest.mark.parametrize("limit", [1024, 16_384])
@pytest.mark.parametrize(("character", "width"), CHARACTERS.items())
def test_the_byte_limit_is_exact(character: str, width: int, limit: int) -> None:
    field = Text(max_bytes=limit)
    count, rest = divmod(limit, width)
    exact = character * count + "x" * rest

    assert len(exact.encode()) == limit
    assert field.accept(exact, "x") == exact
    assert _refused(field, exact + "x") == f"must be 1 to {limit} bytes."
    assert _refused(field, character * count + character) == f"must be 1 to {limit} bytes."


@pytest.mark.parametrize("character", ["a", "é", "文", "😀"])
def test_the_character_limit_counts_code_points(character: str) -> None:
    field = Text(max_characters=64)

    assert field.accept(character * 64, "x") == character * 64
    assert _refused(field, character * 65) == "must be 1 to 64 characters."


@pytest.mark.parametrize(
    "text",
    [
        "  x  ",
        "\tx\n",
        "x\r\ny",
        "\ufeffx",
        "e\u0301",
        "é",
        "\u202ex",
        "\ufffe\ue000",
        "x\U000e0041",
    ],
    ids=ascii,
)
def test_text_is_kept_as_it_is(text: str) -> None:
    assert Text(max_bytes=64).accept(text, "x").encode() == text.encode()


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "\t\r\n",
        "\u00a0",
        "\u200b",
        "\u2060",
        "\ufeff",
        "\u2028\u2029",
        "\u3000 \u200b\u00ad",
        "\x7f\x85",
    ],
    ids=ascii,
)
def test_blank_text_is_refused(text: str) -> None:
    assert is_blank(text)
    assert _refused(Text(max_bytes=64), text) == "must not be blank."


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("", "must be 1 to 8 bytes."),
        ("123456789", "must be 1 to 8 bytes."),
        ("a\0b", "must not contain NUL."),
        (5, "must be a string."),
        (True, "must be a string."),
        (["a"], "must be a string."),
        ({"a": "b"}, "must be a string."),
    ],
    ids=ascii,
)
def test_other_values_are_no_text(value: Any, rule: str) -> None:
    assert _refused(Text(max_bytes=8), value) == rule


@pytest.mark.parametrize("name", ["a", "has_capital", "a1_"], ids=ascii)
def test_text_of_a_form_is_accepted(name: str) -> None:
    assert Text(max_bytes=128, pattern=PREDICATE_PATTERN).accept(name, "x") == name


@pytest.mark.parametrize(
    "name", ["A", "1a", "_a", "has-capital", "a ", "a\n", "ä", "a\u0661"], ids=ascii
)
def test_text_of_another_form_is_refused(name: str) -> None:
    rule = _refused(Text(max_bytes=128, pattern=PREDICATE_PATTERN), name)

    assert rule == "must have the form [a-z][a-z0-9_]*."


def test_the_published_pattern_of_text_is_the_rule_on_the_basic_plane() -> None:
    pattern = re.compile(NOT_BLANK)
    points = [point for point in range(1, 0x10000) if not 0xD800 <= point <= 0xDFFF]

    differing = [p for p in points if bool(pattern.match(chr(p))) == is_blank(chr(p))]

    assert differing == []
    assert not pattern.match("a\0b")


@given(st.text(min_size=1, max_size=30))
def test_text_is_accepted_unchanged_or_refused(text: str) -> None:
    has_substance = any(unicodedata.category(c)[0] not in "ZC" for c in text)
    try:
        assert Text(max_bytes=1024).accept(text, "x") == text
    except FieldInvalid:
        assert not has_substance or "\0" in text


def test_a_canonical_uuid_is_accepted() -> None:
    assert CanonicalUUID().accept(ID, "x") == UUID(ID)


@pytest.mark.parametrize(
    "value",
    [
        "zz",
        "",
        5,
        True,
        1.0,
        [ID],
        ID.upper(),
        ID.replace("-", ""),
        f"{{{ID}}}",
        f"urn:uuid:{ID}",
        f" {ID}",
        f"{ID}\n",
        ID.replace("0", "\uff10"),
        ID.replace("-", "\u2010"),
        "00000000-0000-0000-0000-000000000000",
    ],
    ids=ascii,
)
def test_other_spellings_of_ids_are_refused(value: Any) -> None:
    assert _refused(CanonicalUUID(), value) == "must be a canonical UUID."


@pytest.mark.parametrize("value", [1, 20, 100], ids=ascii)
def test_an_integer_in_range_is_accepted(value: int) -> None:
    assert page_limit().accept(value, "x") == value


@pytest.mark.parametrize(
    "value", ["20", 20.0, 1e1, "20.0", "\uff12\uff10", 0, 101, -1, True, [20], 10**63], ids=ascii
)
def test_an_integer_is_never_coerced_or_clamped(value: Any) -> None:
    assert _refused(page_limit(), value) == "must be an integer from 1 to 100."


def test_an_integer_without_a_maximum_says_so() -> None:
    assert StrictInteger(minimum=0).accept(10**30, "x") == 10**30
    assert _refused(StrictInteger(minimum=0), -1) == "must be an integer from 0."


@pytest.mark.parametrize("value", [1, 1.0, 0.5, 5e-324], ids=ascii)
def test_a_number_in_range_is_accepted(value: float) -> None:
    accepted = StrictNumber(above=0, maximum=1).accept(value, "x")

    assert accepted == value
    assert isinstance(accepted, float)


@pytest.mark.parametrize(
    "value", [0, 0.0, -0.0, 1.0000001, -1, "1", True, None, [1], 10**63], ids=ascii
)
def test_other_values_are_no_number(value: Any) -> None:
    rule = _refused(StrictNumber(above=0, maximum=1), value)

    assert rule == "must be a number above 0 and at most 1."


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")], ids=ascii)
def test_no_number_is_infinite(value: float) -> None:
    assert _refused(StrictNumber(), value) == "must be a number."


def test_a_number_may_have_a_lower_bound_that_belongs_to_it() -> None:
    field = StrictNumber(minimum=-1, maximum=1)

    assert field.accept(-1, "x") == -1.0
    assert _refused(field, -1.5) == "must be a number at least -1 and at most 1."


@pytest.mark.parametrize("value", [True, False], ids=ascii)
def test_a_boolean_is_accepted(value: bool) -> None:  # noqa: FBT001
    assert StrictBoolean().accept(value, "x") is value


@pytest.mark.parametrize("value", ["yes", "off", "true", 1, 0, 1.0, [], {}], ids=ascii)
def test_a_boolean_is_never_coerced(value: Any) -> None:
    assert _refused(StrictBoolean(), value) == "must be true or false."


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-30T18:03:11Z", datetime(2026, 11, 30, 18, 3, 11, tzinfo=UTC)),
        ("2026-11-30T18:03:11.204518Z", datetime(2026, 11, 30, 18, 3, 11, 204518, tzinfo=UTC)),
        ("2026-11-30T18:03:11.2Z", datetime(2026, 11, 30, 18, 3, 11, 200000, tzinfo=UTC)),
        ("2026-11-30T18:03:11+02:00", datetime(2026, 11, 30, 16, 3, 11, tzinfo=UTC)),
        ("2026-11-30T18:03:11-23:59", datetime(2026, 12, 1, 18, 2, 11, tzinfo=UTC)),
        ("2026-11-30t18:03:11z", datetime(2026, 11, 30, 18, 3, 11, tzinfo=UTC)),
        ("2024-02-29T00:00:00Z", datetime(2024, 2, 29, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999Z", datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)),
    ],
)
def test_a_time_with_an_offset_is_accepted_in_utc(text: str, time: datetime) -> None:
    accepted = Timestamp().accept(text, "x")

    assert accepted == time
    assert accepted.tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-30T18:03:11",
        "2026-11-30",
        "18:03:11Z",
        "2026-11-30T18:03Z",
        "2026-11-30 18:03:11Z",
        "2026-11-30T18:03:11.2045181Z",
        "2026-11-30T18:03:11.Z",
        "2026-11-30T18:03:11,5Z",
        "2026-11-30T18:03:60Z",
        "2026-11-30T24:00:00Z",
        "2026-11-30T18:60:00Z",
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "10000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2026-11-30T18:03:11+24:00",
        "2026-11-30T18:03:11+02:60",
        "2026-11-30T18:03:11+0200",
        "2026-11-30T18:03:11+02",
        "2026-11-30T18:03:11+02:00:00",
        "20261130T180311Z",
        "2026-W49-1T18:03:11Z",
        " 2026-11-30T18:03:11Z",
        "2026-11-30T18:03:11Z\n",
        "\uff12026-11-30T18:03:11Z",
        1764525791,
        True,
    ],
    ids=ascii,
)
def test_other_times_are_refused(value: Any) -> None:
    rule = _refused(Timestamp(), value)

    assert rule == "must be an RFC 3339 time with an offset and at most 6 fraction digits."


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (datetime(2026, 11, 30, 18, 3, 11, tzinfo=UTC), "2026-11-30T18:03:11.000000Z"),
        (
            datetime(2026, 11, 30, 18, 3, 11, 204518, tzinfo=timezone(timedelta(hours=2))),
            "2026-11-30T16:03:11.204518Z",
        ),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000000Z"),
    ],
)
def test_a_time_is_sent_in_utc_with_six_digits(time: datetime, text: str) -> None:
    assert time_text(time) == text
    assert Timestamp().to_representation(time) == text


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-3, minutes=-30))])))
def test_what_is_sent_as_a_time_is_accepted_as_the_same(time: datetime) -> None:
    try:
        text = time_text(time)
    except OverflowError:
        return
    assert Timestamp().accept(text, "x") == time


def test_a_choice_is_spelled_exactly() -> None:
    field = Choice(RecordStatus)

    assert field.accept("current", "x") is RecordStatus.CURRENT
    for value in ("Current", "current ", "", 1, ["current"], None):
        assert _refused(field, value) == "must be one of: current, superseded, retracted."


def test_a_choice_is_shown_to_the_generator_as_plain_text() -> None:
    shown = Choice(RecordStatus).to_representation(RecordStatus.CURRENT)

    assert type(shown) is str
    assert shown == "current"


def test_trust_goes_by_its_names() -> None:
    field = TrustLevel()

    assert field.accept("verified", "x") is Trust.VERIFIED
    assert field.to_representation(Trust.VERIFIED) == "verified"
    assert field.to_representation(2) == "verified"
    for value in (2, "Verified", "unverified", ["verified"]):
        assert _refused(field, value).startswith("must be one of: untrusted, asserted")


def test_a_cursor_is_a_bounded_string() -> None:
    field = Cursor()

    assert field.accept("x" * 512, "x") == "x" * 512
    for value in ("", "x" * 513, "x" * 10_000, 5, {"v": 1}):
        assert _refused(field, value) == "must be the cursor of an earlier page of this list."


@pytest.mark.parametrize(
    ("number", "sent"), [(1.0, "1"), (0.9, "0.9"), (1, "1"), (-2.0, "-2")], ids=ascii
)
def test_integral_numbers_are_sent_without_a_fraction(number: float, sent: str) -> None:
    assert repr(plain_number(number)) == sent


@pytest.mark.parametrize("text", ["0", "7", "-3", "100"], ids=ascii)
def test_an_integer_in_a_query_is_canonical_digits(text: str) -> None:
    assert StrictInteger(minimum=-9).from_query(text, "x") == int(text)


@pytest.mark.parametrize(
    "text", ["", "07", "+7", "7.0", " 7", "\uff17", "-0", "1" * 65, "7\n"], ids=ascii
)
def test_other_digits_in_a_query_are_refused(text: str) -> None:
    with pytest.raises(FieldInvalid):
        StrictInteger(minimum=0).from_query(text, "x")


def test_a_boolean_in_a_query_is_spelled_as_in_json() -> None:
    assert StrictBoolean().from_query("true", "x") is True
    assert StrictBoolean().from_query("false", "x") is False
    with pytest.raises(FieldInvalid):
        StrictBoolean().from_query("1", "x")


def test_text_in_a_query_is_itself() -> None:
    assert Text(max_bytes=8).from_query("7", "x") == "7"


def test_a_field_must_say_what_it_accepts_and_is() -> None:
    with pytest.raises(NotImplementedError):
        StrictField().accept(1, "x")
    with pytest.raises(NotImplementedError):
        StrictField().describe()


def test_a_constant_describes_its_one_value() -> None:
    assert Constant(value=None).allow_null
    assert Constant(value=None).describe() == {"type": "string", "enum": []}
    assert not Constant(value=True).allow_null
    assert Constant(value=True).describe() == {"type": "boolean", "enum": [True]}
