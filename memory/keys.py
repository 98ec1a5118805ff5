"""An idempotency key as an edge hands it to an operation. Pure.

Rule: `contract.md` 0.6. The same key with the same method, route and body is a repetition; with
anything else it is a conflict. Bodies are compared by fingerprint, so that no text is kept.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class IdempotencyRequest:
    """The key a client sent, the route it came by and the fingerprint of the whole call."""

    key: str
    route: str
    fingerprint: bytes


def fingerprint(
    method: str, route: str, body: Any, place: Mapping[str, Any] | None = None
) -> bytes:
    """SHA-256 over method, route name, the ids in the path (`place`) and the canonical body.

    Canonical: names sorted, names with `null` left out at every level (absent = `null`), integral
    numbers without a fraction, no spaces, UTF-8.
    """
    call = [method, route, {name: str(value) for name, value in (place or {}).items()}, body]
    canonical = json.dumps(
        _canonical(call), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return sha256(canonical.encode()).digest()


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _canonical(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_canonical(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
