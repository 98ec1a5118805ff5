"""One context run (S17)."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from feedback.operations.compile_context import CompiledContext
from feedback.vocabulary import OutcomeKind
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.configure_project import configure_project
from review.console.drawing.run import SHOWN_GRADES
from review.console.runs import ITEMS
from tests.factories import a_record, fresh, some_records
from tests.review.pages import Page
from tests.review.situations import compiled, correct, graded, move, retract
from tests.review.visitors import entries_of, visitor

PATH = "/p/demo/runs/"

#: The one run there is once more, as another formula might have ranked it; its new id.
OTHER_RANKING = """
WITH run AS (
  INSERT INTO feedback_contextrun (id, project_id, task_digest, lexemes_digest,
    is_shared_included, as_of, policy, max_tokens, used_tokens, selected_items, omitted_items,
    deduplicated_items, unconsolidated_observations, is_budget_exhausted, recorded_by_kind,
    recorded_by_id, recorded_via, recorded_at, request_id)
  SELECT gen_random_uuid(), project_id, task_digest, lexemes_digest, is_shared_included, as_of,
    'errata-rank-0', max_tokens, used_tokens, selected_items, omitted_items, deduplicated_items,
    unconsolidated_observations, is_budget_exhausted, recorded_by_kind, recorded_by_id,
    recorded_via, recorded_at, request_id
  FROM feedback_contextrun RETURNING id, project_id
)
INSERT INTO feedback_contextitem (id, project_id, run_id, record_id, record_version, rank, score,
  relevance, trust, recency, utility, conflict, confidence, recorded_at)
SELECT gen_random_uuid(), i.project_id, run.id, record_id, record_version, rank, score, relevance,
  trust, recency, utility, conflict, confidence, recorded_at
FROM feedback_contextitem i, run RETURNING run_id
"""


def address(run: CompiledContext) -> str:
    return f"{PATH}{run.run_id}/"


def opened(client: Client, run: CompiledContext, path: str = "") -> Page:
    page = Page(client.get(path or address(run)))
    assert page.status == 200, page.text
    assert page.title == "Context run · demo · Errata"
    return page


def forget_items(condition: str) -> None:
    """Let items go as an erasure of their records does."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('errata.erasure', gen_random_uuid()::text, true)")
        cursor.execute(f"DELETE FROM feedback_contextitem WHERE {condition}")  # noqa: S608 - ours


def test_a_run_shows_what_was_delivered_and_how_it_was_ranked(
    browser: Client, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent, max_tokens=1_200)
    [item] = run.items
    page = opened(browser, run)
    assert re.search(
        r"Context run, 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC agent \(agent, API\) · budget 1,200 ·"
        r" as of 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC · task hash [0-9a-f]{12} ",
        page.text,
    )
    parts = item.components
    shares = " ".join(
        f"{getattr(parts, name):.3f}"
        for name in ("relevance", "trust", "recency", "utility", "conflict")
    )
    [row] = page.rows()
    assert row.startswith("1 Burundi of the quagga · has_capital · Bujumbura ")
    assert f" {item.score:.3f} {shares} none " in row
    formula = (
        f"Item 1: {parts.confidence:.6f} \u00d7 (0.45 \u00d7 {parts.relevance:.6f}"
        f" + 0.20 \u00d7 {parts.trust:.6f} + 0.15 \u00d7 {parts.recency:.6f}"
        f" + 0.10 \u00d7 {parts.utility:.6f} + 0.10 \u00d7 {parts.conflict:.6f}) = {item.score:.6f}"
    )
    assert formula in page.text
    assert page.html.count('<svg class="bar"') == 5
    assert f'href="/p/demo/records/{shared.id}/"' in page.html
    assert "Fewer than three counted outcomes give utility 0.5. Outcomes never" in page.text
    assert "Nobody has said what became of this pack." in page.text
    assert page.links["Back to context runs"] == PATH
    assert entries_of(reviewer) == [("context.get", "allowed", "", 1)]


