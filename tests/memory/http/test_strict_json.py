"""The table of hostile bodies, headers, limits; and agreement with `json` on what is valid."""

from __future__ import annotations

import gc
import json
import time
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import RequestFactory
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from memory.http.errors import InvalidBody, PayloadTooLarge
from memory.http.strict_json import (
    BODY_BYTES,
    parse_object,
    parse_value,
    read_body,
    read_object,
    refuse_headers,
)

NAMES_TWICE = 'Field "{}" is given twice.'
NOT_JSON = "The body must be valid JSON, and nothing else."
NOT_FINITE = "Every number must be finite."
LONG_NUMBER = "A number must have at most 64 characters."
TOO_DEEP = "The body must have at most 64 open brackets."
TOO_MANY = "The body must have at most 32768 commas between values."
SURROGATE = "The body must not contain lone surrogates."
NUL_NAME = "The name of a field must not contain NUL."

HOSTILE: list[tuple[str, bytes, str]] = [
    ("empty", b"", "The body must not be empty."),
    ("spaces only", b" \r\n\t ", "The body must not be empty."),
    ("a byte order mark", b"\xef\xbb\xbf{}", "The body must not begin with a byte order mark."),
    ("invalid utf-8", b'{"a":"\xff"}', "The body must be UTF-8."),
    ("overlong utf-8", b'{"a":"\xc0\xaf"}', "The body must be UTF-8."),
    ("a surrogate in utf-8", b'{"a":"\xed\xa0\x80"}', "The body must be UTF-8."),
    ("utf-16", '{"a":1}'.encode("utf-16-le"), NOT_JSON),
    ("no json", b"hello", NOT_JSON),
    ("two objects", b"{}{}", NOT_JSON),
    ("text behind", b"{} x", NOT_JSON),
    ("a NUL behind", b"{}\0", NOT_JSON),
    ("a trailing comma", b'{"a":1,}', NOT_JSON),
    ("single quotes", b"{'a':1}", NOT_JSON),
    ("a raw newline in a string", b'{"a":"\n"}', NOT_JSON),
    ("a raw NUL in a string", b'{"a":"\0"}', NOT_JSON),
    ("an unknown escape", b'{"a":"\\x41"}', NOT_JSON),
    ("a no-break space between", "{\u00a0}".encode(), NOT_JSON),
    ("a leading zero", b'{"a":01}', NOT_JSON),
    ("full-width digits", '{"a":\uff12\uff10}'.encode(), NOT_JSON),
    ("a list", b"[]", "The body must be one JSON object."),
    ("a string", b'"{}"', "The body must be one JSON object."),
    ("a number", b"1", "The body must be one JSON object."),
    ("null", b"null", "The body must be one JSON object."),
    ("a name twice", b'{"a":1,"b":2,"a":1}', NAMES_TWICE.format("a")),
    ("a name twice, once escaped", b'{"a":1,"\\u0061":1}', NAMES_TWICE.format("a")),
    ("a name twice, deep", b'{"x":[{"y":{"b":1,"b":null}}]}', NAMES_TWICE.format("b")),
    ("the empty name twice", b'{"":1,"":2}', NAMES_TWICE.format("")),
    ("1e400", b'{"reward":1e400}', NOT_FINITE),
    ("-1E+400", b'{"reward":-1E+400}', NOT_FINITE),
    ("NaN", b'{"reward":NaN}', NOT_FINITE),
    ("Infinity", b'{"reward":Infinity}', NOT_FINITE),
    ("-Infinity", b'{"reward":[-Infinity]}', NOT_FINITE),
    ("65 digits", b'{"a":' + b"1" * 65 + b"}", LONG_NUMBER),
    ("4,000 digits", b'{"a":' + b"1" * 4000 + b"}", LONG_NUMBER),
    ("5,000 digits", b'{"a":' + b"1" * 5000 + b"}", LONG_NUMBER),
    ("65 characters of a fraction", b'{"a":0.' + b"1" * 63 + b"}", LONG_NUMBER),
    ("65 characters of an exponent", b'{"a":1e' + b"0" * 62 + b"1}", LONG_NUMBER),
    ("65 brackets", b'{"a":' + b"[" * 64 + b"]" * 64 + b"}", TOO_DEEP),
    ("65 brackets of both kinds", b'{"a":[' * 32 + b"{}" + b"]}" * 32, TOO_DEEP),
    ("1,000 brackets", b"[" * 1000 + b"]" * 1000, TOO_DEEP),
    ("100,000 brackets", b"[" * 20_000, TOO_DEEP),
    ("a deep body behind strings", b'["\\"[", "\\\\", ' + b"[" * 64 + b"]" * 64 + b"]", TOO_DEEP),
    ("32,769 commas", b"[" + b"1," * 32_769 + b"1]", TOO_MANY),
    ("32,769 commas below", b'{"a":' + b'"1",' * 32_769 + b"1}", TOO_MANY),
    ("closing brackets only", b"[]," * 70 + b"]", NOT_JSON),
    ("too many lists", b"[" + b"[]," * 40_000 + b"[]]", "The body must hold at most 32768 lists"),
    ("a lone high surrogate", b'{"a":"\\ud800"}', SURROGATE),
    ("a lone low surrogate", b'{"a":"\\uDC00"}', SURROGATE),
    ("surrogates in the wrong order", b'{"a":"\\udc00\\ud800"}', SURROGATE),
    ("two high surrogates", b'{"a":"\\ud83d\\ud83d\\ude00"}', SURROGATE),
    ("two low surrogates", b'{"a":"\\ud83d\\ude00\\ude00"}', SURROGATE),
    ("a surrogate pair with a backslash between", b'{"a":"\\ud83d\\\\\\ude00"}', SURROGATE),
    ("a lone surrogate in a name", b'{"\\ud800":1}', SURROGATE),
    ("a lone surrogate deep down", b'{"a":[{"b":["\\ud83dx"]}]}', SURROGATE),
    ("a NUL in a name", b'{"a\\u0000":1}', NUL_NAME),
    ("a NUL in a name, deep", b'{"a":[{"\\u0000":1}]}', NUL_NAME),
]


