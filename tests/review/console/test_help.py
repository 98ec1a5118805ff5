"""The help and the list of keys (S4)."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from review.console import keys
from review.screens import KeyHint
from tests.factories import a_report
from tests.review.pages import Page
from tests.review.situations import suspected
from tests.review.visitors import entries_of, visitor
from tests.statements import watched

HELP, KEYS = "/help/", "/help/keys/"


def opened(client: Client, path: str) -> Page:
    page = Page(client.get(path))
    assert page.status == 200
    return page


def test_the_help_explains_words_roles_utility_and_audit(browser: Client) -> None:
    page = opened(browser, HELP)
    assert page.title == "Help · Errata"
    for text in (
        "Promote To decide that a report is right. It happens at most once",
        "reviewer All that; and reports doubts, and promotes reports.",
        "score = confidence \u00d7 (0.45 \u00d7 relevance + 0.20 \u00d7 trust + "
        "0.15 \u00d7 recency + 0.10 \u00d7 utility + 0.10 \u00d7 conflict)",
        "With fewer than three counted outcomes it is 0.5.",
        "utility = (net + 1) ÷ 2, net = (positive \u2212 negative) ÷ total",
        "Used and useful are positive; irrelevant, incorrect and harmful are negative.",
        "Three useful outcomes and one incorrect one give a net of 0.5 and a utility of 0.75.",
        "Every call and every page with content: reads, changes and refusals.",
    ):
        assert text in page.text
    assert page.links["All keys"] == KEYS


@pytest.mark.parametrize(
    ("setting", "default"),
    [
        ("one_vote_per_run", "off"),
        ("minimum_actors", "1"),
        ("signals_in_utility", "off"),
        ("integrity_quorum", "2"),
    ],
)
def test_each_setting_says_what_it_protects_from_and_its_default(
    browser: Client, setting: str, default: str
) -> None:
    [row] = [row for row in opened(browser, HELP).rows() if row.startswith(setting)]
    assert "Protects from" in row
    assert row.endswith(f" {default}")


def test_the_keys_page_holds_every_key_that_a_page_hints_at(
    browser: Client, agent: Actor, owner: Actor, auditor: Actor, record: AssertedRecord
) -> None:
    item = suspected(record, agent, owner)
    page = opened(browser, KEYS)
    assert page.title == "Keyboard shortcuts · Errata"
    listed = set(re.findall(r'<kbd class="key">(.+?)</kbd>', page.html))
    assert {"?", "g q", "g i", "g a", "p", "[", "]", "u"} <= listed
    for name, group in vars(keys).items():
        if name.endswith("_KEYS") and name != "ROW_KEYS":
            assert all(isinstance(hint, KeyHint) and hint.keys in listed for hint in group)
    report = a_report(agent, record)
    record_page = f"/p/demo/records/{record.id}/"
    for path in (
        "/p/demo/reports/",
        f"/p/demo/reports/{report.id}/",
        record_page,
        f"{record_page}report/",
        f"{record_page}signals/",
        "/p/demo/integrity/",
        f"/p/demo/integrity/{item}/",
    ):
        assert opened(browser, path).hinted_keys <= listed
    assert opened(visitor(auditor), "/p/demo/audit/").hinted_keys <= listed
    assert page.links["Help"] == HELP


def test_every_page_of_somebody_signed_in_leads_to_both(
    browser: Client, nobody: Actor, record: AssertedRecord
) -> None:
    pages = [opened(browser, f"/p/demo/records/{record.id}/"), Page(browser.get("/nowhere/"))]
    pages += [opened(visitor(nobody), path) for path in ("/projects/", HELP, KEYS)]
    for page in pages:
        assert page.links["Help"] == HELP
        assert page.links["Keyboard shortcuts"] == KEYS
        assert 'data-key="?"' in page.html
    assert "Help" not in opened(Client(), "/sign-in/").links


def test_the_keys_page_says_whether_they_are_on(browser: Client) -> None:
    assert "They are switched on." in opened(browser, KEYS).text
    browser.cookies["errata_preferences"] = "system.comfortable.none"
    assert "They are switched off." in opened(browser, KEYS).text


@pytest.mark.parametrize("path", [HELP, KEYS])
def test_the_help_costs_four_statements_and_writes_no_entry(
    browser: Client, reviewer: Actor, path: str
) -> None:
    with watched() as statements:
        opened(browser, path)
    assert len(statements) <= 4, str(statements)
    assert entries_of(reviewer) == []
