"""Keyed digests of one project: what stands for a text where the text itself may not be kept."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Digester:
    """HMAC-SHA-256 under a project's own key; each purpose has a domain of its own."""

    key: bytes = field(repr=False)

    def digest(self, purpose: str, *parts: str) -> bytes:
        """32 bytes; parts are length-prefixed, so no two lists of parts collide."""
        mac = hmac.new(self.key, digestmod=hashlib.sha256)
        for part in (purpose, *parts):
            raw = part.encode()
            mac.update(len(raw).to_bytes(8, "big") + raw)
        return mac.digest()

    def subject_id(self, name: str) -> UUID:
        """The id of a data subject: known without asking, guessable by nobody outside."""
        return UUID(bytes=self.digest("subject", name)[:16], version=5)
