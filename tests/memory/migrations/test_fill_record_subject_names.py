"""Records that were there before they carried the name of the person that they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.management import call_command

from memory.models import Record
from tests.factories import MARKER, a_record
from tests.flushing import let_truncate
from tests.invariants import assert_invariants
from tests.review.situations import correct, retract

if TYPE_CHECKING:
    from memory.actor import Actor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_the_way_back_and_forth_again_leaves_them_as_they_were(
    agent: Actor, outsider: Actor
) -> None:
    for actor in (agent, outsider):
        a_record(actor)
        a_record(actor, data_subject=f"{MARKER} herder")
        correct(actor, a_record(actor, data_subject=f"{MARKER} rider"))
        retract(actor, a_record(actor, data_subject=f"{MARKER} herder"))
    before = list(Record.objects.order_by("id").values())
    assert len([row for row in before if row["data_subject_name"]]) == 8
    call_command("migrate", "memory", "0012", verbosity=0)
    call_command("migrate", "memory", verbosity=0)
    let_truncate()
    assert list(Record.objects.order_by("id").values()) == before
    assert_invariants()
