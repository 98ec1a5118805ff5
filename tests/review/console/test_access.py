"""Who may open what: every route of the console, with every method, as every persona."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from memory.actor import Actor
from memory.models import User
from memory.vocabulary import Role
from tests.factories import a_record, a_report, fresh, grant
from tests.personas import account
from tests.review.situations import compiled, suspected
from tests.review.visitors import entries_of, visitor, words_of

MISSING = "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"
TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]+"')
READS = ("GET", "HEAD")
METHODS = (*READS, "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
ROLES = ("reader", "reviewer", "auditor", "owner")
STRANGERS = ("nobody", "outsider", "superuser")
ANYBODY = frozenset({*ROLES, *STRANGERS})

READERS = frozenset({"reader", "reviewer", "owner"})
REVIEWERS = frozenset({"reviewer", "owner"})
AUDITORS = frozenset({"auditor", "owner"})


@dataclass(frozen=True)
class Row:
    """Who may open a route, with which methods, and what they are answered then."""

    opens_for: frozenset[str]
    methods: tuple[str, ...] = READS
    status: int = 200
    form_status: int = 0  # to an empty form, where a page takes one at its own address


PROJECT = {
    "project-open": Row(frozenset(ROLES), status=303),
    "report-list": Row(READERS),
    "report-get": Row(READERS),
    "report-promote": Row(REVIEWERS, ("POST",), 422),
    "report-retract": Row(REVIEWERS),
    "record-get": Row(READERS),
    "record-versions": Row(READERS),
    "record-version": Row(READERS),
    "record-compare": Row(READERS),
    "record-history": Row(READERS),
    "record-report": Row(REVIEWERS, (*READS, "POST"), form_status=422),
    "record-reports": Row(READERS),
    "record-runs": Row(READERS),
    "record-signals": Row(READERS),
    "run-list": Row(READERS),
    "run-get": Row(READERS),
    "trouble-list": Row(READERS),
    "integrity-list": Row(READERS),
    "integrity-get": Row(READERS),
    "integrity-decide": Row(REVIEWERS, ("POST",), 422),
    "integrity-reopen": Row(REVIEWERS, ("POST",), 422),
    "audit-list": Row(AUDITORS),
}
ELSEWHERE = {
    "start": Row(ANYBODY, status=303),
    "project-list": Row(ANYBODY),
    "help": Row(ANYBODY),
    "help-keys": Row(ANYBODY),
}
#: Routes that everybody may use, signed in or not; their own tests say how.
OPEN = {"sign-in", "sign-out", "preferences-save", "components"}


def console_routes() -> Iterator[URLPattern]:
    """Every route below the namespace `review`."""

    def walk(patterns: list[URLPattern | URLResolver]) -> Iterator[URLPattern]:
        for pattern in patterns:
            if isinstance(pattern, URLResolver):
                yield from walk(pattern.url_patterns)
            else:
                yield pattern

    [console] = [
        resolver
        for resolver in get_resolver().url_patterns
        if isinstance(resolver, URLResolver) and resolver.namespace == "review"
    ]
    return walk(console.url_patterns)


@pytest.fixture
def superuser(operator: Actor) -> Actor:
    """Django's superuser, who has no role."""
    user = User.objects.create_superuser("superuser", password="correct horse battery staple")
    return Actor(
        project_id=operator.project_id,
        kind=operator.kind,
        id=user.id,
        edge=operator.edge,
        request_id=operator.request_id,
        label="superuser",
    )


@pytest.fixture
def addresses(agent: Actor) -> dict[str, str]:
    """Where each route of the project stands, with ids that exist."""
    record = a_record(agent)
    report = a_report(agent, record)
    run = compiled(agent)
    ids = {
        "record_id": record.id,
        "report_id": report.id,
        "run_id": run.run_id,
        "item_id": suspected(record, agent, replace(agent, id=uuid4())),
        "number": 1,
    }
    found = {}
    for route in console_routes():
        if route.name in PROJECT:
            wanted = {name: ids[name] for name in ids if name in str(route.pattern)}
            found[route.name] = reverse(
                f"review:{route.name}", kwargs={"project": "demo", **wanted}
            )
    found["report-retract"] += f"?v={record.version}"
    found["record-compare"] += "?from=1&to=1"
    return found


def expected(row: Row, persona: str, method: str) -> int:
    """What the matrix says of a route of the project."""
    if persona in STRANGERS:
        return 404
    if persona not in row.opens_for:
        return 403
    if method not in row.methods:
        return 405
    return row.form_status if method == "POST" and row.form_status else row.status


def test_every_route_of_the_console_has_a_row_and_every_row_a_route() -> None:
    assert {route.name for route in console_routes()} == {*PROJECT, *ELSEWHERE, *OPEN}


@pytest.mark.parametrize("persona", [*ROLES, *STRANGERS])
def test_the_matrix_of_a_project_holds(
    persona: str, addresses: dict[str, str], request: pytest.FixtureRequest
) -> None:
    client = visitor(request.getfixturevalue(persona))
    for name, row in PROJECT.items():
        for method in METHODS:
            answer = client.generic(method, addresses[name])
            assert (name, method, answer.status_code) == (
                name,
                method,
                expected(row, persona, method),
            )
            if answer.status_code == 405:
                assert answer["Allow"] == ", ".join(row.methods)


@pytest.mark.django_db(transaction=True)
def test_every_page_opens_under_row_security(
    addresses: dict[str, str],
    owner: Actor,
    with_row_security: list[str],
) -> None:
    assert "feedback_report" in with_row_security
    client = visitor(owner)
    for name, row in PROJECT.items():
        if "GET" in row.methods:
            assert (name, client.get(addresses[name]).status_code) == (name, row.status)