def test_items_say_how_their_records_stand_now(browser: Client, agent: Actor, owner: Actor) -> None:
    records = {name: a_record(agent, subject=f"{name} quagga") for name in "abcd"}
    run = compiled(agent)
    correct(agent, records["a"])
    retract(agent, records["b"])
    move(records["c"], owner)
    rows = {row.split()[1]: row for row in opened(browser, run).rows()}
    assert " Superseded " in rows["a"]
    assert " Retracted " in rows["b"]
    assert " Newer version " in rows["c"]
    assert not any(word in rows["d"] for word in ("Superseded", "Retracted", "Newer version"))
    doubts = {name for name, row in rows.items() if "Report a doubt" in row}
    assert doubts == {"c", "d"}


def test_outcomes_are_told_by_item_with_actor_reason_and_time(
    browser: Client, agent: Actor, reviewer: Actor
) -> None:
    first, second = some_records(agent, 2)
    run = compiled(agent)
    ranks = {item.record.id: rank for rank, item in enumerate(run.items, 1)}
    graded(agent, run, OutcomeKind.USEFUL, first)
    graded(agent, run, OutcomeKind.INCORRECT, second, "stale")
    graded(reviewer, run, OutcomeKind.INCORRECT, second, "wrong <b>")
    graded(agent, run, OutcomeKind.USEFUL)
    page = opened(browser, run)
    rows = page.rows()
    assert " useful 1 " in rows[ranks[first.id] - 1]
    assert "incorrect 2 ( wrong &lt;b&gt;, stale )" in rows[ranks[second.id] - 1]
    told = page.text[page.text.index("What became of it") :]
    assert "Graded as a whole: useful (agent). This changes no ranking." in told
    said = [
        "useful, the pack as a whole, by agent (agent, API)",
        f"incorrect, item {ranks[second.id]}, by reviewer (person) · reason wrong <b>",
        f"incorrect, item {ranks[second.id]}, by agent (agent, API) · reason stale",
        f"useful, item {ranks[first.id]}, by agent (agent, API)",
    ]
    places = [told.index(text) for text in said]
    assert places == sorted(places)
    assert "Does not count" not in told
    assert "<b>" not in page.html.partition("<main")[2]


def test_several_words_about_the_whole_are_counted(browser: Client, agent: Actor) -> None:
    run = compiled(agent)
    for kind in (OutcomeKind.USED, OutcomeKind.USED, OutcomeKind.HARMFUL):
        graded(agent, run, kind)
    text = opened(browser, run).text
    assert "Graded as a whole: used 2, harmful (agent). This changes no ranking." in text


