from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from feedback.operations.promote_report import promote_report
from memory import audit
from memory.actor import Actor
from memory.errors import DomainError
from memory.http.cursor import CursorScope
from memory.operations.issue_credential import issue_credential
from memory.paging import Seek
from memory.queries.records import get_record
from memory.vocabulary import Access, ActorKind, Edge, Operation
from tests.factories import a_project, a_record, a_report, fresh
from tests.review.pages import Page
from tests.review.visitors import entries_of, visitor, words_of

PATH = "/p/demo/audit/"
ROW = re.compile(r'<tr class="row".*?</tr>', re.DOTALL)
TAG = re.compile(r"<[^>]+>")


def page_of(client: Client, **query: str) -> str:
    page = Page(client.get(PATH, query))
    assert page.status == 200, page.html
    assert page.hinted_keys == page.working_keys
    return page.html


def rows_of(page: str) -> list[str]:
    """Each row as the words that it shows."""
    return [" ".join(unescape(TAG.sub(" ", row)).split()) for row in ROW.findall(page)]


def operations_of(page: str) -> list[str]:
    return re.findall(r'role="rowheader" scope="row">([a-z.]+)<', page)


def link_of(page: str, label: str) -> str:
    found = re.search(rf'href="([^"]+)"[^>]*>{label}', page)
    assert found, label
    return unescape(found[1])


def promote(actor: Actor, report: Any, version: Any) -> None:
    promote_report(actor=fresh(actor), report_id=report.id, expected_version=version)


def write_entries(
    actor: Actor, number: int, operation: Operation = Operation.RECORD_ASSERT
) -> None:
    for _ in range(number):
        audit.allowed(fresh(actor), audit.Call(operation, 1))


def test_the_log_shows_who_did_what_newest_first_without_a_word_of_content(
    reviewer: Actor, agent: Actor, auditor: Actor
) -> None:
    record = a_record(agent)
    report = a_report(agent, record, proposed_object="Gitega")
    promote(reviewer, report, record.version)
    with pytest.raises(DomainError):
        promote(reviewer, report, record.version)
    page = page_of(visitor(auditor))
    assert [row.split(" req_")[0][24:] for row in rows_of(page)][:4] == [
        "UTC feedback.promote Refused feedback_already_promoted reviewer (person) console 0",
        "UTC feedback.promote allowed reviewer (person) console 1",
        "UTC record.correct allowed, same request reviewer (person) console 1",
        "UTC feedback.record allowed agent (agent) API 1",
    ]
    for secret in ("quagga", "Gitega", str(record.id), str(report.id)):
        assert secret not in page


def test_one_look_writes_one_entry_with_the_rows_drawn(auditor: Actor, agent: Actor) -> None:
    write_entries(agent, 3)
    page = page_of(visitor(auditor), actor=str(agent.id))
    assert len(rows_of(page)) == 3
    assert entries_of(auditor) == [("audit.list", "allowed", "", 3)]


def test_reads_are_hidden_unless_asked_for(auditor: Actor, agent: Actor, reader: Actor) -> None:
    record = a_record(agent)
    get_record(actor=fresh(reader), record_id=record.id)
    client = visitor(auditor)
    assert "record.get" not in operations_of(page_of(client))
    hidden = page_of(client, reads="show")
    assert "record.get" in operations_of(hidden)
    assert re.search(r'<input type="hidden" name="reads" value="show">', hidden)
    assert (
        "checked"
        not in hidden[hidden.index('id="id_reads"') - 80 : hidden.index('id="id_reads"') + 40]
    )
    # The box sends nothing when it is not ticked, and comes after the field that says "show".
    both = client.get(PATH + "?reads=show&reads=on").content.decode()
    assert "record.get" not in operations_of(both)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"op": "record.assert"}, {"record.assert"}),
        ({"outcome": "refused"}, {"feedback.promote"}),
        ({"edge": "cli", "op": "member.grant"}, {"member.grant"}),
        ({"from": "2000-01-01", "op": "feedback.record"}, {"feedback.record"}),
        ({"from": "2000-01-01T00:00", "to": "2000-01-02 00:00:00Z"}, set()),
        ({"to": "2000-01-01T00:00:00.5"}, set()),
    ],
)
def test_filters_narrow_the_log(
    auditor: Actor, reviewer: Actor, agent: Actor, query: dict[str, str], expected: set[str]
) -> None:
    record = a_record(agent)
    report = a_report(agent, record)
    with pytest.raises(DomainError):
        promote(reviewer, report, report.id)
    assert set(operations_of(page_of(visitor(auditor), **query))) == expected


def test_from_is_inclusive_and_to_is_exclusive(auditor: Actor, agent: Actor) -> None:
    write_entries(agent, 1)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US')"
            " FROM memory_auditentry WHERE actor_id = %s",
            [agent.id],
        )
        moment = cursor.fetchone()[0]
    client = visitor(auditor)
    assert operations_of(page_of(client, actor=str(agent.id), **{"from": moment})) != []
    assert operations_of(page_of(client, actor=str(agent.id), to=moment)) == []