def test_whoever_is_not_signed_in_is_led_to_the_sign_in(addresses: dict[str, str]) -> None:
    paths = {**addresses, **{name: reverse(f"review:{name}") for name in ELSEWHERE}}
    for name, path in paths.items():
        for method in METHODS:
            answer = Client().generic(method, path)
            assert (name, method, answer.status_code) == (name, method, 303)
            assert answer["Location"].startswith("/sign-in/?next=")
            assert ("lost=1" in answer["Location"]) == (method not in READS)


@pytest.mark.parametrize("persona", [*ROLES, *STRANGERS])
def test_the_matrix_of_pages_outside_of_projects_holds(
    persona: str, request: pytest.FixtureRequest
) -> None:
    client = visitor(request.getfixturevalue(persona))
    for name, row in ELSEWHERE.items():
        for method in METHODS:
            answer = client.generic(method, reverse(f"review:{name}"))
            opened = {row.status, 303} if method in row.methods else {405}
            assert answer.status_code in opened, (name, method)


def test_an_override_of_the_method_changes_nothing(
    auditor: Actor, addresses: dict[str, str]
) -> None:
    client = visitor(auditor)
    answer = client.post(addresses["audit-list"], headers={"X-HTTP-Method-Override": "GET"})
    assert answer.status_code == 405
    answer = client.get(addresses["audit-list"], headers={"X-HTTP-Method-Override": "POST"})
    assert answer.status_code == 200


def test_what_a_role_may_not_open_is_refused_before_any_id_is_looked_up(
    auditor: Actor, addresses: dict[str, str]
) -> None:
    client = visitor(auditor)
    existing = client.get(addresses["report-get"])
    missing = client.get(reverse("review:report-get", args=["demo", MISSING]))
    assert existing.status_code == missing.status_code == 403
    assert without_request_id(existing) == without_request_id(missing)
    assert entries_of(auditor) == [("feedback.list", "refused", "forbidden", 0)] * 2
    assert "quagga" not in words_of(existing)


def without_request_id(answer: Any) -> bytes:
    """A page bar its request id, and the form token, which is masked anew whenever it is drawn."""
    request_id = answer["X-Request-Id"].encode()
    assert answer.content.count(request_id) == 1
    return TOKEN.sub(b"", answer.content.replace(request_id, b""))


def test_a_reader_may_look_at_a_report_but_is_told_that_the_form_is_not_theirs(
    reader: Actor, addresses: dict[str, str]
) -> None:
    answer = visitor(reader).post(addresses["report-promote"])
    assert answer.status_code == 403
    text = "Your role in this project (reader) does not include this. Nothing was saved."
    assert text in words_of(answer)
    assert entries_of(reader) == [("feedback.promote", "refused", "forbidden", 0)]


def test_every_page_that_is_not_found_is_the_same_page(
    outsider: Actor, addresses: dict[str, str]
) -> None:
    client = visitor(outsider)
    paths = [
        *addresses.values(),
        "/p/demo/nowhere/",
        "/p/never-existed/",
        "/p/never-existed/reports/",
        "/p/Not-A-Name/",
        f"/p/demo/reports/{MISSING.upper()}/",
        "/p/demo/reports/00000000-0000-0000-0000-000000000000/",
        "/nowhere",
    ]
    answers = [client.get(path) for path in paths]
    assert {answer.status_code for answer in answers} == {404}
    assert len({without_request_id(answer) for answer in answers}) == 1
    assert entries_of(outsider) == []


def test_a_project_opens_with_the_first_screen_that_the_role_has(
    reader: Actor, auditor: Actor, owner: Actor
) -> None:
    assert visitor(reader).get("/p/demo/")["Location"] == "/p/demo/reports/"
    assert visitor(auditor).get("/p/demo/")["Location"] == "/p/demo/audit/"
    assert visitor(owner).get("/p/demo/")["Location"] == "/p/demo/reports/"


def test_the_navigation_holds_what_the_role_may_open_and_nothing_else(
    reader: Actor, auditor: Actor, owner: Actor
) -> None:
    def places(actor: Actor, path: str) -> list[str]:
        page = visitor(actor).get(path).content.decode()
        nav = page[page.index('<nav class="nav"') : page.index("</nav>")]
        return re.findall(r"data-key=\"g .\">([^<]+)<", nav)

    content = ["Reports", "Context runs", "Records in trouble", "Integrity"]
    assert places(reader, "/p/demo/reports/") == content
    assert places(auditor, "/p/demo/audit/") == ["Audit log"]
    assert places(owner, "/p/demo/audit/") == [*content, "Audit log"]


def test_a_revoked_account_is_out_at_its_next_request(reader: Actor) -> None:
    client = visitor(reader)
    User.objects.filter(id=reader.id).update(is_active=False)
    assert client.get("/p/demo/reports/").status_code == 303


def test_a_new_password_ends_the_sign_ins_of_the_old_one(reader: Actor) -> None:
    client = visitor(reader)
    user = account(reader)
    user.set_password("another long enough password")
    user.save(update_fields=["password"])
    assert client.get("/p/demo/reports/").status_code == 303


def test_a_role_that_was_granted_counts_at_the_next_request(operator: Actor, nobody: Actor) -> None:
    client = visitor(nobody)
    assert client.get("/p/demo/audit/").status_code == 404
    grant(fresh(operator), "nobody", Role.AUDITOR)
    assert client.get("/p/demo/audit/").status_code == 200