@pytest.mark.parametrize(
    ("raw", "message"), [pytest.param(raw, rule, id=name) for name, raw, rule in HOSTILE]
)
def test_hostile_bodies_are_refused_with_their_rule(raw: bytes, message: str) -> None:
    with pytest.raises(InvalidBody) as refused:
        parse_object(raw)

    assert refused.value.message.startswith(message)


ACCEPTED: list[tuple[bytes, Any]] = [
    (b"{}", {}),
    (b' \r\n\t{"a": 1}\n', {"a": 1}),
    (b'{"a":"\\ud83d\\ude00"}', {"a": "😀"}),
    (b'{"a":"\\\\ud800"}', {"a": "\\ud800"}),
    (b'{"a":"\\u0000"}', {"a": "\0"}),
    (b'{"a":1e308}', {"a": 1e308}),
    (b'{"a":1e-400}', {"a": 0.0}),
    (b'{"a":' + b"1" * 64 + b"}", {"a": int("1" * 64)}),
    (b'{"a":"' + b"1" * 70 + b'"}', {"a": "1" * 70}),
    (b'{"a":"1e400"}', {"a": "1e400"}),
    (b'{"a":20.0,"b":2}', {"a": 20.0, "b": 2}),
    (b'{"a":' + b"[" * 63 + b"]" * 63 + b"}", {"a": json.loads("[" * 63 + "]" * 63)}),
    (b'{"a":"' + b"[{" * 100 + b'"}', {"a": "[{" * 100}),
    (b'{"a":"' + b'\\"[' * 100 + b'"}', {"a": '"[' * 100}),
    (b'{"a":"' + b"," * 40_000 + b'"}', {"a": "," * 40_000}),
    (b'{"a":[' + b"1," * 32_768 + b"1]}", {"a": [1] * 32_769}),
    (b'{"a":"' + b"\\\\[" * 100 + b'"}', {"a": "\\[" * 100}),
    ('{"a":"\ufeff\ufffe\u202e"}'.encode(), {"a": "\ufeff\ufffe\u202e"}),
    ('{"a":"\ue000 \U000e0041"}'.encode(), {"a": "\ue000 \U000e0041"}),
    ('{"é":"e\u0301"}'.encode(), {"é": "e\u0301"}),
]


