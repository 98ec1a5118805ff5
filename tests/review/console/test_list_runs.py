"""The list of context runs (S16)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from feedback.operations.prune_runs import prune_runs
from feedback.operations.record_outcome import OutcomeDraft, record_outcome
from feedback.vocabulary import OutcomeKind
from memory.actor import Actor
from memory.operations.assert_records import AssertedRecord
from memory.operations.issue_credential import issue_credential
from memory.vocabulary import Access, ActorKind, Edge
from review.console.runs import ROWS
from tests.factories import a_record, fresh
from tests.review.pages import Page
from tests.review.situations import compiled, graded
from tests.review.visitors import entries_of, visitor

PATH = "/p/demo/runs/"

#: Copies of the one run there is, each a second older; by SQL, since two thousand are needed.
COPIES = """
INSERT INTO feedback_contextrun (id, project_id, task_digest, lexemes_digest, is_shared_included,
  as_of, policy, max_tokens, used_tokens, selected_items, omitted_items, deduplicated_items,
  unconsolidated_observations, is_budget_exhausted, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at, request_id)
SELECT gen_random_uuid(), project_id, task_digest, lexemes_digest, is_shared_included, as_of,
  policy, max_tokens, used_tokens, 0, omitted_items, deduplicated_items,
  unconsolidated_observations, is_budget_exhausted, recorded_by_kind, recorded_by_id, recorded_via,
  recorded_at + n * interval '1 millisecond', request_id