def test_a_word_that_another_one_replaced_does_not_count(
    browser: Client, agent: Actor, operator: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    graded(agent, run, OutcomeKind.HARMFUL, shared)
    graded(agent, run, OutcomeKind.USEFUL, shared)
    said = "Does not count: the same actor said something later."
    assert said not in opened(browser, run).text
    configure_project(actor=fresh(operator), one_vote_per_run=True)
    page = opened(browser, run)
    assert page.text.count(said) == 1
    assert said in page.text.partition("harmful, item 1")[2]


def test_many_outcomes_are_counted_and_the_newest_told(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    for number in range(5):
        graded(agent, run, OutcomeKind.IRRELEVANT, shared, f"reason-{number}")
    page = opened(browser, run)
    assert "irrelevant 5 ( reason-4, reason-3, reason-2 )" in page.rows()[0]
    assert page.text.count("irrelevant, item 1, by agent") == 3
    assert "At most the newest 3 of a kind are told for each item." in page.text


def test_items_are_paged_by_rank(browser: Client, agent: Actor) -> None:
    for _ in range(3):
        some_records(agent, 15)
    run = compiled(agent)
    page = opened(browser, run)
    ranks = [row.split()[0] for row in page.rows()]
    while "Further items" in page.links:
        page = opened(browser, run, page.links["Further items"])
        ranks += [row.split()[0] for row in page.rows()]
        assert page.links["Back to start"] == address(run)
    assert ranks == [str(n) for n in range(1, 46)]
    assert len(ranks) == len(run.items)
    assert "erased" not in page.text


@pytest.mark.parametrize("after", ["", "0", "-1", "01", "x", "999999", "\u0661"])
def test_a_rank_that_is_none_is_a_problem(
    browser: Client, reviewer: Actor, agent: Actor, after: str
) -> None:
    run = compiled(agent)
    page = Page(browser.get(address(run), {"after": after}))
    assert page.status == 422
    assert "This page link does not fit these filters." in page.text
    assert page.links["Back to start"] == address(run)
    assert entries_of(reviewer) == [("context.get", "refused", "invalid", 0)]


def test_items_of_erased_records_are_counted(browser: Client, agent: Actor) -> None:
    some_records(agent, 3)
    run = compiled(agent)
    forget_items("rank = 2")
    page = opened(browser, run)
    assert [row.split()[0] for row in page.rows()] == ["1", "3"]
    assert "1 item of this page is gone: its record was erased." in page.text
    forget_items("true")
    empty = opened(browser, run)
    assert "The records of this pack were erased." in empty.text
    assert "3 items of this page are gone" in empty.text


def test_a_pack_of_nothing_says_so(browser: Client, agent: Actor) -> None:
    page = opened(browser, compiled(agent))
    assert "Nothing fitted, or nothing was found: this pack is empty." in page.text
    assert "erased" not in page.text


def test_another_ranking_is_shown_without_our_formula(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    assert shared.id == run.items[0].record.id
    with connection.cursor() as cursor:
        cursor.execute(OTHER_RANKING)
        [other] = cursor.fetchone()
    page = opened(browser, run, f"{PATH}{other}/")
    assert "Item 1:" not in page.text
    assert f"{run.items[0].score:.3f}" in page.rows()[0]


def test_a_person_whom_the_pack_was_for_is_named(browser: Client, agent: Actor) -> None:
    page = opened(browser, compiled(agent, data_subject="<i>quagga"))
    assert "· for <i>quagga · budget" in page.text
    assert "<i>" not in page.html


def test_numbers_and_ids_stand_in_folds(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent, max_tokens=12)
    assert shared.id == run.items[0].record.id
    text = opened(browser, run).text
    for fact in (
        "Tokens used 10",
        "Items delivered 1",
        "Left out 0",
        "Budget exhausted no",
        "Ranked by errata-rank-1",
        str(run.run_id),
        "Request req_",
    ):
        assert fact in text


def test_a_reader_sees_no_way_to_report(
    reader: Actor, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    assert "Report a doubt" not in opened(visitor(reader), run).text
    links = opened(visitor(reviewer), run).links
    form = f"/p/demo/records/{shared.id}/report/?reason=outcomes"
    assert links["Report a doubt, item 1"] == form


def test_the_keys_of_the_page_work(browser: Client, agent: Actor, shared: AssertedRecord) -> None:
    run = compiled(agent)
    assert shared.id == run.items[0].record.id
    page = opened(browser, run)
    assert page.hinted_keys == {"u", "e", "h", "j", "k", "o"} == page.working_keys


def test_missing_and_foreign_runs_are_one_page_that_is_not_found(
    outsider: Actor, browser: Client, agent: Actor, reviewer: Actor
) -> None:
    run = compiled(agent)
    foreign = visitor(outsider).get(address(run).replace("/demo/", "/elsewhere/"))
    assert foreign.status_code == 404
    missing = browser.get(f"{PATH}{uuid4()}/")
    assert missing.status_code == 404
    assert entries_of(reviewer) == [("context.get", "refused", "not_found", 0)]


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 200), ("owner", 200), ("auditor", 403), ("nobody", 404)]
)
def test_who_may_see_a_run(
    request: pytest.FixtureRequest, agent: Actor, persona: str, status: int
) -> None:
    run = compiled(agent)
    client = visitor(request.getfixturevalue(persona))
    assert client.get(address(run)).status_code == status


def test_the_page_takes_ten_statements_for_any_number_of_items_and_outcomes(
    browser: Client, agent: Actor, count_statements: Callable[[Callable[[], object]], int]
) -> None:
    alone = a_record(agent)
    small = compiled(agent)
    graded(agent, small, OutcomeKind.USED, alone)
    for _ in range(2):
        some_records(agent, 19)
    large = compiled(agent)
    for item in large.items[:ITEMS]:
        for kind in OutcomeKind:
            graded(agent, large, kind, item.record.id)
    assert count_statements(lambda: opened(browser, small)) == 10
    assert count_statements(lambda: opened(browser, large)) == 10
    page = opened(browser, large)
    assert page.html.count('<li class="event">') == ITEMS + SHOWN_GRADES
    assert len(page.html.encode()) <= 60 * 1024
