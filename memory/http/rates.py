"""How many calls a minute: counted in the memory of one process, bounded, by a steady clock.

Rule: `contract.md` 0.8 and 0.9. The defaults only stop run-away loops. A burst is one second's
share, so a key that was quiet for a second is as good as new and can be forgotten.
"""

from __future__ import annotations

import time
from collections import deque
from math import ceil
from threading import Lock
from typing import TYPE_CHECKING, Final

from django.conf import settings

from memory.http.errors import RateLimited
from memory.vocabulary import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from uuid import UUID

_KEYS: Final = 16_384
_BURST_SECONDS: Final = 1.0
_ROUNDING: Final = 1e-6
AUDITED_A_MINUTE: Final = 60


class Rate:
    """A rate per key. Remembers one number a key: when all that was taken will be paid back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._paid_back: dict[Hashable, float] = {}
        self._lock = Lock()

    def take(self, key: Hashable, per_minute: int) -> int:
        """Take one call: 0, or after how many whole seconds to come back. Rate 0 is no limit."""
        if per_minute <= 0:
            return 0
        interval = 60.0 / per_minute
        with self._lock:
            now = self._clock()
            paid_back = max(self._paid_back.get(key, now), now) + interval
            wait = paid_back - now - max(_BURST_SECONDS, interval)
            if wait > _ROUNDING:
                return max(1, ceil(wait))
            self._paid_back[key] = paid_back
            if len(self._paid_back) > _KEYS:
                self._forget(now)
            return 0

    def _forget(self, now: float) -> None:
        """Drop keys that owe nothing; should all owe, the older half, which favours them."""
        owing = {key: until for key, until in self._paid_back.items() if until > now}
        if len(owing) > _KEYS // 2:
            owing = dict(list(owing.items())[-_KEYS // 2 :])
        self._paid_back = owing


class AuditBudget:
    """At most so many audited 401 and 429 a minute; what was left out is counted, not lost."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._written: deque[float] = deque(maxlen=AUDITED_A_MINUTE)
        self._left_out: dict[Hashable, int] = {}
        self._lock = Lock()

    def admit(self, key: Hashable) -> int | None:
        """How many of this key's refusals were left out since its last entry; None: leave it out.

        The key is project and code, so that no project's entry counts another's refusals.
        """
        with self._lock:
            now = self._clock()
            is_spent = len(self._written) == AUDITED_A_MINUTE and now - self._written[0] < 60.0
            if is_spent:
                self._left_out[key] = self._left_out.get(key, 0) + 1
                return None
            self._written.append(now)
            return self._left_out.pop(key, 0)


#: The limits of this process.
reads: Final = Rate()
writes: Final = Rate()
failed_authentications: Final = Rate()
audited_refusals: Final = AuditBudget()


def take_call(credential_id: UUID, access: Access) -> None:
    """Count one call of a credential. Raises RateLimited."""
    if access is Access.READ_WRITE:
        wait = writes.take(credential_id, settings.WRITES_PER_MINUTE)
    else:
        wait = reads.take(credential_id, settings.READS_PER_MINUTE)
    if wait:
        raise RateLimited(wait)
