"""Reporting doubts the way a person does: by the form of a record."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.test import Client

from memory.operations.assert_records import AssertedRecord
from tests.review.pages import Form, Page

NOTE = "The quagga's capital is Gitega now."


def record_page(record: AssertedRecord | UUID, tab: str = "") -> str:
    """A tab of a record."""
    return f"/p/demo/records/{getattr(record, 'id', record)}/{tab}"


def address(record: AssertedRecord | UUID) -> str:
    """Where the form stands."""
    return record_page(record, "report/")


def form_on(browser: Client, record: AssertedRecord, query: str = "") -> Form:
    """The form about a record, as it is drawn now."""
    form = Page(browser.get(address(record) + query)).form_to(address(record))
    assert form is not None
    return form


def submit(browser: Client, form: Form, **typed: str) -> Any:
    """Send it; a note is typed unless told otherwise."""
    return browser.post(form.action, {**form.hidden, "note": NOTE, "proposed_object": "", **typed})