@pytest.mark.parametrize(
    ("query", "problem", "field"),
    [
        ({"op": "record.dismiss"}, "Operation is not one of the choices.", "id_op"),
        ({"outcome": "maybe"}, "Outcome is not one of the choices.", "id_outcome"),
        ({"edge": "door\0"}, "Edge is not one of the choices.", "id_edge"),
        ({"actor": "zz"}, "Actor is not one of the choices.", "id_actor"),
        ({"actor": "{731d5e3e-d6e8-4b0c-bc49-d37d4793f49b}"}, "Actor is not one of", "id_actor"),
        (
            {"request": "req_1"},
            "A request id is req_ and 32 digits or letters a to f.",
            "id_request",
        ),
        ({"request": "req_\0"}, "A request id is req_ and 32 digits", "id_request"),
        ({"from": "yesterday"}, "From must be a date or a date and time", "id_from"),
        ({"from": "2026-W01"}, "From must be a date or a date and time", "id_from"),
        ({"from": "0000-01-01"}, "From must be a date or a date and time", "id_from"),
        ({"to": "2026-13-01"}, "To must be a date or a date and time", "id_to"),
        ({"to": "٢٠٢٦-01-01"}, "To must be a date or a date and time", "id_to"),
        ({"from": "2026-11-02", "to": "2026-11-01"}, "From must be before To.", "id_from"),
    ],
)
def test_a_filter_that_does_not_fit_is_named_kept_and_audited_and_nothing_is_read(
    auditor: Actor, agent: Actor, query: dict[str, str], problem: str, field: str
) -> None:
    write_entries(agent, 1)
    answer = visitor(auditor).get(PATH, query)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f'<a class="link" href="#{field}">{problem}' in page
    assert f'id="{field}"' in page
    assert "<title>Error: Audit log · demo · Errata</title>" in page
    assert operations_of(page) == []
    assert entries_of(auditor) == [("audit.list", "refused", "invalid", 0)]


def test_paging_meets_every_entry_once_and_keeps_the_filters(auditor: Actor, agent: Actor) -> None:
    write_entries(agent, 120)
    client = visitor(auditor)
    page = page_of(client, op="record.assert", outcome="allowed")
    seen = re.findall(r'data-copy="(req_[0-9a-f]{32})"', page)
    assert "Back to start" not in page
    for _ in range(2):
        onward = link_of(page, "Older entries")
        assert "op=record.assert" in onward
        page = client.get(onward).content.decode()
        seen += re.findall(r'data-copy="(req_[0-9a-f]{32})"', page)
        assert link_of(page, "Back to start") == f"{PATH}?op=record.assert&outcome=allowed"
    assert "Older entries<" not in page[: page.index("</main>")]
    assert len(seen) == len(set(seen)) == 120


def test_a_cursor_of_other_filters_or_of_another_project_is_refused(auditor: Actor) -> None:
    place = Seek(datetime(2026, 11, 30, tzinfo=UTC), uuid4())
    foreign = CursorScope(uuid4(), "review:audit-list", {}).sign(place)
    assert foreign is not None
    client = visitor(auditor)
    write_entries(auditor, 60)
    other = link_of(page_of(client), "Older entries")
    for cursor in (foreign, "garbage", "", "x" * 600):
        answer = client.get(PATH, {"after": cursor})
        page = answer.content.decode()
        assert answer.status_code == 422
        assert "This page link does not fit these filters. Go back to the start." in page
        assert link_of(page, "Back to start") == PATH
    assert client.get(other + "&outcome=allowed").status_code == 422
    assert client.get(other).status_code == 200


def test_entries_of_one_request_are_not_torn_apart_by_the_end_of_a_page(
    auditor: Actor, agent: Actor
) -> None:
    write_entries(agent, 1)
    both = fresh(agent)
    audit.allowed(
        both, audit.Call(Operation.FEEDBACK_PROMOTE, 1), audit.Call(Operation.RECORD_CORRECT, 1)
    )
    write_entries(agent, 39)
    client = visitor(auditor)
    first = page_of(client, actor=str(agent.id))
    assert len(rows_of(first)) == 39
    second = client.get(link_of(first, "Older entries")).content.decode()
    assert operations_of(second) == ["feedback.promote", "record.correct", "record.assert"]
    assert "same request" in rows_of(second)[1]


def test_a_command_that_wrote_many_entries_does_not_empty_the_page_before_it(
    auditor: Actor, agent: Actor
) -> None:
    command = fresh(agent)
    audit.allowed(command, *[audit.Call(Operation.RECORD_ASSERT, 1)] * 60)
    write_entries(agent, 2)
    page = page_of(visitor(auditor), actor=str(agent.id))
    assert len(rows_of(page)) == 40


