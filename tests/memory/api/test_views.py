"""What `/v1/records` and `/v1/citations` answer, name by name (`contract.md` 1)."""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import UUID

import pytest

from memory.actor import Actor
from memory.operations.issue_credential import issue_credential
from memory.operations.mark_predicate import mark_predicate
from memory.vocabulary import Access, Trust
from tests.factories import a_report, fresh
from tests.valid_calls import a_draft
from tests.wire import InProcess

ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
FACT: Final = {
    "subject": "Burundi",
    "predicate": "has_capital",
    "object": "Bujumbura",
    "statement": "The capital of Burundi is Bujumbura.",
}
SOURCE: Final = {"type": "dataset", "ref": "countryinfo 1.0.1 BI", "id": "BI:has_capital"}


def _asserted(call: InProcess, **said: Any) -> dict[str, Any]:
    answer = call("/v1/records/assert", {"records": [a_draft(**{**FACT, **said})]})
    assert answer.status == 200, answer.content
    row: dict[str, Any] = answer.body["records"][0]
    return row


def _got(call: InProcess, id_: str) -> dict[str, Any]:
    answer: dict[str, Any] = call("/v1/records/get", {"id": id_}).body
    return answer


def _corrected(call: InProcess, row: dict[str, Any], **said: Any) -> dict[str, Any]:
    change = {
        "id": row["id"],
        "expected_version": row["version"],
        "object": "Gitega",
        "statement": "Gitega has been the capital since 2019.",
        **said,
    }
    answer = call("/v1/records/correct", {"records": [change]})
    assert answer.status == 200, answer.content
    corrected: dict[str, Any] = answer.body["records"][0]
    return corrected


def _retracted(call: InProcess, row: dict[str, Any]) -> Any:
    change = {"id": row["id"], "expected_version": row["version"]}
    answer = call("/v1/records/retract", {"records": [change]})
    assert answer.status == 200, answer.content
    return answer


def test_an_assertion_answers_a_row_a_record(call: InProcess) -> None:
    body = call("/v1/records/assert", {"records": [a_draft(), a_draft()]}).body

    assert list(body) == ["records", "replayed"]
    assert body["replayed"] is False
    for row in body["records"]:
        assert list(row) == ["id", "version", "source_observation_id", "replayed", "status"]
        ids = [row["id"], row["version"], row["source_observation_id"]]
        assert len(set(ids)) == 3
        assert all(ID.fullmatch(id_) for id_ in ids)
        assert (row["replayed"], row["status"]) == (False, "current")


def test_a_record_is_got_with_everything_that_it_says(call: InProcess, agent: Actor) -> None:
    said = {
        "data_subject_id": "user_42",
        "valid_from": "2020-01-01T01:00:00.5+01:00",
        "valid_until": "2030-01-01T00:00:00Z",
        "kind": "preference",
        "confidence": 0.75,
        "source": SOURCE,
    }
    row = _asserted(call, **said)

    got = _got(call, row["id"])

    assert {name: got[name] for name in FACT} == FACT
    assert (got["id"], got["version"]) == (row["id"], row["version"])
    assert (got["version_number"], got["scope"], got["status"]) == (1, "demo", "current")
    assert (got["kind"], got["confidence"], got["trust"]) == ("preference", 0.75, "asserted")
    assert (got["data_subject_id"], got["source_role"]) == ("user_42", "user")
    assert (got["subject_entity_id"], got["object_entity_id"]) == (None, None)
    assert got["valid"] == {
        "from": "2020-01-01T00:00:00.500000Z",
        "until": "2030-01-01T00:00:00.000000Z",
        "from_inclusive": True,
        "until_inclusive": False,
    }
    assert got["known"] == {
        "from": got["recorded_at"],
        "until": None,
        "from_inclusive": True,
        "until_inclusive": False,
    }
    assert (got["replaces"], got["replaced_by"], got["disputed"]) == (None, None, False)
    assert (got["single_valued"], got["citations"], got["open_reports"]) == (False, 1, 0)
    assert "retraction" not in got
    assert got["recorded_by"] == str(agent.id)
    assert (got["recorded_by_kind"], got["recorded_via"]) == ("credential", "api")
    assert TIME.fullmatch(got["recorded_at"])


def test_what_an_assertion_leaves_out_has_its_default(call: InProcess) -> None:
    got = _got(call, _asserted(call)["id"])

    assert (got["kind"], got["confidence"], got["data_subject_id"]) == ("semantic_fact", 1, None)
    assert got["valid"]["from"] == got["known"]["from"] == got["recorded_at"]
    assert got["valid"]["until"] is None
    assert isinstance(got["confidence"], int)


@pytest.mark.parametrize(
    ("cap", "trust"),
    [(Trust.UNTRUSTED, "untrusted"), (Trust.ASSERTED, "asserted"), (Trust.VERIFIED, "asserted")],
)
def test_a_record_is_trusted_no_further_than_its_credential(
    cap: Trust, trust: str, operator: Actor
) -> None:
    capped = issue_credential(
        actor=fresh(operator), name="capped", access=Access.READ_WRITE, max_trust=cap
    )
    caller = InProcess(capped.token)

    assert _got(caller, _asserted(caller)["id"])["trust"] == trust


