"""Refusals that only HTTP knows. They have codes like any other refusal, and no status."""

from __future__ import annotations

from typing import Final

from memory.errors import DomainError, Kind

_SHOWN_CHARACTERS: Final = 64


def shown(name: str) -> str:
    """A name from a request, fit for a message: bounded, nothing invisible, no quotes."""
    cut = name if len(name) <= _SHOWN_CHARACTERS else name[:_SHOWN_CHARACTERS] + "…"
    return "".join(
        mark if mark.isprintable() and mark not in '"\\' else f"\\u{ord(mark):04x}" for mark in cut
    )


class InvalidBody(DomainError):
    """The bytes or headers are not one acceptable JSON object (`contract.md` 0.2)."""

    kind, code = Kind.INVALID, "invalid_body"

    def __init__(self, message: str) -> None:
        """`message` is a sentence that names the rule, and the field where it is known."""
        self.message = message
        super().__init__()


class PayloadTooLarge(DomainError):
    """The body is longer than 1 MiB."""

    kind, code = Kind.TOO_LARGE, "payload_too_large"
    message = "The body must be at most 1048576 bytes."


class RateLimited(DomainError):
    """Too many calls of one credential, or failed authentications from one address."""

    kind, code = Kind.THROTTLED, "rate_limited"
    message = "Too many calls. Repeat the call later."

    def __init__(self, retry_after: int) -> None:
        """`retry_after` is in whole seconds, at least one."""
        self.retry_after = retry_after
        super().__init__()


class ForeignHost(DomainError):
    """The request was sent to another name than this server's."""

    kind, code = Kind.DENIED, "forbidden"
    message = "The Host header is not allowed."


class ForeignOrigin(DomainError):
    """The request comes from a page of another site."""

    kind, code = Kind.DENIED, "forbidden"
    message = "The Origin header is not allowed."


class UnknownRoute(DomainError):
    """No route has this path."""

    kind, code = Kind.NOT_FOUND, "unknown_route"
    message = "No such route."