def test_a_request_leads_to_all_its_entries_reads_included(auditor: Actor, agent: Actor) -> None:
    both = fresh(agent)
    audit.allowed(both, audit.Call(Operation.RECORD_ASSERT, 2), audit.Call(Operation.RECORD_GET, 1))
    client = visitor(auditor)
    page = page_of(client, actor=str(agent.id))
    link = link_of(page, "<code>")
    assert link == f"{PATH}?request={both.request_id}&reads=show"
    assert operations_of(client.get(link).content.decode()) == ["record.assert", "record.get"]


def test_nothing_is_said_to_match_only_when_all_was_looked_at(auditor: Actor) -> None:
    client = visitor(auditor)
    page = page_of(client, op="record.retract")
    assert "No entries match." in page
    assert link_of(page, "Clear filters") == PATH


def test_a_filter_that_no_index_answers_stops_after_two_thousand_entries_and_says_so(
    auditor: Actor, agent: Actor
) -> None:
    audit.refused(fresh(agent), Operation.RECORD_ASSERT, "record_conflict")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memory_auditentry (id, project_id, operation, outcome, code, actor_kind,"
            " actor_id, edge, request_id, magnitude, is_read)"
            " SELECT gen_random_uuid(), project_id, operation, 'allowed', '', actor_kind, actor_id,"
            " edge, 'req_' || md5(n::text), 1, is_read"
            " FROM memory_auditentry, generate_series(1, 2000) n WHERE actor_id = %s",
            [agent.id],
        )
    client = visitor(auditor)
    page = page_of(client, outcome="refused")
    assert "Nothing in the first 2,000 entries of this view." in page
    assert "No entries match." not in page
    more = client.get(link_of(page, "Keep looking")).content.decode()
    assert operations_of(more) == ["record.assert"]


def test_choices_and_entries_come_from_this_project_alone(
    auditor: Actor, outsider: Actor, agent: Actor
) -> None:
    write_entries(outsider, 1)
    write_entries(agent, 1)
    client = visitor(auditor)
    page = page_of(client, reads="show")
    choices = page[page.index('<select name="actor"') :]
    choices = choices[: choices.index("</select>")]
    assert "agent (agent)" in choices
    assert "outsider" not in page
    foreign = page_of(client, actor=str(outsider.id))
    assert operations_of(foreign) == []
    assert "outsider" not in foreign


def test_a_hostile_name_is_spelled_out_in_the_choice_of_actors(
    auditor: Actor, operator: Actor
) -> None:
    name = "<b>agent\u202e</b>"
    receipt = issue_credential(actor=fresh(operator), name=name, access=Access.READ_ONLY)
    client = Actor(
        project_id=operator.project_id,
        kind=ActorKind.CREDENTIAL,
        id=receipt.id,
        edge=Edge.API,
        request_id=fresh(operator).request_id,
    )
    write_entries(client, 1)
    page = page_of(visitor(auditor))
    assert "&lt;b&gt;agent[U+202E]&lt;/b&gt; (agent)" in page
    assert "<b>agent" not in page


def test_a_failed_authentication_is_by_nobody(auditor: Actor, agent: Actor) -> None:
    audit.authentication_refused(
        request_id=fresh(agent).request_id,
        edge=Edge.API,
        code="unauthenticated",
        project_id=agent.project_id,
    )
    row = rows_of(page_of(visitor(auditor), op="authenticate"))[0]
    assert "authenticate Refused unauthenticated (not signed in) API 0" in row


@pytest.mark.parametrize("rows", [0, 1, 20, 100])
def test_the_page_takes_at_most_nine_statements_for_any_number_of_rows(
    auditor: Actor,
    agent: Actor,
    rows: int,
    count_statements: Callable[[Callable[[], object]], int],
) -> None:
    write_entries(agent, rows)
    client = visitor(auditor)
    assert count_statements(lambda: page_of(client)) == 8
    assert count_statements(lambda: page_of(client, outcome="allowed")) == 8


def test_a_full_page_stays_small(auditor: Actor, agent: Actor) -> None:
    write_entries(agent, 100)
    page = page_of(visitor(auditor))
    assert len(rows_of(page)) == 40
    assert len(page.encode()) <= 60 * 1024


def test_an_owner_reads_the_log_and_a_reviewer_does_not(owner: Actor, reviewer: Actor) -> None:
    assert visitor(owner).get(PATH).status_code == 200
    answer = visitor(reviewer).get(PATH)
    assert answer.status_code == 403
    text = "Your role in this project (reviewer) does not include this page."
    assert text in words_of(answer)
    assert entries_of(reviewer) == [("audit.list", "refused", "forbidden", 0)]


def test_the_log_of_another_project_is_not_found(outsider: Actor) -> None:
    a_project("third")
    assert visitor(outsider).get(reverse("review:audit-list", args=["third"])).status_code == 404
