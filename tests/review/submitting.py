"""Submitting the forms that promote, the way a person meets them."""

from __future__ import annotations

from typing import Any

from django.test import Client

from feedback.operations.record_report import ReportReceipt
from memory.models import Record
from tests.review.pages import Form, Page

LIST = "/p/demo/reports/"


def address(report: ReportReceipt) -> str:
    """The page of a report."""
    return f"{LIST}{report.id}/"


def form_on(browser: Client, report: ReportReceipt) -> Form:
    """The form of a report: on its page, or on the one that asks before a retraction."""
    page = Page(browser.get(address(report)))
    if page.can_promote:
        return page.promotion
    return Page(browser.get(page.links["Retract this record"])).promotion


def submit(browser: Client, form: Form, then: str = "next", **changed: str) -> Any:
    """Press one of the two buttons, with some fields sent otherwise than drawn."""
    return browser.post(form.action, {**form.hidden, "then": then, **changed})


def changes() -> int:
    """How many records were closed."""
    return Record.objects.exclude(status="current").count()
