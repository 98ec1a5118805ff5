"""Row security can be switched on without touching a caller (`assurance.md` 5.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.valid_calls import ALL, Route, a_body, route

if TYPE_CHECKING:
    from memory.actor import Actor
    from tests.wire import InProcess

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("at", ALL, ids=str)
def test_every_call_is_answered_under_row_security(
    at: Route, call: InProcess, agent: Actor, with_row_security: list[str]
) -> None:
    assert "feedback_report" in with_row_security
    assert at.send(call, a_body(at, agent)).status == at.made


def test_a_decided_report_is_refused_under_row_security(
    call: InProcess, agent: Actor, with_row_security: list[str]
) -> None:
    assert "feedback_report" in with_row_security
    promotion = route("feedback:report-promote")
    values = a_body(promotion, agent)
    assert promotion.send(call, values).status == 200
    assert promotion.send(call, values).refusal == (409, "feedback_already_promoted")
