"""Bytes and headers of a request to one JSON value: exactly as sent, or refused with a reason.

`parse_object` and `parse_value` are pure and serve every edge; `read_body` and `read_object` look
at the headers first. Rules: `contract.md` 0.2, `assurance.md` 1.2 and 1.3. Not in the documents:
a body holds at most 32,768 lists and objects and as many commas between values, so that 1 MiB of
brackets, of names or of numbers costs milliseconds.
"""

from __future__ import annotations

import re
from collections import Counter
from json import JSONDecodeError, JSONDecoder
from math import isinf
from typing import TYPE_CHECKING, Any, Final, NoReturn

from django.http import UnreadablePostError

from memory.http.errors import InvalidBody, PayloadTooLarge, shown

if TYPE_CHECKING:
    from django.http import HttpRequest

BODY_BYTES: Final = 1_048_576
OPEN_BRACKETS: Final = 64
CONTAINERS: Final = 32_768
COMMAS: Final = 32_768
NUMBER_CHARACTERS: Final = 64

_MEDIA_TYPE: Final = re.compile(
    r'application/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?', re.IGNORECASE | re.ASCII
)
_LENGTH: Final = re.compile(r"0*([0-9]{1,20})[0-9]*", re.ASCII)

#: Everything but quotes, commas and brackets, to be deleted; `{}` becomes `[]` in the same pass.
_NO_STRUCTURE: Final = bytes(byte for byte in range(256) if byte not in b'",[]{}')
_ONE_BRACKET: Final = bytes.maketrans(b"{}", b"[]")
#: Characters of numbers become `0`, all others a space.
_NUMBERS: Final = bytes(48 if byte in b"0123456789+-.eE" else 32 for byte in range(256))
_LONG_NUMBER: Final = b"0" * (NUMBER_CHARACTERS + 1)
#: What only a careful decoder may meet: a NUL written as an escape, a three-digit exponent.
_SUSPECT: Final = re.compile(rb"\\u0000|[eE]\+?[0-9]{3}")
_LONE_SURROGATE: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)


def parse_object(raw: bytes) -> dict[str, Any]:
    """The one JSON object that the bytes are. Raises InvalidBody, PayloadTooLarge."""
    value = parse_value(raw)
    if not isinstance(value, dict):
        raise InvalidBody("The body must be one JSON object.")
    return value


def parse_value(raw: bytes) -> Any:
    """The one JSON value that the bytes are. Raises InvalidBody, PayloadTooLarge."""
    if len(raw) > BODY_BYTES:
        raise PayloadTooLarge
    text = _decode(raw)
    _refuse_structure(raw)
    if b"\\u" in raw and _LONE_SURROGATE.search(raw.replace(b"\\\\", b"--")):
        raise InvalidBody("The body must not contain lone surrogates.")
    decoder = _CAREFUL if _SUSPECT.search(raw) or _has_long_number(raw) else _PLAIN
    try:
        return decoder.decode(text)
    except JSONDecodeError:
        raise InvalidBody("The body must be valid JSON, and nothing else.") from None


def read_object(request: HttpRequest) -> dict[str, Any]:
    """The JSON object in the body of a request whose headers were accepted."""
    return parse_object(read_body(request))


def refuse_headers(request: HttpRequest) -> None:
    """Refuse a body by what the headers say about it, before a byte is read: size comes first."""
    headers = request.META
    length = _LENGTH.fullmatch(str(headers.get("CONTENT_LENGTH") or ""))
    if length is None:
        raise InvalidBody("The request must have a Content-Length.")
    if int(length[1]) > BODY_BYTES:
        raise PayloadTooLarge
    if headers.get("HTTP_CONTENT_ENCODING"):
        raise InvalidBody("The body must not be compressed.")
    if not _MEDIA_TYPE.fullmatch(str(headers.get("CONTENT_TYPE") or "")):
        raise InvalidBody("The Content-Type must be application/json in UTF-8.")


def read_body(request: HttpRequest) -> bytes:
    """The bytes of the body: as many as announced, counted while reading."""
    announced = int(request.META["CONTENT_LENGTH"])
    try:
        raw = request.read(announced)
    except (UnreadablePostError, OSError):
        raise InvalidBody("The body ended early.") from None
    if len(raw) != announced:
        raise InvalidBody("The body ended early.")
    return raw


def _decode(raw: bytes) -> str:
    if not raw.strip(b" \t\r\n"):
        raise InvalidBody("The body must not be empty.")
    if raw.startswith(b"\xef\xbb\xbf"):
        raise InvalidBody("The body must not begin with a byte order mark.")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidBody("The body must be UTF-8.") from None


def _refuse_structure(raw: bytes) -> None:
    """Count brackets outside of strings, without parsing: the decoder recurses, this does not."""
    if raw.count(b"[") + raw.count(b"{") <= OPEN_BRACKETS and raw.count(b",") <= COMMAS:
        return
    marks = raw.replace(b"\\\\", b"").replace(b'\\"', b"").translate(_ONE_BRACKET, _NO_STRUCTURE)
    brackets = b"".join(marks.split(b'"')[::2])
    if brackets.count(b"[") > CONTAINERS:
        raise InvalidBody(f"The body must hold at most {CONTAINERS} lists and objects.")
    if brackets.count(b",") > COMMAS:
        raise InvalidBody(f"The body must have at most {COMMAS} commas between values.")
    brackets = brackets.replace(b",", b"")
    for _ in range(OPEN_BRACKETS):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"")
    if b"[" in brackets:
        raise InvalidBody(f"The body must have at most {OPEN_BRACKETS} open brackets.")


def _has_long_number(raw: bytes) -> bool:
    return _LONG_NUMBER in raw.translate(_NUMBERS)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise InvalidBody(f'Field "{shown(twice)}" is given twice.')
    return members


def _careful_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if any("\0" in name for name, _ in pairs):
        raise InvalidBody("The name of a field must not contain NUL.")
    return _object(pairs)


def _careful_integer(token: str) -> int:
    if len(token) > NUMBER_CHARACTERS:
        _refuse_long()
    return int(token)


def _careful_float(token: str) -> float:
    number = float(token)
    if len(token) > NUMBER_CHARACTERS:
        _refuse_long()
    if isinf(number):
        _refuse_constant(token)
    return number


def _refuse_long() -> NoReturn:
    raise InvalidBody(f"A number must have at most {NUMBER_CHARACTERS} characters.")


def _refuse_constant(_: str) -> NoReturn:
    raise InvalidBody("Every number must be finite.")


_PLAIN: Final = JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse_constant)
_CAREFUL: Final = JSONDecoder(
    object_pairs_hook=_careful_object,
    parse_constant=_refuse_constant,
    parse_int=_careful_integer,
    parse_float=_careful_float,
)
