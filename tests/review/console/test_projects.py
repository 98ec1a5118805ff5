from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from memory.actor import Actor
from memory.models import User
from memory.vocabulary import Role
from tests.factories import PASSWORD, a_project, a_record, a_report, grant
from tests.review.visitors import entries_of, sign_in, visitor, words_of

PROJECTS = "/projects/"


@pytest.fixture
def second(operator: Actor) -> Actor:
    """The operator of another project."""
    del operator
    return a_project("second")[1]


def test_a_single_project_opens_by_itself(reader: Actor) -> None:
    client = visitor(reader)
    assert client.get("/")["Location"] == PROJECTS
    assert client.get(PROJECTS)["Location"] == "/p/demo/"


def test_several_projects_stand_by_name_with_the_roles_and_what_is_open(
    reader: Actor, second: Actor, agent: Actor
) -> None:
    grant(second, "reader", Role.AUDITOR)
    record = a_record(agent)
    a_report(agent, record)
    a_report(agent, record)
    words = words_of(visitor(reader).get(PROJECTS))
    main = words[words.index("Your projects, by name") :]
    assert "demo reader 2 under 1 min second auditor" in main
    assert "elsewhere" not in words


def test_what_is_open_is_not_told_to_an_auditor(
    auditor: Actor, second: Actor, agent: Actor
) -> None:
    grant(second, "auditor", Role.AUDITOR)
    a_report(agent)
    words = words_of(visitor(auditor).get(PROJECTS))
    assert "demo auditor second auditor" in words


def test_without_a_role_the_page_says_who_grants_them(nobody: Actor) -> None:
    answer = visitor(nobody).get(PROJECTS)
    assert answer.status_code == 200
    assert "You have no role in any project. The operator grants roles." in words_of(answer)


def test_the_switcher_opens_a_project_of_this_person_and_no_other(
    reader: Actor, second: Actor, outsider: Actor
) -> None:
    grant(second, "reader", Role.READER)
    client = visitor(reader)
    page = client.get("/p/demo/reports/").content.decode()
    assert f'<form class="actions" method="get" action="{PROJECTS}">' in page
    assert client.get(PROJECTS, {"project": "second"})["Location"] == "/p/second/"
    for foreign in ("elsewhere", "", "../x", "demo\0"):
        assert client.get(PROJECTS, {"project": foreign}).status_code == 404
    assert entries_of(outsider) == []


@pytest.mark.usefixtures("operator")
def test_a_superuser_has_no_project() -> None:
    User.objects.create_superuser("root", password=PASSWORD)
    client = Client()
    sign_in(client, "root")
    assert client.get("/p/demo/audit/").status_code == 404
    assert "You have no role in any project." in words_of(client.get(PROJECTS))


def test_looking_at_the_projects_is_no_read_of_content(reader: Actor, second: Actor) -> None:
    grant(second, "reader", Role.READER)
    assert visitor(reader).get(PROJECTS).status_code == 200
    assert entries_of(reader) == []


@pytest.mark.parametrize("reports", [0, 1, 20])
def test_the_projects_take_at_most_six_statements(
    reader: Actor,
    second: Actor,
    agent: Actor,
    reports: int,
    count_statements: Callable[[Callable[[], object]], int],
) -> None:
    grant(second, "reader", Role.READER)
    record = a_record(agent)
    for _ in range(reports):
        a_report(agent, record)
    client = visitor(reader)
    assert count_statements(lambda: client.get(PROJECTS)) <= 6