def test_a_correction_closes_the_record_and_puts_another_in_its_place(call: InProcess) -> None:
    said = {"data_subject_id": "user_42", "kind": "preference", "confidence": 0.5}
    row = _asserted(call, **said)

    corrected = _corrected(call, row)

    names = ["original_id", "original_version", "id", "version", "source_observation_id"]
    assert list(corrected) == names
    old, new = _got(call, row["id"]), _got(call, corrected["id"])
    assert (old["id"], old["version"]) == (corrected["original_id"], corrected["original_version"])
    assert (old["status"], old["version_number"]) == ("superseded", 2)
    assert (old["replaced_by"], new["replaces"]) == (new["id"], old["id"])
    assert new["known"]["from"] == new["valid"]["from"] == old["known"]["until"]
    kept = ("subject", "predicate", "kind", "data_subject_id", "confidence", "trust")
    assert {name: new[name] for name in kept} == {name: old[name] for name in kept}
    assert (new["object"], new["version_number"], new["status"]) == ("Gitega", 1, "current")
    assert old["retraction"] == {
        "operation_id": old["retraction"]["operation_id"],
        "principal_id": new["recorded_by"],
        "retracted_at": old["known"]["until"],
        "replacement_record_id": new["id"],
        "replacement_source_observation_id": corrected["source_observation_id"],
    }


def test_a_correction_may_say_since_when_and_how_sure(call: InProcess) -> None:
    said = {"valid_from": "2019-01-16T00:00:00Z", "confidence": 0.9}

    new = _got(call, _corrected(call, _asserted(call), **said)["id"])

    assert (new["valid"]["from"], new["confidence"]) == ("2019-01-16T00:00:00.000000Z", 0.9)
    assert new["known"]["from"] != new["valid"]["from"]


def test_a_retraction_closes_the_record_for_good(call: InProcess, agent: Actor) -> None:
    row = _asserted(call)

    answer = _retracted(call, row)

    [retracted] = answer.body["records"]
    names = ["id", "version", "operation_id", "principal_id", "retracted_at"]
    assert list(retracted) == names
    assert retracted["operation_id"].replace("-", "") == answer.request_id.removeprefix("req_")
    assert retracted["principal_id"] == str(agent.id)
    got = _got(call, row["id"])
    assert (got["status"], got["version"], got["version_number"]) == (
        "retracted",
        retracted["version"],
        2,
    )
    assert got["known"]["until"] == retracted["retracted_at"]
    assert got["valid"]["until"] is None
    assert got["retraction"] == {name: retracted[name] for name in names[2:]}


@pytest.mark.parametrize("name", ["correct", "retract"])
def test_a_closed_record_or_another_version_is_a_conflict(name: str, call: InProcess) -> None:
    row = _asserted(call)
    words = {"object": "x", "statement": "y"} if name == "correct" else {}
    change = {"id": row["id"], "expected_version": row["id"], **words}
    stale = call(f"/v1/records/{name}", {"records": [change]})
    _retracted(call, row)
    closed = _got(call, row["id"])["version"]

    again = call(f"/v1/records/{name}", {"records": [change | {"expected_version": closed}]})

    assert stale.refusal == again.refusal == (409, "record_conflict")
    assert stale.message == "The record has changed. Read it again and decide anew."


def test_a_place_that_is_taken_is_a_conflict_and_the_first_stays(
    call: InProcess, operator: Actor
) -> None:
    mark_predicate(actor=fresh(operator), name="has_capital")
    row = _asserted(call)

    answer = call("/v1/records/assert", {"records": [a_draft(**{**FACT, "object": "Gitega"})]})

    assert answer.refusal == (409, "record_conflict")
    got = _got(call, row["id"])
    assert (got["object"], got["single_valued"], got["version"]) == (
        "Bujumbura",
        True,
        row["version"],
    )
    assert _got(call, _corrected(call, row)["id"])["single_valued"] is True


def test_a_list_shows_a_preview_of_each_record(call: InProcess) -> None:
    row = _asserted(call)

    [listed] = call("/v1/records/list", {"predicate": "has_capital", "limit": 1}).body["records"]

    got = _got(call, row["id"])
    assert listed == {
        "id": row["id"],
        "version": row["version"],
        "subject_entity_id": None,
        "object_entity_id": None,
        **{name: FACT[name] for name in ("subject", "predicate", "object")},
        "statement_preview": FACT["statement"],
        "statement_bytes": 36,
        "preview_truncated": False,
        "kind": "semantic_fact",
        "confidence": 1,
        "trust": "asserted",
        "disputed": False,
        "data_subject_id": None,
        "source_role": "user",
        "recorded_at": got["recorded_at"],
        "status": "current",
    }


