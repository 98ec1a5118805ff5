"""Reports that were there before they carried what lists show of their record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from feedback.models import Report
from tests.factories import MARKER, a_record, a_report
from tests.flushing import let_truncate
from tests.invariants import assert_invariants
from tests.review.situations import correct, promote, retract

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_the_way_back_and_forth_again_leaves_them_as_they_were(agent: Actor) -> None:
    a_report(agent, a_record(agent, statement=f"{MARKER} " * 100), reporter_subject="a herder")
    promote(agent, a_report(agent, proposed_object=f"{MARKER}").id)
    promote(agent, a_report(agent).id)
    for close in (correct, retract):
        record = a_record(agent)
        a_report(agent, record)
        close(agent, record)
        a_report(agent, record)
    before = list(Report.objects.order_by("id").values())
    assert len(before) == 7
    call_command("migrate", "feedback", "0006", verbosity=0)
    call_command("migrate", "feedback", verbosity=0)
    let_truncate()
    assert list(Report.objects.order_by("id").values()) == before
    assert_invariants()
