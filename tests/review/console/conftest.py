"""Where tests of reports and records begin: a browser, a record, two doubts about it."""

from __future__ import annotations

import pytest
from django.test import Client

from feedback.operations.record_report import ReportReceipt
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from tests.factories import a_record, a_report
from tests.review.visitors import visitor


@pytest.fixture
def browser(reviewer: Actor) -> Client:
    """A browser in which the reviewer has signed in."""
    return visitor(reviewer)


@pytest.fixture
def record(agent: Actor) -> AssertedRecord:
    """What an agent believes of a capital."""
    return a_record(
        agent,
        subject="Burundi of the quagga",
        object="Bujumbura",
        statement="The capital of the quagga's Burundi is Bujumbura.",
        data_subject="a quagga",
        confidence=0.9,
    )


@pytest.fixture
def shared(agent: Actor) -> AssertedRecord:
    """The same, but about nobody: packs for anybody may hold it."""
    return a_record(
        agent,
        subject="Burundi of the quagga",
        object="Bujumbura",
        statement="The capital of the quagga's Burundi is Bujumbura, where it meets.",
    )


@pytest.fixture
def correction(agent: Actor, record: AssertedRecord) -> ReportReceipt:
    """A doubt that proposes another capital."""
    note = "The quagga's capital is Gitega now."
    return a_report(agent, record, note=note, proposed_object="Gitega")


@pytest.fixture
def retraction(agent: Actor, record: AssertedRecord) -> ReportReceipt:
    """A doubt that proposes nothing in its place."""
    return a_report(agent, record, note="No quagga was ever there.")
