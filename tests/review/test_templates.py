"""What holds for every template, drawn with made-up screens."""

from __future__ import annotations

import gzip
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client
from typing_extensions import override

from review.console.components import components_screen
from review.console.runs import ITEMS
from review.screens import Screen
from tests.review.samples import screens
from tests.review.samples.integrity import items
from tests.review.samples.integrity import row as item_row
from tests.review.samples.others import sign_in
from tests.review.samples.parts import FORM_KEY, HOSTILE, VERSION, report_row
from tests.review.samples.reports import (
    closed_report,
    conflict,
    queue,
    report,
    retraction_report,
)
from tests.review.samples.runs import item, list_row, run, runs, trouble

FOLDER = Path(settings.BASE_DIR) / "templates"
SOURCES = {str(path.relative_to(FOLDER)): path.read_text() for path in FOLDER.rglob("*.html")}
SCREENS = {**screens(), "components": ("components", components_screen())}
VOID = {"meta", "link", "input", "br", "hr", "img"}


class Page(HTMLParser):
    """Elements of a page in order, with their attributes; fails on an unbalanced element."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(markup)
        self.close()
        assert self._open == []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def draw(template: str, screen: Screen | None = None) -> str:
    name = f"{template}.html" if template.isdigit() else f"review/{template}.html"
    return render_to_string(name, {"screen": screen} if screen else {})


@cache
def page_named(name: str) -> str:
    return draw(*SCREENS[name]) if name in SCREENS else draw(name)


PAGES = [*SCREENS, "400", "403", "404", "405", "500"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_and_accessible_in_its_structure(name: str) -> None:
    page = Page(page_named(name))
    ids = [str(attributes["id"]) for _tag, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert len(page.all("h1")) == 1
    assert [attributes["id"] for attributes in page.all("main")] == ["main"]
    assert page.elements[[tag for tag, _a in page.elements].index("body") + 1][1]["href"] == "#main"
    for _tag, attributes in page.elements:
        for reference in ("aria-labelledby", "for"):
            if attributes.get(reference):
                assert attributes[reference] in ids
    assert sum("autofocus" in attributes for _tag, attributes in page.elements) <= 1
    for button in page.all("button"):
        assert button["type"] in {"submit", "button"}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_inline_script_style_or_handler(name: str) -> None:
    for tag, attributes in Page(page_named(name)).elements:
        assert tag != "style"
        assert tag != "script" or attributes.get("src")
        assert not [key for key in attributes if key == "style" or key.startswith("on")]
        for address in (attributes.get("href"), attributes.get("src"), attributes.get("action")):
            assert not re.match(r"(?:https?:)?//|javascript:|data:", address or "")


@pytest.mark.parametrize("name", PAGES)
def test_hostile_text_reaches_a_page_only_escaped_and_isolated(name: str) -> None:
    assert "alert(1)</script>" not in page_named(name)
    assert "\u202e" not in page_named(name)
    title = re.search(r"<title>(.*)</title>", page_named(name), re.DOTALL)
    assert title
    assert "alert" not in title[1]
    assert str(VERSION)[:8] not in title[1]


@pytest.mark.parametrize("name", PAGES)
def test_a_table_carries_its_roles_caption_and_scopes(name: str) -> None:
    page = Page(page_named(name))
    roles = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "td": "cell"}
    for tag, role in roles.items():
        assert {attributes.get("role") for attributes in page.all(tag)} <= {role}
    for attributes in page.all("th"):
        expected = {"columnheader": "col", "rowheader": "row"}
        assert attributes["scope"] == expected[str(attributes["role"])]
    assert len(page.all("table")) == len(page.all("caption"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_its_size(name: str) -> None:
    markup = page_named(name).encode()
    assert len(markup) <= 60_000
    assert len(gzip.compress(markup)) <= 14_000


def test_a_list_of_twenty_fits_into_eight_kilobytes() -> None:
    for page in (
        draw("queue", queue(rows=tuple(report_row() for _ in range(20)))),
        draw("runs", runs(rows=tuple(list_row() for _ in range(20)))),
        draw("trouble", trouble(rows=trouble().rows * 10)),
        draw("integrity", items(rows=tuple(item_row() for _ in range(20)))),
    ):
        assert len(gzip.compress(page.encode())) <= 8_000


def test_a_full_page_of_items_fits_into_its_budget() -> None:
    page = draw("run", run(items=tuple(item(rank=n) for n in range(1, ITEMS + 1)))).encode()
    assert len(page) <= 60_000
    assert len(gzip.compress(page)) <= 14_000


@pytest.mark.parametrize("name", SOURCES)
def test_a_template_trusts_nothing_and_knows_no_route(name: str) -> None:
    source = SOURCES[name]
    for word in ("|safe", "autoescape", "{% url", "style=", "undo", " perms."):
        assert word not in source.lower()
    for condition in re.findall(r"{% (?:el)?if ([^%]*) %}", source):
        assert "roles" not in condition
        assert "role ==" not in condition


@pytest.mark.parametrize("name", [name for name in SOURCES if name.startswith("includes/")])
def test_a_component_says_what_it_is_and_takes(name: str) -> None:
    assert "{% comment %}" in SOURCES[name]
    assert name.startswith("includes/_")


def test_every_form_that_changes_a_record_sends_the_version_that_the_page_prints() -> None:
    for name in ("report", "confirm", "conflict"):
        fields = {a.get("name"): a.get("value") for a in Page(page_named(name)).all("input")}
        assert fields["expected_version"] == str(VERSION)
        assert fields["form_key"] == str(FORM_KEY)
        assert fields["from"] == "signed"
        assert f"<code>{str(VERSION)[:8]}<" in page_named(name)


def test_the_form_of_a_doubt_sends_the_version_that_the_page_prints() -> None:
    for name in ("doubt", "doubt with a problem", "doubt of a record that moved"):
        fields = {a.get("name"): a.get("value") for a in Page(page_named(name)).all("input")}
        assert fields["expected_version"] == str(VERSION)
        assert fields["form_key"] == str(FORM_KEY)
        assert f"<code>{str(VERSION)[:8]}<" in page_named(name)


def test_the_forms_about_an_item_send_the_state_and_the_version_that_the_page_prints() -> None:
    page = Page(page_named("item"))
    fields = [(a.get("name"), a.get("value")) for a in page.all("input")]
    assert fields.count(("seen", "open")) == 2
    assert fields.count(("form_key", str(FORM_KEY))) == 2
    assert [value for name, value in fields if name == "decision"] == ["no_concern", "report"]
    assert [value for name, value in fields if name == "expected_version"] == [str(VERSION)]
    assert f"<code>{str(VERSION)[:8]}<" in page_named("item")


def test_a_decided_item_offers_nothing_but_to_take_the_decision_back() -> None:
    fields = [
        (a.get("name"), a.get("value")) for a in Page(page_named("decided item")).all("input")
    ]
    assert ("seen", "no_concern") in fields
    assert "decision" not in dict(fields)
    assert "data-guard" not in page_named("reported item for a reader")


def test_who_may_not_promote_sees_no_form_but_a_reason() -> None:
    reader = draw("report", closed_report(allowed=False))
    assert "data-guard" not in reader
    assert "Promoting needs the role reviewer." in reader
    assert "Promoting needs" not in draw("report", report())


def test_a_retraction_leads_to_its_confirmation_and_changes_nothing_itself() -> None:
    page = draw("report", retraction_report())
    assert "data-guard" not in page
    assert 'href="/p/demo/reports/1/retract/"' in page
    assert "No context will include this record. Nothing replaces it." in page


def test_the_fold_of_a_long_note_speaks_of_the_statement_only_for_a_correction() -> None:
    words = "the whole note becomes the new statement"
    assert words in draw("report", report(note="x" * 2_000))
    page = retraction_report()
    assert words not in draw("report", report(note="x" * 2_000, change=page.change))


def test_the_primary_action_comes_right_after_the_change() -> None:
    page = draw("report", report())
    note, change, action, evidence, history = (
        page.index(mark)
        for mark in ('id="note"', 'id="change"', 'name="then"', 'id="evidence"', 'id="history"')
    )
    assert note < change < action < evidence < history


def test_a_conflict_announces_itself_in_title_and_focus() -> None:
    page = draw("conflict", conflict())
    assert "<title>Changed: Report · demo · Errata</title>" in page
    assert '<h1 tabindex="-1" autofocus>This record changed after you opened it.' in page
    assert 'data-keys="off"' in page


def test_without_an_account_there_is_no_navigation_and_nothing_to_sign_out_of() -> None:
    page = draw("sign_in", sign_in())
    assert "<nav" not in page
    assert "Sign out" not in page
    assert 'name="next" value="/p/demo/"' in page


def test_a_bare_error_page_needs_nothing() -> None:
    for code, words in (("404", "Not found."), ("403", "Your role"), ("500", "look before")):
        assert words in draw(code)


def test_the_language_and_its_direction_stand_on_the_page() -> None:
    assert '<html lang="en-gb"' in page_named("queue")
    assert 'dir="ltr"' in page_named("queue")


def test_the_list_names_each_cell_that_a_narrow_page_shows_without_its_head() -> None:
    assert 'data-label="Open reports"' in page_named("projects")
    assert 'data-label="Magnitude"' in page_named("audit")
    assert 'data-label="Relevance"' in page_named("run")
    assert 'data-label="Distinct senders"' in page_named("trouble")
    assert 'data-label="Injection"' in page_named("trouble")
    assert 'data-label="Rewards, summed"' in page_named("record signals")
    assert 'data-label="Poison suspected"' in page_named("item")
    assert 'data-label="First"' in page_named("integrity")


def test_who_may_not_report_sees_no_way_to_and_no_column_for_it() -> None:
    for name in ("run for a reader", "no trouble"):
        assert "Report a doubt" not in page_named(name)
        assert ">Doubt<" not in page_named(name)
    assert ">Doubt<" in page_named("run")


@pytest.mark.django_db
def test_the_components_page_draws_both_themes(client: Client) -> None:
    page = client.get("/_components/")
    markup = page.content.decode()
    assert page.status_code == 200
    assert 'class="swatch" data-theme="light"' in markup
    assert 'class="swatch" data-theme="dark"' in markup


def test_a_hostile_account_name_is_escaped_in_the_top_bar() -> None:
    assert HOSTILE not in page_named("queue")
