"""What the database's own catalogue says about our tables, and ways to break their rules by SQL."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from django.apps import apps
from django.db import Error, connection, transaction

from memory.constraints import constraint_name

if TYPE_CHECKING:
    from django.db.models import Field, Model

OURS = ("memory", "feedback", "review")


class Constraint(NamedTuple):
    """A constraint of one of our tables; kind is c, f, p or u."""

    table: str
    name: str
    kind: str
    definition: str
    is_deferred: bool


class TableIndex(NamedTuple):
    """An index of one of our tables, with its leading column."""

    table: str
    name: str
    leads: str


def models() -> list[type[Model]]:
    """Every model of our apps."""
    return [model for app in OURS for model in apps.get_app_config(app).get_models()]


def fields(kind: type[Field[Any, Any]]) -> list[tuple[type[Model], Any]]:
    """All fields of this kind in our models."""
    return [
        (model, field)
        for model in models()
        for field in model._meta.concrete_fields
        if isinstance(field, kind)
    ]


def fetch(sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """All rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def constraints() -> list[Constraint]:
    """All constraints of our tables but NOT NULL."""
    rows = fetch(
        "SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid),"
        " condeferred FROM pg_constraint WHERE conrelid::regclass::text ~ %s AND contype <> 'n'",
        f"^({'|'.join(OURS)})_",
    )
    return sorted(Constraint(*row) for row in rows)


def indexes() -> list[TableIndex]:
    """All indexes of our tables."""
    rows = fetch(
        "SELECT t.relname, i.relname, coalesce(a.attname, '')"
        " FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid"
        " JOIN pg_class i ON i.oid = x.indexrelid"
        " LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]"
        " WHERE t.relname ~ %s",
        f"^({'|'.join(OURS)})_",
    )
    return sorted(TableIndex(*row) for row in rows)


def triggers() -> set[tuple[str, str]]:
    """Table and name of every trigger of ours."""
    return set(
        fetch("SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal")
    )


def insert_like(table: str, **changes: object) -> None:
    """Insert a copy of some row, with a new id and these columns changed."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} SELECT (jsonb_populate_record(t, %s::jsonb"  # noqa: S608 - ours
            f" || jsonb_build_object('id', gen_random_uuid()))).* FROM {table} t LIMIT 1",
            [json.dumps(changes, default=str)],
        )


def run(sql: str, *parameters: Any) -> None:
    """Send one statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)


@contextmanager
def refused_by(name: str, what: object = "it") -> Iterator[None]:
    """What is sent here is refused by the rule of this name, and by no other."""
    refusing: str | None = "nothing"
    try:
        with transaction.atomic():
            yield
    except Error as error:
        refusing = constraint_name(error)
    assert refusing == name, f"{what} was refused by {refusing}"
