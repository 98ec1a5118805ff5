"""The query of `retrieve`: a string, a text block, or a list of text blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from feedback.rcp.errors import RcpError, option_unsupported
from memory.errors import FieldInvalid
from memory.http.fields import Text

QUERY_BYTES: Final = 8_192

_TEXT: Final = Text(max_bytes=QUERY_BYTES)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for; `unsupported` is told once nothing is malformed."""

    text: str
    unsupported: RcpError | None = None


def query_of(value: Any) -> Query:
    """The query. Raises FieldInvalid.

    A block of another type is never left out: what is asked would be another question.
    """
    if isinstance(value, str):
        return Query(_TEXT.accept(value, "query"))
    blocks = {"query": value} if isinstance(value, dict) else _numbered(value)
    texts = []
    unsupported = None
    for path, block in blocks.items():
        text = _text_of(block, path)
        if text is None:
            unsupported = unsupported or option_unsupported("query", f"{path}.type")
        else:
            texts.append(text)
    if unsupported is not None:
        return Query("", unsupported)
    return Query(_TEXT.accept("\n".join(texts), "query"))


def _numbered(value: Any) -> dict[str, Any]:
    if not isinstance(value, list) or not value:
        raise FieldInvalid("query", "must be a string, a text block or a list of text blocks.")
    return {f"query[{place}]": block for place, block in enumerate(value)}


def _text_of(block: Any, path: str) -> str | None:
    """The text of a block; None if it is of another type."""
    if not isinstance(block, dict):
        raise FieldInvalid(path, "must be a text block.")
    if block.get("uri") is not None:
        raise FieldInvalid(f"{path}.uri", "is not fetched: send the text itself.")
    kind = block.get("type")
    if not isinstance(kind, str):
        raise FieldInvalid(f"{path}.type", "must be a string.")
    if kind != "text":
        return None
    text = block.get("text")
    if not isinstance(text, str):
        raise FieldInvalid(f"{path}.text", "must be a string.")
    return text
