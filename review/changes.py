"""Pure: what a promotion, a correction or a retraction would change of a record, as table rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from django.utils.translation import gettext_lazy as _

from memory.vocabulary import Trust

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

#: Texts with more tokens, or less in common, are shown as replaced altogether: a speckled
#: difference is harder to read than two sentences, and the comparison is quadratic.
COMPARED_TOKENS: Final = 400
COMMON_SHARE: Final = 0.5

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

#: In place of a time that is only known when it happens.
AT_PROMOTION: Final = _("the moment you promote")

LABELS: Final[dict[str, StrPromise]] = {
    "subject": _("Subject"),
    "predicate": _("Predicate"),
    "object": _("Object"),
    "statement": _("Statement"),
    "kind": _("Kind"),
    "trust": _("Trust"),
    "confidence": _("Confidence"),
    "status": _("Status"),
    "about": _("About"),
    "valid_from": _("Valid from"),
    "valid_until": _("Valid until"),
    "known_from": _("Known from"),
    "known_until": _("Known until"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordValues:
    """The values of a record that a person decides by. None is "nothing said" and is not shown."""

    subject: str
    predicate: str
    object: str
    statement: str
    kind: str
    trust: Trust
    confidence: float
    about: str | None = None
    status: str | None = None
    valid_from: datetime | StrPromise | None = None
    valid_until: datetime | None = None
    known_from: datetime | None = None
    known_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a value, and whether the other side lacks it."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One field that changes. An empty side means that there is no value there."""

    name: str
    removed: tuple[Piece, ...]
    added: tuple[Piece, ...]

    @property
    def label(self) -> StrPromise:
        """The field's name for people."""
        return LABELS[self.name]

    @property
    def added_text(self) -> str:
        """The added value as a whole."""
        return "".join(piece.text for piece in self.added)


@dataclass(frozen=True, slots=True)
class UnchangedField:
    """A field that stays as it is."""

    name: str
    text: str

    @property
    def label(self) -> StrPromise:
        """The field's name for people."""
        return LABELS[self.name]


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """All fields that change, in the order of RecordValues, and those that stay."""

    rows: tuple[ChangeRow, ...]
    unchanged: tuple[UnchangedField, ...] = ()
    is_retraction: bool = False

    @property
    def added_text(self) -> str:
        """All that is added, so that its characters can be looked at together."""
        return "\n".join(row.added_text for row in self.rows)


def promoted(
    before: RecordValues, *, proposed_object: str, note: str, trust_cap: Trust
) -> RecordValues:
    """What a promotion makes of a record: the note becomes the statement (`contract.md` 1.2)."""
    return replace(
        before,
        object=proposed_object,
        statement=note,
        trust=min(before.trust, trust_cap),
        valid_from=AT_PROMOTION,
        valid_until=None,
    )


def compare(before: RecordValues, after: RecordValues) -> ChangeTable:
    """The fields in which two states of a record differ, and those in which they agree."""
    rows, unchanged = [], []
    for field in fields(RecordValues):
        old = shown(getattr(before, field.name))
        new = shown(getattr(after, field.name))
        if old == new:
            if new:
                unchanged.append(UnchangedField(field.name, new))
        else:
            rows.append(ChangeRow(field.name, *word_difference(old, new)))
    return ChangeTable(tuple(rows), tuple(unchanged))


def retraction(before: RecordValues) -> ChangeTable:
    """A record struck as a whole: every field is removed and nothing is added."""
    values = ((field.name, shown(getattr(before, field.name))) for field in fields(RecordValues))
    rows = tuple(ChangeRow(name, _whole(text), ()) for name, text in values if text)
    return ChangeTable(rows, is_retraction=True)


def shown(value: object) -> str:
    """A value as the table prints it; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, Trust):
        return str(value.label)
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def word_difference(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Both texts in pieces. Joined again, each side is exactly its text."""
    if not (old and new):
        return _whole(old), _whole(new)
    olds, news = _TOKEN.findall(old), _TOKEN.findall(new)
    if max(len(olds), len(news)) > COMPARED_TOKENS:
        return _whole(old), _whole(new)
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    common = [(a, b, size) for a, b, size in matcher.get_matching_blocks() if size]
    words = sum(_words(olds[a : a + size]) for a, _b, size in common)
    if words < COMMON_SHARE * max(_words(olds), _words(news)):
        return _whole(old), _whole(new)
    return (
        _pieces(olds, [(a, size) for a, _b, size in common]),
        _pieces(news, [(b, size) for _a, b, size in common]),
    )


def _whole(text: str) -> tuple[Piece, ...]:
    return (Piece(text, is_changed=True),) if text else ()


def _words(tokens: list[str]) -> int:
    return sum(token[0].isalnum() for token in tokens)


def _pieces(tokens: list[str], kept: list[tuple[int, int]]) -> tuple[Piece, ...]:
    """Tokens joined to pieces; a kept stretch without a word between two changes joins them."""
    pieces: list[Piece] = []
    position = 0
    for start, size in [*kept, (len(tokens), 0)]:
        if start > position:
            _append(pieces, Piece("".join(tokens[position:start]), is_changed=True))
        stretch = tokens[start : start + size]
        position = start + size
        is_bridge = bool(pieces) and position < len(tokens) and not _words(stretch)
        if stretch:
            _append(pieces, Piece("".join(stretch), is_changed=is_bridge))
    return tuple(pieces)


def _append(pieces: list[Piece], piece: Piece) -> None:
    """Add a piece, or lengthen the last one when both are changed or both are kept."""
    if pieces and pieces[-1].is_changed == piece.is_changed:
        pieces[-1] = Piece(pieces[-1].text + piece.text, is_changed=piece.is_changed)
    else:
        pieces.append(piece)