@pytest.mark.parametrize(("raw", "value"), ACCEPTED)
def test_everything_else_is_taken_as_it_is(raw: bytes, value: Any) -> None:
    assert parse_object(raw) == value


def test_integers_and_floats_keep_their_kind() -> None:
    kinds = [type(value) for value in parse_value(b"[1, 1.0, 1e2, -0, true]")]

    assert kinds == [int, float, float, int, bool]


def test_lists_and_scalars_are_values_for_other_edges() -> None:
    assert parse_value(b"[]") == []
    assert parse_value(b'"x"') == "x"
    assert parse_value(b"null") is None


def test_a_name_from_the_body_is_shown_bounded_and_visible() -> None:
    name = 'a"\u202e' + "x" * 100
    body = "{" + ",".join([json.dumps(name) + ":1"] * 2) + "}"

    with pytest.raises(InvalidBody) as refused:
        parse_object(body.encode())

    assert refused.value.message == f'Field "a\\u0022\\u202e{"x" * 61}…" is given twice.'


def test_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    body = b'{"a":"' + b"x" * (BODY_BYTES - 8) + b'"}'

    assert len(parse_object(body)["a"]) == BODY_BYTES - 8
    with pytest.raises(PayloadTooLarge):
        parse_object(body + b" ")


def _full(unit: bytes) -> bytes:
    count = (BODY_BYTES - 8) // len(unit)
    return b'{"a":[' + unit * (count - 1) + unit[:-1] + b"]}"


LARGE = {
    "objects": _full(b"{},"),
    "lists": _full(b"[],"),
    "objects with a name": _full(b'{"":0},'),
    "objects with two names": _full(b'{"a":1,"b":2},'),
    "integers": _full(b"1,"),
    "fractions": _full(b"1.5,"),
    "small exponents": _full(b"1e9,"),
    "large exponents": _full(b"1e200,"),
    "empty strings": _full(b'"",'),
    "brackets in strings": _full(b'"[",'),
    "escapes": _full(b'"\\u00e9",'),
    "escaped NULs": _full(b'"\\u0000",'),
    "surrogate pairs": _full(b'"\\ud83d\\ude00",'),
    "nests": _full(b"[" * 57 + b"]" * 57 + b","),
    "backslashes": b'{"a":"' + b"\\\\" * (BODY_BYTES // 2 - 4) + b'"}',
    "open brackets": b"[" * BODY_BYTES,
    "quotes": b'"' * BODY_BYTES,
    "one number": b"1" * BODY_BYTES,
    "names": b"{" + b",".join(b'"%x":1' % number for number in range(100_000)) + b"}",
}


@pytest.mark.parametrize("kind", LARGE)
def test_no_mebibyte_takes_long(kind: str) -> None:
    gc.freeze()  # what the other tests have made is not collected meanwhile
    began = time.thread_time()
    with suppress(InvalidBody):
        parse_value(LARGE[kind])
    took = time.thread_time() - began
    gc.unfreeze()

    assert took < 0.5, took  # a tenth of it on an idle machine


def _request(body: bytes = b"{}", **headers: str | None) -> HttpRequest:
    request = RequestFactory().generic("POST", "/v1/x", body, content_type="application/json")
    for name, value in headers.items():
        if value is None:
            request.META.pop(name, None)
        else:
            request.META[name] = value
    return request


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        'application/json; charset="utf-8"',
    ],
)
def test_json_in_utf8_is_the_one_media_type(content_type: str) -> None:
    request = _request(CONTENT_TYPE=content_type)

    refuse_headers(request)

    assert read_object(request) == {}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "text/json",
        "application/json-rpc",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/json; charset=utf-7",
        "application/json; charset=nope",
        "application/json; charset=utf-8; charset=utf-16",
        "application/json; profile=x",
        "application/json,application/json",
        "application/json; charset=\uff35TF-8",
    ],
)
def test_any_other_media_type_is_refused(content_type: str | None) -> None:
    with pytest.raises(InvalidBody) as refused:
        refuse_headers(_request(CONTENT_TYPE=content_type))

    assert refused.value.message == "The Content-Type must be application/json in UTF-8."


