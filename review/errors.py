"""Refusals that only the console knows."""

from __future__ import annotations

from math import ceil

from memory.errors import DomainError, Kind


class TooManySignIns(DomainError):
    """This name or this address has failed too often; nobody looked at the password."""

    kind, code = Kind.THROTTLED, "too_many_sign_ins"
    message = "Too many attempts. Try again later."

    def __init__(self, retry_after: int) -> None:
        """`retry_after` is in whole seconds, at least one."""
        self.retry_after = retry_after
        super().__init__()

    @property
    def minutes(self) -> int:
        """The wait in whole minutes, rounded up."""
        return ceil(self.retry_after / 60)
