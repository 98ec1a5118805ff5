from __future__ import annotations

import pytest

from memory.management.commands.create_project import SEARCH_LANGUAGES
from memory.models import Project
from memory.vocabulary import SearchLanguage
from tests.commands import answered, refusal_of, said

pytestmark = pytest.mark.django_db


def test_a_project_is_created() -> None:
    assert said("create_project", "acme") == "Project acme is ready.\n"
    assert Project.objects.get(name="acme").search_language == "english"


def test_json_names_the_project() -> None:
    answer = answered("create_project", "acme", "--search-language", "simple")
    project = Project.objects.get()
    assert answer == {"id": str(project.id), "name": "acme"}
    assert project.search_language == "simple"


def test_the_search_languages_are_those_of_the_model() -> None:
    assert list(SEARCH_LANGUAGES) == SearchLanguage.values


def test_a_name_that_is_taken_is_refused() -> None:
    said("create_project", "acme")
    assert (
        refusal_of("create_project", "acme")
        == "A project of that name exists already. Choose another name."
    )


@pytest.mark.parametrize("name", ["Acme", "-acme", "a b", "", "a" * 64, "acme\n"])
def test_a_malformed_name_is_refused(name: str) -> None:
    message = (
        refusal_of("create_project", name)
        if not name.startswith("-")
        else refusal_of("create_project", "--", name)
    )
    assert message == 'Field "name" must be 1 to 63 of a-z, 0-9 and -, not starting with -.'
    assert not Project.objects.exists()
