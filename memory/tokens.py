"""The form of an API token: made, checked for typing errors, taken apart. No database, no clock.

`errata_`, 8 characters public id, `_`, 43 characters secret, 6 characters checksum. The checksum
lets scanners find leaked tokens and lets an edge refuse a typing error without asking the database.
Rule: `assurance.md` 5.1.
"""

from __future__ import annotations

import re
import secrets
from hashlib import sha256
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Final
from zlib import crc32

_ALPHABET: Final = digits + ascii_uppercase + ascii_lowercase
_PUBLIC_ID_CHARACTERS: Final = 8
_SECRET_CHARACTERS: Final = 43  # 62 ** 43 is just above 2 ** 256
_CHECKSUM_CHARACTERS: Final = 6
_FORM: Final = re.compile(r"errata_([0-9A-Za-z]{8})_[0-9A-Za-z]{49}", re.ASCII)

#: What a look-up that found nothing is compared with, so that it takes as long as any other.
DUMMY_DIGEST: Final = bytes(32)


def new_token() -> str:
    """A fresh token with 256 random bits."""
    public_id = "".join(secrets.choice(_ALPHABET) for _ in range(_PUBLIC_ID_CHARACTERS))
    secret = _in_base62(secrets.randbits(256), _SECRET_CHARACTERS)
    body = f"errata_{public_id}_{secret}"
    return body + _checksum_of(body)


def public_id_of(token: str) -> str | None:
    """The public id of a well-formed token whose checksum is right, else None."""
    match = _FORM.fullmatch(token)
    if match is None:
        return None
    body, checksum = token[:-_CHECKSUM_CHARACTERS], token[-_CHECKSUM_CHARACTERS:]
    return match[1] if checksum == _checksum_of(body) else None


def digest_of(token: str) -> bytes:
    """What is stored of a token: 256 random bits need no slow hash."""
    return sha256(token.encode("ascii")).digest()


def _checksum_of(body: str) -> str:
    return _in_base62(crc32(body.encode("ascii")), _CHECKSUM_CHARACTERS)


def _in_base62(number: int, width: int) -> str:
    """`number` in base 62, padded with zeros on the left to `width` characters."""
    characters = []
    for _ in range(width):
        number, digit = divmod(number, 62)
        characters.append(_ALPHABET[digit])
    return "".join(reversed(characters))
