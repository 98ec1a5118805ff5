"""The account that acts at the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.contrib.auth.hashers import make_password

from memory.models import User

if TYPE_CHECKING:
    from uuid import UUID

OPERATOR_NAME: Final = "operator"


def ensure_operator() -> UUID:
    """The id of the operator's account, made the first time; no password ever opens it.

    Takes no actor, since whoever may run it is the one it names. Writes: at most one account.
    """
    account, _ = User.objects.get_or_create(
        username=OPERATOR_NAME, defaults={"password": make_password(None)}
    )
    return account.id
