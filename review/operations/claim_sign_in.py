"""Claim one attempt to sign in, before anybody looks at the password."""

from __future__ import annotations

from math import ceil
from typing import Any, Final
from uuid import uuid4

from django.db import Error, connection

from memory.constraints import refusal_of
from review.errors import TooManySignIns
from review.operations.sign_in_rows import (
    ADDRESS_FAILURES,
    DOUBLINGS,
    FIRST_WAIT_SECONDS,
    FORGOTTEN_SECONDS,
    LONGEST_WAIT_SECONDS,
    NAME_FAILURES,
    SignInKeys,
)

#: The attempt counts as a failure in advance: parallel guesses queue at the two rows, and only as
#: many as are free get through. A row that waits is left as it is and yields nothing. From an
#: address that waits the name is not even reached, so that nobody is locked out from there.
_CLAIM: Final = """
WITH address AS (
  INSERT INTO review_signinwait AS w (id, kind, digest, failures, updated_at)
  VALUES (%(address_id)s, 'address', %(address)s, 1, statement_timestamp())
  ON CONFLICT (kind, digest) DO UPDATE SET (failures, locked_until, updated_at) = (
    SELECT n, CASE WHEN n >= %(address_failures)s THEN statement_timestamp()
        + least(%(first)s * 2 ^ least(n - %(address_failures)s, %(doublings)s), %(longest)s)
        * interval '1 second' END, statement_timestamp()
    FROM (SELECT CASE WHEN w.updated_at > statement_timestamp() - %(forgotten)s
                      * interval '1 second' THEN w.failures + 1 ELSE 1 END) AS counted(n))
  WHERE w.locked_until IS NULL OR w.locked_until <= statement_timestamp()
  RETURNING w.id
), name AS (
  INSERT INTO review_signinwait AS w (id, kind, digest, failures, updated_at)
  SELECT %(name_id)s, 'name', %(name)s, 1, statement_timestamp() FROM address
  ON CONFLICT (kind, digest) DO UPDATE SET (failures, locked_until, updated_at) = (
    SELECT n, CASE WHEN n >= %(name_failures)s THEN statement_timestamp()
        + least(%(first)s * 2 ^ least(n - %(name_failures)s, %(doublings)s), %(longest)s)
        * interval '1 second' END, statement_timestamp()
    FROM (SELECT CASE WHEN w.updated_at > statement_timestamp() - %(forgotten)s
                      * interval '1 second' THEN w.failures + 1 ELSE 1 END) AS counted(n))
  WHERE w.locked_until IS NULL OR w.locked_until <= statement_timestamp()
  RETURNING w.id
)
SELECT EXISTS (SELECT FROM name)
"""

_WAIT: Final = """
SELECT extract(epoch FROM max(locked_until) - statement_timestamp())
FROM review_signinwait
WHERE (kind = 'address' AND digest = %(address)s) OR (kind = 'name' AND digest = %(name)s)
"""


def claim_sign_in(*, keys: SignInKeys) -> None:
    """Let one attempt through, or say how long to wait.

    May: anybody; there is no actor yet. Refuses: TooManySignIns, Unavailable. Writes: the rows of
    address and name, in that order, one statement; no audit entry, since nobody is known and no
    project is named. An attempt at a name that waits still counts for its address.
    """
    limits: dict[str, Any] = {
        "address_failures": ADDRESS_FAILURES,
        "name_failures": NAME_FAILURES,
        "first": FIRST_WAIT_SECONDS,
        "doublings": DOUBLINGS,
        "longest": LONGEST_WAIT_SECONDS,
        "forgotten": FORGOTTEN_SECONDS,
    }
    rows: dict[str, Any] = {
        "address": keys.address,
        "name": keys.name,
        "address_id": uuid4(),
        "name_id": uuid4(),
    }
    try:
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM, {**limits, **rows})
            (is_through,) = cursor.fetchone()
            if is_through:
                return
            cursor.execute(_WAIT, rows)
            (seconds,) = cursor.fetchone()
    except Error as error:
        refusal = refusal_of(error)
        if refusal is None:
            raise
        raise refusal from error
    raise TooManySignIns(max(1, ceil(seconds or 0)))