@pytest.mark.parametrize("encoding", ["gzip", "br", "identity", "x"])
def test_a_compressed_body_is_refused(encoding: str) -> None:
    with pytest.raises(InvalidBody) as refused:
        refuse_headers(_request(HTTP_CONTENT_ENCODING=encoding))

    assert refused.value.message == "The body must not be compressed."


@pytest.mark.parametrize("length", [None, "", "-1", "+2", "0x2", "2 ", "two", "\uff12"])
def test_a_body_without_a_length_is_refused(length: str | None) -> None:
    with pytest.raises(InvalidBody) as refused:
        refuse_headers(_request(CONTENT_LENGTH=length))

    assert refused.value.message == "The request must have a Content-Length."


@pytest.mark.parametrize("length", [str(BODY_BYTES + 1), "9" * 19, "9" * 5000])
def test_a_declared_length_above_the_limit_is_refused_first(length: str) -> None:
    with pytest.raises(PayloadTooLarge):
        refuse_headers(_request(CONTENT_LENGTH=length, CONTENT_TYPE="text/plain"))


def test_a_declared_length_of_the_limit_is_let_pass() -> None:
    refuse_headers(_request(CONTENT_LENGTH=f"000{BODY_BYTES}"))


def test_no_more_is_read_than_was_announced() -> None:
    request = _request(b'{"a":1}   {"b":2}', CONTENT_LENGTH="7")

    assert read_body(request) == b'{"a":1}'


def test_a_body_that_ends_early_is_refused() -> None:
    request = _request(b'{"a":1}', CONTENT_LENGTH="9")

    with pytest.raises(InvalidBody) as refused:
        read_body(request)

    assert refused.value.message == "The body ended early."


def test_a_client_that_goes_away_is_refused() -> None:
    class Gone(BytesIO):
        @override
        def read(self, _: int | None = -1, /) -> bytes:
            raise ConnectionResetError

    request = _request()
    request._stream = Gone()

    with pytest.raises(InvalidBody):
        read_body(request)


_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**60), 10**60),
    st.floats(allow_nan=False, allow_infinity=False),
    _texts,
)
_values = st.recursive(
    _scalars,
    lambda v: st.lists(v, max_size=5) | st.dictionaries(_names, v, max_size=5),
    max_leaves=40,
)


@given(st.dictionaries(_names, _values, max_size=6), st.booleans(), st.sampled_from([None, 1]))
def test_what_json_writes_is_read_back(value: Any, is_ascii: bool, indent: int | None) -> None:  # noqa: FBT001
    raw = json.dumps(value, ensure_ascii=is_ascii, indent=indent).encode()

    assert parse_object(raw) == value == json.loads(raw)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_refusal(raw: bytes) -> None:
    try:
        value = parse_value(raw)
    except InvalidBody:
        return
    assert value == json.loads(raw)


@given(st.dictionaries(_names, _values, min_size=1, max_size=4), st.data())
def test_damaged_json_is_a_value_or_a_refusal(value: Any, data: st.DataObject) -> None:
    raw = bytearray(json.dumps(value, ensure_ascii=False).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] = data.draw(st.sampled_from(b'[]{}",:\\0eE\x00\xff'))
    try:
        parse_value(bytes(raw))
    except InvalidBody:
        return
    json.loads(bytes(raw))
