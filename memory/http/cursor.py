"""Cursors: the place where the next page starts, signed for one project, route and filter set.

Opaque to clients. Signed with the secret key (the fallback keys verify too), so a place is never
taken from a client's hand; bound by the salt, so a cursor of another list does not verify.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from json import JSONEncoder
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from django.core.signing import BadSignature, Signer

from memory.errors import FieldInvalid
from memory.http.fields import CURSOR_BYTES, CURSOR_RULE
from memory.paging import Seek

if TYPE_CHECKING:
    from collections.abc import Mapping

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_encode: Final = JSONEncoder(sort_keys=True, default=str).encode


@dataclass(frozen=True, slots=True)
class CursorScope:
    """The list that a cursor belongs to. `filters` holds what narrows and orders it."""

    project_id: UUID
    route: str
    filters: Mapping[str, Any]

    def sign(self, place: Seek | None) -> str | None:
        """The cursor of a place, None at the end of the list."""
        if place is None:
            return None
        microseconds = (place.recorded_at - _EPOCH) // _MICROSECOND
        return self._signer().sign(f"{microseconds:x}~{place.id.hex}")

    def read(self, cursor: str | None, field: str = "after") -> Seek | None:
        """The place of a cursor, None without one. Raises FieldInvalid for any other text."""
        if cursor is None:
            return None
        if len(cursor) > CURSOR_BYTES:
            raise FieldInvalid(field, CURSOR_RULE)
        try:
            microseconds, id_digits = self._signer().unsign(cursor).split("~")
        except BadSignature:
            raise FieldInvalid(field, CURSOR_RULE) from None
        time = _EPOCH + int(microseconds, 16) * _MICROSECOND
        return Seek(time, UUID(hex=id_digits))

    def _signer(self) -> Signer:
        filters = _encode(dict(self.filters)).encode()
        salt = f"errata.cursor.1:{self.project_id}:{self.route}:{sha256(filters).hexdigest()}"
        return Signer(sep=".", salt=salt)
