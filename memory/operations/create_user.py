"""Create an account for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from memory import policies
from memory.errors import AccountExists, FieldInvalid, PasswordWeak
from memory.models import User

if TYPE_CHECKING:
    from memory.actor import Actor


@dataclass(frozen=True, slots=True)
class UserReceipt:
    """The new account."""

    id: UUID
    username: str


def create_user(*, actor: Actor, username: str, password: str) -> UserReceipt:
    """Make an account that can sign in, and may do nothing until a role is granted.

    May: the operator. Refuses: Denied, FieldInvalid (name), PasswordWeak, AccountExists. Writes:
    the account. No audit entry: it belongs to no project, and granting it a role is audited.
    """
    policies.can_operate(actor).require()
    name = User.normalize_username(username)
    try:
        User._meta.get_field("username").clean(name, None)
    except ValidationError:
        raise FieldInvalid("name", "must be 1 to 150 letters, digits and @ . + - _ only.") from None
    try:
        validate_password(password, User(username=name))
    except ValidationError as error:
        raise PasswordWeak(error.messages) from None
    try:
        with transaction.atomic():
            user = User.objects.create_user(name, password=password)
    except IntegrityError:
        raise AccountExists from None
    return UserReceipt(user.id, user.username)