FROM feedback_contextrun, generate_series(1, %s) n
"""


def opened(client: Client, path: str = PATH, **query: str) -> Page:
    page = Page(client.get(path, query))
    assert page.status == 200, page.text
    assert page.title == "Context runs · demo · Errata"
    return page


def copy_run(times: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(COPIES, [times])


def test_a_run_shows_when_by_whom_what_came_back_and_no_task(
    browser: Client, reviewer: Actor, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent, "the capital of Burundi, says the quagga")
    graded(agent, run, OutcomeKind.USEFUL, shared)
    graded(reviewer, run, OutcomeKind.INCORRECT, shared, "stale")
    graded(agent, run, OutcomeKind.USEFUL)
    page = opened(browser)
    [row] = page.rows()
    assert row.startswith("20")
    digest = page.html.partition("<code>")[2][:12]
    assert " agent (agent) 1 useful 2, incorrect 1 " in row
    assert row.endswith(digest)
    assert int(digest, 16)
    assert "capital" not in page.text
    assert f'href="{PATH}{run.run_id}/"' in page.html
    assert entries_of(reviewer)[1:] == [("context.list", "allowed", "", 1)]


def test_a_run_that_nobody_graded_says_so(browser: Client, agent: Actor) -> None:
    compiled(agent)
    assert " 0 none " in opened(browser).rows()[0]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, {0, 1, 2}),
        ({"outcome": "used"}, {0}),
        ({"outcome": "incorrect"}, {1}),
        ({"outcome": "harmful"}, {2}),
        ({"outcome": "complaint"}, {1, 2}),
        ({"outcome": "irrelevant"}, set()),
        ({"from": "2000-01-01T00:00"}, {0, 1, 2}),
        ({"to": "2000-01-01"}, set()),
    ],
)
def test_filters_narrow_the_list(
    browser: Client, agent: Actor, shared: AssertedRecord, query: dict[str, str], found: set[int]
) -> None:
    runs = [compiled(agent) for _ in range(3)]
    kinds = (OutcomeKind.USED, OutcomeKind.INCORRECT, OutcomeKind.HARMFUL)
    for run, kind in zip(runs, kinds, strict=True):
        graded(agent, run, kind, shared)
    page = opened(browser, **query)
    assert {n for n, run in enumerate(runs) if str(run.run_id) in page.html} == found


def test_a_list_of_one_actor_names_those_who_compiled_here(
    browser: Client, reader: Actor, agent: Actor, outsider: Actor
) -> None:
    compiled(agent)
    mine = compiled(reader)
    compiled(outsider)
    page = opened(browser, by=str(reader.id))
    assert len(page.rows()) == 1
    assert str(mine.run_id) in page.html
    choices = page.html[page.html.index('<select name="by"') :].partition("</select>")[0]
    assert "agent (agent)" in choices
    assert f'value="{reader.id}" selected>reader (person)' in choices
    assert "outsider" not in page.html
    nobody = opened(browser, by=str(uuid4()))
    assert "No context runs in this period. Widen the dates." in nobody.text


@pytest.mark.parametrize(
    ("query", "problem", "field"),
    [
        ({"outcome": "bad"}, "Outcome is not one of the choices.", "id_outcome"),
        ({"by": "zz"}, "By is not one of the choices.", "id_by"),
        ({"from": "yesterday"}, "From must be a date or a date and time", "id_from"),
        ({"to": "2026-13-01"}, "To must be a date or a date and time", "id_to"),
        ({"from": "2026-11-02", "to": "2026-11-01"}, "From must be before To.", "id_from"),
    ],
)
def test_a_filter_that_does_not_fit_is_named_and_nothing_is_read(
    browser: Client,
    reviewer: Actor,
    agent: Actor,
    query: dict[str, str],
    problem: str,
    field: str,
) -> None:
    compiled(agent)
    page = Page(browser.get(PATH, query))
    assert page.status == 422
    assert page.title == "Error: Context runs · demo · Errata"
    assert f'<a class="link" href="#{field}">{problem}' in page.html
    assert page.rows() == []
    assert entries_of(reviewer) == [("context.list", "refused", "validation_error", 0)]


def test_paging_meets_every_run_once_and_keeps_the_filters(browser: Client, agent: Actor) -> None:
    compiled(agent)
    copy_run(2 * ROWS + 1)
    page = opened(browser, by=str(agent.id))
    assert "Back to start" not in page.links
    seen = list(page.rows())
    for _ in range(2):
        page = opened(browser, page.links["Older runs"])
        assert page.links["Back to start"] == f"{PATH}?by={agent.id}"
        seen += page.rows()
    assert "Older runs" not in page.links
    assert len(seen) == 2 * ROWS + 2


def test_a_cursor_of_other_filters_is_refused(browser: Client, agent: Actor) -> None:
    compiled(agent)
    copy_run(ROWS)
    onward = opened(browser).links["Older runs"]
    for path in (f"{onward}&outcome=used", f"{PATH}?after=nonsense", f"{PATH}?after="):
        page = Page(browser.get(path))
        assert page.status == 422
        assert "This page link does not fit these filters. Go back to the start." in page.text
        assert page.links["Back to start"].startswith(PATH)
        assert "after" not in page.links["Back to start"]
    assert browser.get(onward).status_code == 200


def test_a_filter_that_no_index_answers_stops_after_two_thousand_runs_and_says_so(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    run = compiled(agent)
    copy_run(2_000)
    graded(agent, run, OutcomeKind.HARMFUL, shared)
    page = opened(browser, outcome="complaint")
    assert "Nothing in the first 2,000 runs of this view." in page.text
    assert "No context runs" not in page.text
    later = opened(browser, page.links["Keep looking"])
    assert len(later.rows()) == 1
    assert "Keep looking" not in later.links


def test_a_page_that_a_scan_cut_short_says_so_and_goes_on(
    browser: Client, agent: Actor, shared: AssertedRecord
) -> None:
    oldest = compiled(agent)
    copy_run(2_000)
    graded(agent, oldest, OutcomeKind.HARMFUL, shared)
    newest = opened(browser).html.partition("/p/demo/runs/")[2]
    run_id = UUID(re.findall(r'href="/p/demo/runs/([0-9a-f-]{36})/', newest)[0])
    record_outcome(
        actor=fresh(agent), draft=OutcomeDraft(run_id=run_id, kind=OutcomeKind.INCORRECT)
    )
    page = opened(browser, outcome="complaint")
    assert len(page.rows()) == 1
    assert "This page looked at 2,000 runs. Older ones may match too." in page.text
    later = opened(browser, page.links["Older runs"])
    assert len(later.rows()) == 1
    assert "This page looked at" not in later.text


def test_nothing_is_said_to_be_there_only_when_nothing_is(
    browser: Client, agent: Actor, operator: Actor
) -> None:
    page = opened(browser)
    assert "No context runs in this period. Widen the dates." in page.text
    narrowed = opened(browser, outcome="used")
    assert narrowed.links["Clear filters"] == PATH
    compiled(agent)
    copy_run(ROWS)
    onward = opened(browser).links["Older runs"]
    prune_runs(actor=fresh(operator), before=datetime.now(UTC) + timedelta(days=1))
    gone = opened(browser, onward)
    assert "The entries of this page are gone." in gone.text
    assert gone.links["Back to start"] == PATH


def test_the_page_of_a_run_leads_back_to_this_very_page(browser: Client, agent: Actor) -> None:
    compiled(agent)
    copy_run(ROWS)
    first = opened(browser, by=str(agent.id))
    second = first.links["Older runs"]
    page = opened(browser, second)
    run = Page(browser.get(next(url for url in page.links.values() if "from=" in url)))
    assert run.links["Back to context runs"] == second
    for origin in ("nonsense", "x" * 5_000, "by=1:abc"):
        answer = browser.get(run_path(run), {"from": origin})
        assert Page(answer).links["Back to context runs"] == PATH


def run_path(page: Page) -> str:
    """The address of a run, by its id in the fold."""
    run_id = page.html.partition('data-copy="')[2][:36]
    return f"{PATH}{run_id}/"


def test_a_hostile_name_is_spelled_out(browser: Client, operator: Actor) -> None:
    name = "<b>agent\u202e</b>"
    receipt = issue_credential(actor=fresh(operator), name=name, access=Access.READ_ONLY)
    client = Actor(
        project_id=operator.project_id,
        kind=ActorKind.CREDENTIAL,
        id=receipt.id,
        edge=Edge.API,
        request_id=fresh(operator).request_id,
        access=Access.READ_ONLY,
    )
    compiled(client)
    page = opened(browser)
    assert "&lt;b&gt;agent[U+202E]&lt;/b&gt; (agent)" in page.html
    assert "<b>agent" not in page.html
    assert "\u202e" not in page.html


@pytest.mark.parametrize("rows", [0, 1, 20, 100])
def test_the_page_takes_at_most_nine_statements_for_any_number_of_rows(
    browser: Client,
    agent: Actor,
    rows: int,
    count_statements: Callable[[Callable[[], object]], int],
) -> None:
    if rows:
        compiled(agent)
        copy_run(rows - 1)
    assert count_statements(lambda: opened(browser)) == 8
    assert count_statements(lambda: opened(browser, outcome="complaint")) == 8
    assert count_statements(lambda: opened(browser, by=str(agent.id))) == 8


@pytest.mark.parametrize(
    ("persona", "status"), [("reader", 200), ("owner", 200), ("auditor", 403), ("nobody", 404)]
)
def test_who_may_see_the_runs(request: pytest.FixtureRequest, persona: str, status: int) -> None:
    actor = request.getfixturevalue(persona)
    a_record(request.getfixturevalue("agent"))
    assert visitor(actor).get(PATH).status_code == status
    refused = [("context.list", "refused", "forbidden", 0)]
    assert (entries_of(actor) == refused) == (status == 403)
