"""Cursors of `retrieve`: the instant of the first page and where a page ended, signed.

Bound by the salt to project, query, filter and options, so a cursor of another search does not
verify. An hour after it was handed out it is of no use.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.core.signing import BadSignature, SignatureExpired, TimestampSigner

from feedback.queries.retrieve import HitPlace
from feedback.rcp.errors import cursor_expired
from memory.errors import FieldInvalid
from memory.http.fields import CURSOR_BYTES
from memory.keys import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

LIFETIME: Final = timedelta(hours=1)

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_RULE: Final = "must be the nextCursor of an earlier page of this search."


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page begins: behind a hit, at the instant of the first page."""

    as_of: datetime
    after: HitPlace


@dataclass(frozen=True, slots=True)
class SearchCursors:
    """The cursors of one search. `search` holds all that its hits depend on."""

    project_id: UUID
    search: Mapping[str, Any]

    def sign(self, start: PageStart) -> str:
        """The cursor of a page."""
        microseconds = (start.as_of - _EPOCH) // _MICROSECOND
        after = start.after
        parts = (after.score, after.relevance, after.supporting)
        numbers = "~".join(repr(part) for part in parts)
        return self._signer().sign(f"{microseconds:x}~{numbers}~{after.record_id.hex}")

    def read(self, cursor: str) -> PageStart:
        """The start of a page. Raises FieldInvalid for a forged cursor, RcpError for an old one."""
        if len(cursor) > CURSOR_BYTES:
            raise FieldInvalid("cursor", _RULE)
        try:
            text = self._signer().unsign(cursor, max_age=LIFETIME)
        except SignatureExpired:
            raise cursor_expired() from None
        except BadSignature:
            raise FieldInvalid("cursor", _RULE) from None
        microseconds, score, relevance, supporting, id_digits = text.split("~")
        after = HitPlace(
            score=float(score),
            relevance=float(relevance),
            supporting=int(supporting),
            record_id=UUID(hex=id_digits),
        )
        return PageStart(_EPOCH + int(microseconds, 16) * _MICROSECOND, after)

    def _signer(self) -> TimestampSigner:
        digest = fingerprint("POST", "rcp:retrieve", self.search).hex()
        return TimestampSigner(sep=".", salt=f"errata.rcp.cursor.1:{self.project_id}:{digest}")
