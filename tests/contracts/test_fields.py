"""Each field of each route takes what `contract.md` says and refuses all else, naming the rule."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from itertools import pairwise
from typing import Any

import pytest

from memory.actor import Actor
from memory.http.serializers import InputSerializer, ListOf
from tests.contracts.audited import entries_by_request
from tests.contracts.field_rules import FIELDS, PLAIN_FIELDS, Rule
from tests.factories.loop_calls import an_observation, observation_id
from tests.valid_calls import ALL, ASKED, POSTED, TAKING, Route, a_body, route
from tests.wire import Answer, Call, entries_of

#: Names that a client might try: the server's own, and those of other products' lists.
SERVERS_OWN = ("project_id", "recorded_by", "promoted_at", "version", "user_id", "offset", "page")


def _steps(path: str) -> list[str | int]:
    return [int(step) if step.isdigit() else step for step in re.findall(r"\w+", path)]


def _with(body: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """The body with another value at a path; what is missing on the way there is made."""
    changed = deepcopy(body)
    place: Any = changed
    *way, last = _steps(path)
    for step in way:
        if step == "source" and "source" not in place:
            place["source"] = {"type": "dataset"}
        place = place[step]
    place[last] = value
    return changed


def _without(body: dict[str, Any], path: str) -> dict[str, Any]:
    changed = _with(body, path, None)
    place: Any = changed
    *way, last = _steps(path)
    for step in way:
        place = place[step]
    del place[last]
    return changed


def _names(answer: Answer, at: Route, path: str, words: str) -> tuple[Any, ...]:
    """The answer names the field with its rule; what has to be in the audit log."""
    code = at.invalid_code_of(path)
    assert answer.refusal == at.refusal(400, code), answer.content
    assert answer.message == f'Field "{path}" {words}'
    return at.view.operation_name, "refused", code, 0


def _is_refused(answer: Answer, at: Route, path: str, words: str) -> None:
    entry = _names(answer, at, path, words)
    assert entries_of(answer) == [entry]


def _paths(serializer: InputSerializer, prefix: str = "") -> list[str]:
    found = []
    for name, member in serializer.members.items():
        found.append(prefix + name)
        if isinstance(member, ListOf) and isinstance(member.child, InputSerializer):
            found += _paths(member.child, f"{prefix}{name}[0].")
        elif isinstance(member, InputSerializer):
            found += _paths(member, f"{prefix}{name}.")
    return found


def test_every_field_of_every_route_has_its_rule_in_the_order_of_the_contract() -> None:
    assert {at.name: _paths(at.input) if at.form else [] for at in ALL} == {
        name: list(fields) for name, fields in FIELDS.items()
    }


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_a_field_that_breaks_its_rule_is_named_with_it(at: Route, call: Call, agent: Actor) -> None:
    body = a_body(at, agent)
    entries: dict[str, list[tuple[Any, ...]]] = {}

    for path, rule in FIELDS[at.name].items():
        faults = [
            *((fault, "", rule.words) for fault in rule.faults),
            *((fault, "", words) for fault, words in rule.other_faults),
            *rule.inner_faults,
        ]
        assert faults
        for value, place, words in faults:
            answer = at.send(call, _with(body, path, value))
            entries[answer.request_id] = [_names(answer, at, f"{path}{place}", words)]
    assert entries_by_request(entries) == entries


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_a_required_field_is_refused_without_a_value_and_another_needs_none(
    at: Route, call: Call, agent: Actor
) -> None:
    refused = a_body(at, agent)  # as often as one likes; what is taken is taken once
    for path, rule in FIELDS[at.name].items():
        for without in (_without, lambda body, place: _with(body, place, None)):
            body = refused if rule.is_required else a_body(at, agent)
            answer = at.send(call, without(body, path))
            if not rule.is_required:
                assert answer.status == at.made, answer.content
            elif path == "messages" and without is _without:  # then it is no turn
                assert answer.refusal == (400, "invalid_body")
            else:
                _is_refused(answer, at, path, "is required.")


def _fitting(
    at: Route, whole: dict[str, Any], path: str, value: Any, agent: Actor
) -> dict[str, Any]:
    """The values of a call with a value that fits, and with what else it needs then."""
    body = _with(whole, path, value)
    around = path.rpartition(".")[0]
    if path.endswith(("valid_until", "valid_to")):
        return _with(body, f"{around}.valid_from", "0001-01-01T00:00:00Z")
    if path == "messages[0].role":
        return _with(body, "messages[0].group_ordinal", 0)
    if path == "claims[0].predicate":
        return _with(body, "claims[0].object", "x")
    if path == "claims[0].object":
        return _with(body, "claims[0].predicate", "x")
    if path.endswith(".quote"):
        source = an_observation(agent, body["subject_id"], value)
        return _with(body, f"{around}.observation_id", observation_id(source.id))
    if at.name == "memory:record-consolidate" and path == "subject_id":
        source = an_observation(agent, value)
        cited = "claims[0].sources[0].observation_id"
        return _with(body, cited, observation_id(source.id))
    if path.endswith(".relation") and value != "supports":
        [claim] = body["claims"]
        claim["sources"].append({**claim["sources"][0], "relation": "supports"})
    return body


def _status_of_a_fit(at: Route, path: str, value: object) -> int:
    """Ids that fit are looked up, and name nothing; trust is that of the credential at most."""
    if path.endswith("trust") and value in ("verified", "policy_approved"):
        return 400 if "claims" in path else 403
    if not FIELDS[at.name][path].names_something:
        return at.made
    return 409 if "version" in path else 404


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_a_field_takes_what_its_rule_allows_up_to_the_limit(
    at: Route, call: Call, agent: Actor
) -> None:
    whole = a_body(at, agent)
    for path, rule in FIELDS[at.name].items():
        for value in rule.fits:
            answer = at.send(call, _fitting(at, whole, path, value, agent))
            expected = _status_of_a_fit(at, path, value)
            assert answer.status == expected, (path, value, answer.content[:300])
            if at.is_write and expected == at.made:  # which a write cannot be twice
                whole = a_body(at, agent)


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_of_two_faulty_fields_the_first_is_named(at: Route, call: Call, agent: Actor) -> None:
    body, wrong = a_body(at, agent), [] if at.method == "POST" else ""
    for first, second in pairwise(PLAIN_FIELDS[at.name]):
        both = _with(_with(body, second, wrong), first, wrong)
        assert f'"{first}"' in at.send(call, both).message


@pytest.mark.parametrize("name", ["memory:record-assert", "memory:record-correct"])
def test_the_place_of_a_faulty_object_is_named(name: str, call: Call, agent: Actor) -> None:
    at = route(name)
    records = [a_body(at, agent)["records"][0] for _ in range(3)]
    records[2]["object"] = "x" * 1025

    answer = call(at.path, {"records": records})

    assert answer.message == 'Field "records[2].object" must be 1 to 1024 bytes.'


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("memory:record-assert", "idempotency_key"),
        ("memory:record-correct", "id"),
        ("memory:record-retract", "id"),
    ],
)
def test_a_record_twice_in_one_call_is_refused(
    name: str, field: str, call: Call, agent: Actor
) -> None:
    at = route(name)
    twice = a_body(at, agent)["records"] * 2

    _is_refused(
        call(at.path, {"records": twice}), at, f"records[1].{field}", "must not stand twice."
    )


def test_twenty_records_fit_in_one_call(call: Call, agent: Actor) -> None:
    at = route("memory:record-assert")
    records = [a_body(at, agent)["records"][0] for _ in range(20)]

    answer = call(at.path, {"records": records})

    assert len(answer.body["records"]) == 20
    assert entries_of(answer) == [("record.assert", "allowed", "", 20)]


BEGUN = "2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": BEGUN, "valid_until": BEGUN},
        {"valid_from": "2020-01-01T01:00:00.000001+01:00", "valid_until": BEGUN},
        {"valid_until": BEGUN},
    ],
)
def test_what_ends_must_have_begun(times: dict[str, str], call: Call, agent: Actor) -> None:
    at = route("memory:record-assert")
    body = a_body(at, agent)
    body["records"][0] |= times

    _is_refused(call(at.path, body), at, "records[0].valid_until", "must be after valid_from.")


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": BEGUN, "valid_until": "2020-01-01T00:00:00.000001Z"},
        {"valid_until": "9999-01-01T00:00:00Z"},
    ],
)
def test_what_ends_after_it_began_is_taken(times: dict[str, str], call: Call, agent: Actor) -> None:
    at = route("memory:record-assert")
    body = a_body(at, agent)
    body["records"][0] |= times

    assert call(at.path, body).status == 200


def test_a_history_has_one_cursor(call: Call, agent: Actor) -> None:
    at = route("memory:record-history")
    both = a_body(at, agent) | {"after": "x", "before": "x"}

    _is_refused(call(at.path, both), at, "before", "must not stand beside after.")


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_unknown_names_are_refused_at_every_level(at: Route, call: Call, agent: Actor) -> None:
    body = a_body(at, agent)
    places = {path.rpartition(".")[0] for path in FIELDS[at.name]}

    for place in sorted(places):
        for name in ("expected_versoin", "ID", " id", "", "user_id", "é", "x" * 200):
            path = f"{place}.{name}" if place else name
            answer = at.send(call, _with_name(body, place, name))
            assert answer.refusal == at.refusal(400, "invalid_body")
            shown = path if len(name) < 65 else f"{path[: len(path) - 136]}…"
            assert answer.message == f'Field "{shown}" is not known here.'


def _with_name(body: dict[str, Any], place: str, name: str) -> dict[str, Any]:
    changed = deepcopy(body)
    inner: Any = changed
    for step in _steps(place):
        if step == "source":
            inner.setdefault("source", {"type": "dataset"})
        inner = inner[step]
    inner[name] = "secret value"
    return changed


@pytest.mark.parametrize("at", POSTED, ids=str)
def test_a_name_twice_is_refused_at_every_level(at: Route, call: Call, agent: Actor) -> None:
    body = a_body(at, agent)
    if at.name == "memory:record-assert":
        body["records"][0]["source"] = {"type": "dataset", "ref": "x", "id": "y"}
    raw = json.dumps(at.body({"limit": 5, **body}), ensure_ascii=False)

    for name in set(re.findall(r'"(\w+)":', raw)):
        twice = raw.replace(f'"{name}":', f'"{name}":1,"{name}":', 1).encode()
        answer = at.send(call, body, raw=twice)
        assert answer.refusal == at.refusal_unread(400, "invalid_body")
        assert answer.message == f'Field "{name}" is given twice.'


@pytest.mark.parametrize("at", ASKED, ids=str)
def test_a_name_twice_is_refused_in_a_query(at: Route, call: Call) -> None:
    for name in at.members:
        for twice in (f"{name}=1&{name}=1", f"{name}=&{name}=", f"{name}=1&x=1&{name}=2"):
            answer = call(f"{at.path}?{twice}", b"", method="GET")
            assert answer.refusal == (400, "VALIDATION_ERROR")
            assert answer.message == "A name must not stand twice in the query."
            assert entries_of(answer) == [(at.view.operation_name, "refused", "invalid_body", 0)]


@pytest.mark.parametrize("at", ASKED, ids=str)
def test_what_is_no_query_is_refused(at: Route, call: Call) -> None:
    many = "&".join(f"a{number}=1" for number in range(33))
    for query in ("limit=%ff", "%c3%28=1", "limit=1&subject_id=%ed%a0%80", many):
        answer = call(f"{at.path}?{query}", b"", method="GET")
        assert answer.refusal == (400, "VALIDATION_ERROR"), query
        assert answer.message == "The query must be a few names and values in UTF-8."


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_what_the_server_decides_cannot_be_sent(at: Route, call: Call, agent: Actor) -> None:
    body = a_body(at, agent)
    for name in SERVERS_OWN:
        answer = at.send(call, body | {name: "x"})
        rule = FIELDS[at.name].get(name)
        if rule:  # clients know the name, and may say null
            _is_refused(answer, at, name, "must be left out: the credential picks the project.")
            continue
        assert answer.refusal == at.refusal(400, "invalid_body")
        assert answer.message == f'Field "{name}" is not known here.'


@pytest.mark.parametrize("at", TAKING, ids=str)
def test_a_refusal_never_repeats_a_value(at: Route, call: Call, agent: Actor) -> None:
    secret = "hush-4711"
    body = a_body(at, agent)

    for path, rule in FIELDS[at.name].items():
        for value in _spoilt(at, rule, secret):
            answer = at.send(call, _with(body, path, value))
            assert answer.status == 400
            assert secret not in answer.message


def _spoilt(at: Route, rule: Rule, secret: str) -> list[object]:
    """Values that no field takes; in a query all values are texts."""
    texts: list[object] = [f"{secret}\0", secret * 20_000]
    if at.method == "GET":
        return texts
    return [[secret], *texts] + ([{secret: secret}] if rule.is_cursor else [])
