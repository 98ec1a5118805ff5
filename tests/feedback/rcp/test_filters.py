"""Filters: each field with each operator, each fault, and a model of what they mean (1.8)."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

import pytest

from feedback.rcp.errors import Code, RcpError
from feedback.rcp.filters import ALLOWED, DEPTH, FIELDS, NODES, FieldType, condition_of
from memory.actor import Actor
from memory.operations.record_rows import Origin
from memory.queries.record_filters import Comparison, Operator
from memory.vocabulary import RecordKind
from tests.factories import MARKER, a_record
from tests.rcp import Client

OPERATORS: Final = tuple(Operator)
#: A value of each type, and values that are of none.
SAMPLES: Final[dict[FieldType, Any]] = {
    FieldType.KEYWORD: "x",
    FieldType.TEXT: "x",
    FieldType.INT: 1,
    FieldType.FLOAT: 0.5,
    FieldType.BOOL: True,
    FieldType.DATE: "2026-12-01T12:00:00Z",
}
WRONG: Final[dict[FieldType, tuple[Any, ...]]] = {
    FieldType.KEYWORD: (5, True, "", "x" * 1_025, "é" * 513, "a\u0000", ["x"], {}),
    FieldType.TEXT: (5, True, "", "x" * 1_025, "a\u0000", ["x"], {}),
    FieldType.INT: (1.0, 1.5, "1", True, [1], {}),
    FieldType.FLOAT: ("0.5", True, [0.5], {}),
    FieldType.BOOL: (1, 0, "true", [True], {}),
    FieldType.DATE: (
        *(5, True, "2026-12-01", "2026-12-01T12:00:00", "2026-02-30T12:00:00Z", "now", [], {}),
        1_764_590_400_000,
    ),
}


def refused(filter_: Any) -> tuple[int, str, str]:
    """Code, field and detail of a refused filter."""
    with pytest.raises(RcpError) as refusal:
        condition_of(filter_)
    data = refusal.value.data
    assert data
    return refusal.value.code, data["field"], data.get("detail", "")


def leaf(field: str, op: Any, value: Any) -> dict[str, Any]:
    """A comparison."""
    return {"field": field, "op": op, "value": value}


def fitting(kind: FieldType, operator: Operator) -> Any:
    """A value that the operator takes."""
    if operator is Operator.EXISTS:
        return True
    return [SAMPLES[kind]] if operator in (Operator.IN, Operator.NIN) else SAMPLES[kind]


# --- Faults --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_each_field_has_the_operators_of_its_type(name: str, operator: Operator) -> None:
    field, kind = FIELDS[name]
    filter_ = leaf(name, operator.value, fitting(kind, operator))

    if operator in ALLOWED[kind]:
        found = condition_of(filter_)
        assert isinstance(found, Comparison)
        assert (found.field, found.operator) == (field, operator)
    else:
        assert refused(filter_)[:2] == (Code.INVALID_PARAMS, f"filter.{name}")


@pytest.mark.parametrize("name", FIELDS)
def test_values_of_another_type_are_refused(name: str) -> None:
    kind = FIELDS[name][1]
    for value in WRONG[kind]:
        assert refused(leaf(name, "eq", value))[:2] == (Code.INVALID_PARAMS, f"filter.{name}")
        for listing in ("in", "nin"):
            if Operator(listing) in ALLOWED[kind]:
                found = refused(leaf(name, listing, [SAMPLES[kind], value]))
                assert found[:2] == (Code.INVALID_PARAMS, f"filter.{name}"), value
    for value in (1, 0, "true", [True]):
        assert refused(leaf(name, "exists", value))[1] == f"filter.{name}"


@pytest.mark.parametrize("listing", ["in", "nin"])
def test_lists_hold_one_to_a_thousand_values(listing: str) -> None:
    condition_of(leaf("kind", listing, ["x"] * 1_000))
    for value in ([], ["x"] * 1_001, "x", {"a": 1}):
        assert refused(leaf("kind", listing, value))[:2] == (Code.INVALID_PARAMS, "filter.kind")


def test_an_unknown_field_is_refused_by_its_shown_name() -> None:
    for name in ("project_id", "project", "credential", "dataSubject", "Kind", "", "r.subject"):
        assert refused(leaf(name, "eq", "x"))[:2] == (Code.INVALID_PARAMS, f"filter.{name}")
    assert refused(leaf("a\u202eb\u0000", "eq", 1))[1] == "filter.a\\u202eb\\u0000"
    assert len(refused(leaf("x" * 9_000, "eq", 1))[1]) < 100


@pytest.mark.parametrize("word", ["near", "EQ", "=", "", "like", "regex"])
def test_a_word_that_is_no_operator_is_not_supported(word: str) -> None:
    with pytest.raises(RcpError) as refusal:
        condition_of({"or": [leaf("kind", word, 5), leaf("object", "eq", "x")]})

    assert refusal.value.code == Code.OPTION_UNSUPPORTED
    assert refusal.value.data == {"option": "filter.op", "field": "filter.kind"}


@pytest.mark.parametrize(
    ("filter_", "place"),
    [
        ({}, "filter"),
        ([], "filter"),
        ("x", "filter"),
        ({"and": []}, "filter.and"),
        ({"or": {}}, "filter.or"),
        ({"not": []}, "filter.not"),
        ({"not": {}}, "filter.not"),
        ({"value": 1, "op": "eq"}, "filter"),
        ({"and": [leaf("kind", "eq", "x")], "or": [leaf("kind", "eq", "x")]}, "filter"),
        ({**leaf("kind", "eq", "x"), "not": leaf("kind", "eq", "x")}, "filter"),
        ({"field": "kind", "op": "eq"}, "filter.value"),
        ({"field": "kind", "op": "eq", "value": None}, "filter.value"),
        ({"field": "kind", "value": "x"}, "filter.op"),
        ({"field": "kind", "op": 5, "value": "x"}, "filter.op"),
        ({"field": 5, "op": "eq", "value": "x"}, "filter.field"),
        ({"and": [leaf("kind", "eq", "x"), {"or": [{}]}]}, "filter.and[1].or[0]"),
        ({"not": {"and": [5]}}, "filter.not.and[0]"),
    ],
)
def test_a_tree_out_of_shape_is_refused_by_its_place(filter_: Any, place: str) -> None:
    code, field, detail = refused(filter_)

    assert (code, field) == (Code.INVALID_PARAMS, "filter")
    assert detail.startswith(f"{place} must")


def test_null_is_absent_and_unknown_names_are_ignored() -> None:
    filter_ = {**leaf("kind", "eq", "x"), "and": None, "or": None, "not": None, "boost": 2}

    assert isinstance(condition_of(filter_), Comparison)


def test_a_tree_has_at_most_so_many_nodes_and_levels() -> None:
    def nested(depth: int) -> dict[str, Any]:
        return leaf("kind", "eq", "x") if depth == 1 else {"not": nested(depth - 1)}

    condition_of(nested(DEPTH))
    assert refused(nested(DEPTH + 1))[:2] == (Code.INVALID_PARAMS, "filter")
    condition_of({"and": [leaf("kind", "eq", "x")] * (NODES - 1)})
    assert refused({"and": [leaf("kind", "eq", "x")] * NODES})[1] == "filter"


def test_a_fault_comes_before_an_operator_that_is_not_supported() -> None:
    near = leaf("kind", "near", "x")

    for fault in ({}, leaf("nothing", "eq", "x"), leaf("kind", "eq", 5)):
        assert refused({"and": [near, fault]})[0] == Code.INVALID_PARAMS


def test_no_message_shows_a_value() -> None:
    for filter_ in (leaf("kind", "eq", "quagga\u0000"), leaf("confidence", "eq", "quagga")):
        with pytest.raises(RcpError) as refusal:
            condition_of(filter_)
        assert "quagga" not in str(refusal.value.member)


@pytest.mark.django_db
def test_refusals_of_filters_reach_the_client(rcp: Client) -> None:
    near = {"query": "x", "filter": leaf("kind", "near", "x")}

    assert rcp.code("retrieve", near) == -32005
    assert rcp.code("retrieve", {**near, "strict": False}) == -32005  # else the result were wider
    error = rcp.error("retrieve", {"query": "x", "filter": leaf("nothing", "eq", "x")})
    assert (error["code"], error["data"]["field"]) == (-32602, "filter.nothing")


# --- Meaning -------------------------------------------------------------------------------------

EARLY: Final = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def hits(rcp: Client, agent: Actor) -> dict[str, dict[str, Any]]:
    """Records that differ in each field, as hits by their id."""
    for number, kind in enumerate(RecordKind):
        origin = Origin("book", f"page {number}" if number % 2 else None, str(uuid4()))
        a_record(
            agent,
            kind=kind,
            predicate=f"p_{number % 3}",
            statement=f"Statement {'abc'[number % 3]} 100% _{number} of the {MARKER}.",
            confidence=(number + 1) / 10,
            origin=origin if number else None,
            valid_from=EARLY + timedelta(days=number),
            valid_until=datetime(2999, 1, 1, tzinfo=UTC) if number > 3 else None,
        )
    return {hit["id"]: hit for hit in rcp.hits(MARKER, k=50)}


def value_of(hit: dict[str, Any], name: str) -> Any:
    """What a hit has in a field, None if nothing."""
    citation = hit["citation"]
    return {
        **hit["meta"],
        "statement": hit["text"],
        "sourceId": citation["source"],
        "sourceRef": citation.get("title"),
        "sourceType": "book" if hit["meta"]["kind"] != "semantic_fact" else "api",
    }.get(name)


COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": lambda mine, given: mine == given,
    "gt": lambda mine, given: mine > given,
    "gte": lambda mine, given: mine >= given,
    "lt": lambda mine, given: mine < given,
    "lte": lambda mine, given: mine <= given,
    "in": lambda mine, given: mine in given,
    "contains": lambda mine, given: given in mine,
}


def holds(filter_: dict[str, Any], hit: dict[str, Any]) -> bool:
    """The rules of 1.8 in plain Python."""
    if "and" in filter_:
        return all(holds(part, hit) for part in filter_["and"])
    if "or" in filter_:
        return any(holds(part, hit) for part in filter_["or"])
    if "not" in filter_:
        return not holds(filter_["not"], hit)
    mine = value_of(hit, filter_["field"])
    op, given = filter_["op"], filter_["value"]
    if op == "exists":
        return (mine is not None) == bool(given)
    if op in ("ne", "nin"):
        return mine is None or not COMPARED["eq" if op == "ne" else "in"](mine, given)
    return mine is not None and COMPARED[op](mine, given)


def a_leaf(chance: random.Random, found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """A comparison with values that some hits have."""
    kind = FIELDS[name][1]
    op = chance.choice(sorted(ALLOWED[kind]))
    values = [value for hit in found if (value := value_of(hit, name)) is not None]
    given: Any = chance.choice(values)
    if op == "exists":
        given = chance.random() < 0.5
    elif op in ("in", "nin"):
        given = chance.sample(values, min(2, len(values)))
    elif op == "contains":
        given = chance.choice(("Statement a", "100%", "_", "%", "quagga.", "QUAGGA"))
    return leaf(name, op, given)


def a_tree(chance: random.Random, found: list[dict[str, Any]], depth: int) -> dict[str, Any]:
    """A filter of any shape."""
    form = chance.choice(("and", "or", "not", "field")) if depth else "field"
    if form == "field":
        return a_leaf(chance, found, chance.choice(list(FIELDS)))
    if form == "not":
        return {"not": a_tree(chance, found, depth - 1)}
    return {form: [a_tree(chance, found, depth - 1) for _ in range(chance.randrange(1, 4))]}


def assert_as_in_python(rcp: Client, hits: dict[str, dict[str, Any]], filter_: Any) -> None:
    found = {hit["id"] for hit in rcp.hits(MARKER, k=50, filter=filter_)}
    assert found == {id_ for id_, hit in hits.items() if holds(filter_, hit)}, filter_


@pytest.mark.django_db
def test_every_comparison_finds_what_it_should(
    rcp: Client, hits: dict[str, dict[str, Any]]
) -> None:
    found = list(hits.values())
    assert len(found) == len(RecordKind)
    for name, (_, kind) in FIELDS.items():
        values = [value for hit in found if (value := value_of(hit, name)) is not None]
        middle = sorted(values)[len(values) // 2]
        for operator in ALLOWED[kind]:
            given: Any = middle
            if operator is Operator.EXISTS:
                given = False
            elif operator in (Operator.IN, Operator.NIN):
                given = [middle]
            assert_as_in_python(rcp, hits, leaf(name, operator.value, given))


@pytest.mark.django_db
def test_trees_find_what_they_should(rcp: Client, hits: dict[str, dict[str, Any]]) -> None:
    chance = random.Random(7)  # noqa: S311 - repeatable, not secret
    for _ in range(60):
        assert_as_in_python(rcp, hits, a_tree(chance, list(hits.values()), 3))


@pytest.mark.django_db
@pytest.mark.usefixtures("hits")
@pytest.mark.parametrize(
    ("filter_", "number"),
    [
        (leaf("subject", "eq", "x' OR 'a'='a"), 0),
        (leaf("subject", "ne", "%s %(project)s {0} \\ \u202e🦓"), 6),
        (leaf("statement", "contains", "%"), 6),
        (leaf("statement", "contains", "STATEMENT"), 0),
        (leaf("versionNumber", "lt", 10**60), 6),
        (leaf("versionNumber", "in", [1, 10**60, -(10**18)]), 6),
        (leaf("confidence", "gt", 1e-300), 6),
        (leaf("confidence", "lte", 10**60), 6),
        (leaf("recordedAt", "gt", "0001-01-01T00:00:00Z"), 6),
        (leaf("validUntil", "gte", "9999-12-31T23:59:59.999999Z"), 0),
        (leaf("validFrom", "eq", "2020-01-01T02:00:00+02:00"), 1),
        (leaf("recordId", "eq", "no uuid"), 0),
        (leaf("disputed", "eq", value=False), 6),
        ({"not": {"not": leaf("sourceRef", "exists", value=True)}}, 3),
        ({"not": leaf("validUntil", "gt", "2000-01-01T00:00:00Z")}, 4),
    ],
    ids=str,
)
def test_odd_values_are_values(filter_: Any, number: int, rcp: Client) -> None:
    assert len(rcp.hits(MARKER, k=50, filter=filter_)) == number
