from __future__ import annotations

import pytest

from memory.models import User
from memory.operations.ensure_operator import OPERATOR_NAME, ensure_operator

pytestmark = pytest.mark.django_db


def test_the_account_is_made_once_and_no_password_opens_it() -> None:
    first = ensure_operator()
    assert ensure_operator() == first
    user = User.objects.get()
    assert (user.id, user.username) == (first, OPERATOR_NAME)
    assert not user.has_usable_password()
    assert not user.is_superuser