def test_filters_of_a_list_hold_together(call: InProcess) -> None:
    one = _asserted(call, data_subject_id="user_1", statement="The heron flies home.")
    two = _asserted(call, data_subject_id="user_2", statement="Herons fly south.")
    _retracted(call, two)

    def found(**filters: str) -> list[str]:
        return [row["id"] for row in call("/v1/records/list", filters).body["records"]]

    assert found() == [two["id"], one["id"]]
    assert found(status="current") == [one["id"]]
    assert found(data_subject_id="user_2") == [two["id"]]
    assert found(data_subject_id="user_2", status="current") == []
    assert found(text="heron") == [two["id"], one["id"]]
    assert found(text="heron home") == [one["id"]]
    assert found(text="heron", subject="Burundi", status="retracted") == [two["id"]]
    assert found(subject="burundi") == []
    assert found(predicate="has_") == []
    assert found(data_subject_id="nobody") == []


def test_a_history_holds_every_state_newest_first(call: InProcess, agent: Actor) -> None:
    row = _asserted(call)
    corrected = _corrected(call, row)

    history = call("/v1/records/history", {"id": row["id"]}).body

    got = _got(call, row["id"])
    names = ["id", "version", "current", "retraction", "previous", "versions"]
    assert list(history) == names
    assert history["version"] == corrected["original_version"]
    assert history["current"] == {"valid": got["valid"], "known": got["known"]}
    assert history["retraction"] == got["retraction"]
    newest, first = history["versions"]
    assert (newest["version"], newest["version_number"]) == (corrected["original_version"], 2)
    assert (newest["change"], newest["status"]) == ("record.correct", "superseded")
    assert (first["version"], first["version_number"]) == (row["version"], 1)
    assert (first["change"], first["status"]) == ("record.assert", "current")
    [previous] = history["previous"]
    assert previous["history_id"] == row["version"]
    assert previous["known"]["until"] == got["known"]["until"]
    assert previous["ended_by_observation_id"] == corrected["source_observation_id"]
    for state in (newest, first, previous):
        assert re.fullmatch("req_[0-9a-f]{32}", state["request_id"])
        assert state["recorded_by"] == str(agent.id)
        assert (state["recorded_by_kind"], state["recorded_via"]) == ("credential", "api")


def test_a_history_without_a_change_has_nothing_previous(call: InProcess) -> None:
    history = call("/v1/records/history", {"id": _asserted(call)["id"]}).body

    assert (history["previous"], len(history["versions"])) == ([], 1)
    assert "retraction" not in history


def test_a_plain_retraction_ends_a_state_by_no_source(call: InProcess) -> None:
    row = _asserted(call)
    _retracted(call, row)

    [previous] = call("/v1/records/history", {"id": row["id"]}).body["previous"]

    assert previous["ended_by_observation_id"] is None


def test_citations_are_resolved_to_the_bytes_they_cite(call: InProcess, agent: Actor) -> None:
    statement = "Bujumbura — la capitale. 🜨"
    row = _asserted(call, statement=statement, source=SOURCE)

    resolved = call("/v1/citations/resolve", {"id": row["id"]}).body

    got = _got(call, row["id"])
    size = len(statement.encode())
    assert resolved["evidence"] == [
        {
            "source_observation_id": row["source_observation_id"],
            "source_ordinal": 0,
            "log_offset": 0,
            "relation": "supports",
            "role": "user",
            "source_kind": "curated",
            "source_type": "dataset",
            "source_ref": SOURCE["ref"],
            "source_trust": "asserted",
            "authored_by": str(agent.id),
            "occurred_at": got["recorded_at"],
            "quote": statement,
            "byte_start": 0,
            "byte_end": size,
            "extractor_version": "curated/v1",
            "context": statement,
            "context_byte_start": 0,
            "context_byte_end": size,
            "context_complete": True,
        }
    ]
    shared = set(resolved) - {"evidence"}
    assert {name: resolved[name] for name in shared} == {name: got[name] for name in shared}
    assert "retraction" not in resolved
    assert "replaced_by" not in resolved


def test_citations_of_a_closed_record_say_what_closed_it(call: InProcess) -> None:
    row = _asserted(call)
    corrected = _corrected(call, row)

    resolved = call("/v1/citations/resolve", {"id": row["id"]}).body

    assert resolved["replaced_by"] == corrected["id"]
    assert resolved["retraction"]["replacement_record_id"] == corrected["id"]
    assert resolved["evidence"][0]["quote"] == FACT["statement"]


def test_a_source_that_is_not_told_is_the_api(call: InProcess) -> None:
    [evidence] = call("/v1/citations/resolve", {"id": _asserted(call)["id"]}).body["evidence"]

    assert (evidence["source_type"], evidence["source_ref"]) == ("api", None)


def test_open_reports_are_counted_where_a_record_is_got(call: InProcess, agent: Actor) -> None:
    row = _asserted(call)
    for _ in range(3):
        a_report(agent, UUID(row["id"]))

    assert _got(call, row["id"])["open_reports"] == 3
    _retracted(call, row)
    assert _got(call, row["id"])["open_reports"] == 3
