from __future__ import annotations

from dataclasses import replace

import pytest

from memory.actor import Actor
from memory.vocabulary import Trust
from review.console.drawing.promotion import button_value, change_table
from review.queries.report import read_report
from review.vocabulary import QueueView
from tests.factories import a_report, fresh


@pytest.mark.parametrize(
    ("persona", "trust"),
    [("reviewer", "verified"), ("owner", None), ("reader", "verified")],
)
def test_trust_sinks_to_the_cap_of_who_promotes(
    request: pytest.FixtureRequest, agent: Actor, persona: str, trust: str | None
) -> None:
    actor = request.getfixturevalue(persona)
    report = a_report(agent, proposed_object="Gitega")
    reading = read_report(
        actor=fresh(actor),
        report_id=report.id,
        view=QueueView.OPEN,
        order=QueueView.OPEN.order,
    )
    approved = replace(reading.record, trust=Trust.POLICY_APPROVED)
    rows = change_table(reading.report, approved, actor).rows
    added = {row.name: row.added_text for row in rows}
    assert added.get("trust") == trust
    assert added["object"] == "Gitega"
    assert added["statement"] == reading.report.note


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x" * 40, "x" * 40), ("x" * 41, "x" * 40 + "…"), ("漢" * 41, "漢" * 40 + "…")],
)
def test_an_object_is_cut_for_a_button_after_40_characters(text: str, shown: str) -> None:
    assert button_value(text) == shown
