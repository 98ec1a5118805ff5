"""How failed sign-ins are counted: by what, up to where, and how long the waits are.

Rules: `console.md` S1, `assurance.md` 5.2. What was typed is kept as a keyed digest alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final, Self

from django.utils.crypto import salted_hmac

from review.vocabulary import SignInKind

#: The failure in a row after which a wait begins, by name and by address.
NAME_FAILURES: Final = 5
ADDRESS_FAILURES: Final = 20
FIRST_WAIT_SECONDS: Final = 60
DOUBLINGS: Final = 4  # 1, 2, 4 and 8 minutes, then the longest
LONGEST_WAIT_SECONDS: Final = 15 * 60

#: A row in which nothing happened for so long counts no more. At the longest wait somebody gets
#: 96 attempts in that time, so being forgotten never pays.
FORGOTTEN_SECONDS: Final = 24 * 60 * 60
_OWN_NETWORK_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class SignInKeys:
    """What stands for a typed name and for the address that it came from."""

    name: bytes
    address: bytes

    @classmethod
    def of(cls, *, name: str, address: str) -> Self:
        """Digests under the secret key; a new key forgets all waits."""
        return cls(
            name=_digest(SignInKind.NAME, name),
            address=_digest(SignInKind.ADDRESS, network_of(address)),
        )


def network_of(address: str) -> str:
    """Whose address it is: one of IPv4, or the /64 of IPv6, in which anybody has all addresses."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, _OWN_NETWORK_BITS), strict=False))


def _digest(kind: SignInKind, text: str) -> bytes:
    return salted_hmac(f"errata.sign-in.{kind}", text, algorithm="sha256").digest()
