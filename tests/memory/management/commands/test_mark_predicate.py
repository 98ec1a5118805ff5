from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from memory.actor import Actor
from memory.models import Record
from tests.commands import answered, refusal_of, said
from tests.factories import a_record

pytestmark = pytest.mark.django_db


def test_current_records_come_under_the_rule(operator: Actor) -> None:
    a_record(operator, predicate="has_capital")
    a_record(operator, predicate="borders")
    assert answered("mark_predicate", "demo", "has_capital", "--single-valued") == {
        "project": "demo",
        "name": "has_capital",
        "single_valued": True,
        "records": 1,
    }
    assert list(Record.objects.filter(is_single_valued=True).values_list("predicate")) == [
        ("has_capital",)
    ]


def test_the_sentence_says_how_many(operator: Actor) -> None:  # noqa: ARG001 - makes the project
    assert said("mark_predicate", "demo", "has_capital", "--single-valued") == (
        "Predicate has_capital is single-valued in demo; 0 current records came under the rule.\n"
    )


def test_a_subject_that_has_it_twice_is_refused(operator: Actor) -> None:
    for object_ in ("EUR", "USD"):
        a_record(operator, subject="Here", predicate="uses_currency", object=object_)
    message = refusal_of("mark_predicate", "demo", "uses_currency", "--single-valued")
    assert message.startswith("Some subject has more than one current record")


def test_a_malformed_name_is_refused(operator: Actor) -> None:  # noqa: ARG001 - makes the project
    message = refusal_of("mark_predicate", "demo", "Has Capital", "--single-valued")
    assert message == 'Field "name" must match [a-z][a-z0-9_]* in at most 128 bytes.'


def test_it_says_nothing_of_a_predicate_by_default() -> None:
    with pytest.raises(CommandError, match="required: --single-valued"):
        call_command("mark_predicate", "demo", "has_capital")
