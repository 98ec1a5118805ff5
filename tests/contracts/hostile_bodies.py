"""The table of `assurance.md` 1.3: bytes and headers that no route takes, and what it answers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

NOT_JSON: Final = "The body must be valid JSON, and nothing else."
NOT_FINITE: Final = "Every number must be finite."
TOO_DEEP: Final = "The body must have at most 64 open brackets."
TOO_LONG: Final = "A number must have at most 64 characters."
SURROGATE: Final = "The body must not contain lone surrogates."
NUL_NAME: Final = "The name of a field must not contain NUL."
NO_OBJECT: Final = "The body must be one JSON object."
MEDIA: Final = "The Content-Type must be application/json in UTF-8."
COMPRESSED: Final = "The body must not be compressed."
BOM: Final = "The body must not begin with a byte order mark."
NOT_UTF8: Final = "The body must be UTF-8."
EMPTY: Final = "The body must not be empty."


@dataclass(frozen=True)
class Hostile:
    """What becomes of a valid body, and why it is refused with `invalid_body`."""

    name: str
    message: str
    spoil: Callable[[bytes], bytes] = bytes
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    is_read: bool = False  # it is one JSON object, which the route then refuses


def _with(member: str) -> Callable[[bytes], bytes]:
    """One more member at the end of the object."""

    def spoil(raw: bytes) -> bytes:
        before = raw.rstrip()[:-1]
        comma = b"" if before.strip() == b"{" else b","
        return before + comma + member.encode("utf-8", "surrogatepass") + b"}"

    return spoil


def _instead(raw: bytes) -> Callable[[bytes], bytes]:
    return lambda _: raw


HOSTILE: Final = (
    Hostile("a number that is infinite", NOT_FINITE, _with('"x":1e400')),
    Hostile("a negative one", NOT_FINITE, _with('"x":-1e400')),
    Hostile("NaN", NOT_FINITE, _with('"x":NaN')),
    Hostile("Infinity", NOT_FINITE, _with('"x":-Infinity')),
    Hostile("1,000 nested lists", TOO_DEEP, _with('"x":' + "[" * 1000 + "]" * 1000)),
    Hostile("65 open brackets", TOO_DEEP, _with('"x":' + "[" * 64 + "]" * 64)),
    Hostile("a 4,000-digit integer", TOO_LONG, _with('"x":' + "1" * 4000)),
    Hostile("a 65-digit integer", TOO_LONG, _with('"x":' + "1" * 65)),
    Hostile("a long fraction", TOO_LONG, _with('"x":0.' + "1" * 63)),
    Hostile("the same name twice", 'Field "x" is given twice.', _with('"x":1,"x":1')),
    Hostile("it twice below", 'Field "y" is given twice.', _with('"x":[{"y":1,"y":2}]')),
    Hostile("an unknown name", 'Field "x" is not known here.', _with('"x":1'), is_read=True),
    Hostile("a NUL in a name", NUL_NAME, _with('"x\\u0000":1')),
    Hostile("a NUL in a name below", NUL_NAME, _with('"x":{"\\u0000":1}')),
    Hostile("a lone surrogate", SURROGATE, _with('"x":"\\ud800"')),
    Hostile("a lone low one", SURROGATE, _with('"x":"\\udc00"')),
    Hostile("one in a name", SURROGATE, _with('"\\ud800":1')),
    Hostile("a pair turned round", SURROGATE, _with('"x":"\\udc00\\ud800"')),
    Hostile("a surrogate in bytes", NOT_UTF8, _with('"x":"\ud800"')),
    Hostile("a list", NO_OBJECT, lambda raw: b"[" + raw + b"]"),
    Hostile("a string", NO_OBJECT, lambda raw: json.dumps(raw.decode()).encode()),
    Hostile("a number", NO_OBJECT, _instead(b"1")),
    Hostile("null", NO_OBJECT, _instead(b"null")),
    Hostile("nothing", EMPTY, _instead(b"")),
    Hostile("spaces", EMPTY, _instead(b" \r\n\t")),
    Hostile("two objects", NOT_JSON, lambda raw: raw + raw),
    Hostile("text behind the object", NOT_JSON, lambda raw: raw + b" x"),
    Hostile("a NUL behind the object", NOT_JSON, lambda raw: raw + b"\0"),
    Hostile("half an object", NOT_JSON, lambda raw: raw[:-1]),
    Hostile("a trailing comma", NOT_JSON, _with('"x":1,')),
    Hostile("single quotes", NOT_JSON, _with("'x':1")),
    Hostile("a comment", NOT_JSON, lambda raw: raw + b"// x"),
    Hostile("a line end in a string", NOT_JSON, _with('"x":"\n"')),
    Hostile("a leading zero", NOT_JSON, _with('"x":01')),
    Hostile("a hexadecimal number", NOT_JSON, _with('"x":0x1')),
    Hostile("a form feed between", NOT_JSON, lambda raw: b"\f" + raw),
    Hostile("a byte order mark", BOM, lambda raw: b"\xef\xbb\xbf" + raw),
    Hostile("UTF-16", NOT_UTF8, lambda raw: raw.decode().encode("utf-16")),
    Hostile("UTF-16 without a mark", NOT_JSON, lambda raw: raw.decode().encode("utf-16-le")),
    Hostile("Latin-1", NOT_UTF8, _instead('{"x":"é"}'.encode("latin-1"))),
    Hostile("an overlong slash", NOT_UTF8, _instead(b'{"x":"\xc0\xaf"}')),
    Hostile("charset utf-16", MEDIA, content_type="application/json; charset=utf-16"),
    Hostile("charset utf-7", MEDIA, content_type="application/json; charset=utf-7"),
    Hostile("charset nope", MEDIA, content_type="application/json; charset=nope"),
    Hostile("charset twice", MEDIA, content_type="application/json; charset=utf-8; charset=x"),
    Hostile("another media type", MEDIA, content_type="text/plain"),
    Hostile("a form", MEDIA, content_type="application/x-www-form-urlencoded"),
    Hostile("a form with files", MEDIA, content_type="multipart/form-data; boundary=x"),
    Hostile("no media type", MEDIA, content_type=""),
    Hostile("JSON of another kind", MEDIA, content_type="application/json-patch+json"),
    Hostile("gzip", COMPRESSED, gzip.compress, headers={"Content-Encoding": "gzip"}),
    Hostile("gzip unsaid", NOT_UTF8, gzip.compress),
    Hostile("identity", COMPRESSED, headers={"Content-Encoding": "identity"}),
)

#: Odd, but one acceptable JSON object.
HARMLESS: Final[tuple[tuple[str, Callable[[bytes], bytes], str], ...]] = (
    ("spaces around", lambda raw: b" \r\n\t" + raw + b"\n", "application/json"),
    ("charset utf-8", bytes, "application/json; charset=utf-8"),
    ("charset in capitals and quotes", bytes, 'Application/JSON;Charset="UTF-8"'),
    (
        "escapes",
        lambda raw: json.dumps(json.loads(raw), ensure_ascii=True).encode(),
        "application/json",
    ),
)


def nasty_values(known: str) -> list[Any]:
    """Values that break servers elsewhere."""
    return [
        *(None, True, -1, 0, 10**60, -(2**63), 2**64, 1e308, 5e-324, 0.1),
        *("", " ", "\0", "\u200b", "\U0001f600", "x" * 1025, "é" * 600, "‮x", "%00", "../../etc"),
        *(
            "' OR 1=1 --",
            "'; SELECT pg_sleep(5); --",
            "$$",
            "\\",
            '"',
            "{{7*7}}",
            "%s %(a)s",
            "=cmd()",
        ),
        *("<script>alert(1)</script>", "\x1b[31m", known, known.upper(), f"{{{known}}}", "null"),
        *([], {}, [[]], [{}], {"": ""}, [known] * 30, {"id": known}, [None], {"$ref": "#"}),
    ]
