"""Forget the failures of a name after a success, and give the attempt back to its address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.db import Error, connection

from memory.constraints import refusal_of
from review.operations.sign_in_rows import FORGOTTEN_SECONDS

if TYPE_CHECKING:
    from review.operations.sign_in_rows import SignInKeys

_SWEPT_ROWS: Final = 100

#: Address before name, as a claim locks them. The wait of an address was set by the very attempt
#: that succeeded, for nothing gets past a wait. Forgotten rows go too, unless somebody holds them.
_CLEAR: Final = """
WITH address AS (
  UPDATE review_signinwait SET failures = greatest(failures - 1, 0), locked_until = NULL
  WHERE kind = 'address' AND digest = %(address)s
  RETURNING id
), forgotten AS (
  SELECT id FROM review_signinwait
  WHERE updated_at < statement_timestamp() - %(forgotten)s * interval '1 second'
  ORDER BY updated_at LIMIT %(swept)s FOR UPDATE SKIP LOCKED
)
DELETE FROM review_signinwait
WHERE (SELECT count(*) FROM address) >= 0
  AND id IN (SELECT id FROM review_signinwait WHERE kind = 'name' AND digest = %(name)s
             UNION ALL SELECT id FROM forgotten)
"""


def clear_sign_in(*, keys: SignInKeys) -> None:
    """Take back what `claim_sign_in` counted in advance, for a password that was right.

    May: whoever just proved who they are. Refuses: Unavailable. Writes: the row of the address,
    and deletes that of the name, one statement; no audit entry.
    """
    parameters: dict[str, Any] = {
        "address": keys.address,
        "name": keys.name,
        "forgotten": FORGOTTEN_SECONDS,
        "swept": _SWEPT_ROWS,
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute(_CLEAR, parameters)
    except Error as error:
        refusal = refusal_of(error)
        if refusal is None:
            raise
        raise refusal from error
