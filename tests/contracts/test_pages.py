"""Lists: pages, cursors that fit one list only, walks while rows come (`contract.md` 0.7)."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID, uuid4

import pytest
from django.core.signing import Signer
from django.db import connection

from memory.actor import Actor
from memory.http.fields import CURSOR_BYTES
from memory.operations.correct_records import Correction, correct_records
from memory.operations.retract_records import RetractionDraft, retract_records
from tests.factories import a_record, a_report, a_run, a_signal, an_outcome, fresh, some_records
from tests.factories.loop_calls import context_id
from tests.valid_calls import a_draft
from tests.wire import Answer, Foreigner, InProcess

NO_CURSOR: Final = "must be the cursor of an earlier page of this list."
#: Lists: path, code of a refusal, name of the rows.
LISTS: Final = {
    "/v1/records/list": ("invalid_record_page", "records"),
    "/v1/records/history": ("invalid_record_page", "versions"),
    "/v1/citations/resolve": ("invalid_citation", "evidence"),
    "/v1/feedback/list": ("invalid_feedback", "feedback"),
    "/v1/signals/list": ("invalid_signal_page", "signals"),
    "/v1/context/runs": ("VALIDATION_ERROR", "runs"),
    "/v1/context/outcomes": ("VALIDATION_ERROR", "outcomes"),
}
#: Lists that are read with GET.
ASKED: Final = ("/v1/context/runs", "/v1/context/outcomes")


def _listed(call: InProcess, path: str, asked: dict[str, Any], **how: Any) -> Answer:
    """One page, asked for as the list wants it."""
    if path not in ASKED:
        return call(path, asked, **how)
    return call(f"{path}?{urlencode(asked)}", b"", method="GET", **how)


def _told(answer: Answer) -> Any:
    """The page, without what is said about it."""
    return answer.body.get("data", answer.body)


def _pages(call: InProcess, path: str, asked: dict[str, Any]) -> Iterator[Answer]:
    """All pages of a list."""
    after: dict[str, Any] = {}
    while True:
        answer = _listed(call, path, asked | after)
        assert answer.status == 200, answer.content
        yield answer
        if "next" not in _told(answer):
            return
        after = {"after": _told(answer)["next"]}


def _rows(call: InProcess, path: str, asked: dict[str, Any]) -> list[Any]:
    name = LISTS[path][1]
    return [row for page in _pages(call, path, asked) for row in _told(page)[name]]


def _corrected(agent: Actor) -> str:
    """A record that was corrected: it has two versions, its successor one."""
    record = a_record(agent)
    correct_records(
        actor=fresh(agent),
        corrections=[
            Correction(
                record_id=record.id,
                expected_version=record.version,
                object="another",
                statement="Another.",
            )
        ],
    )
    return str(record.id)


def _first_pages(call: InProcess, agent: Actor) -> dict[str, tuple[dict[str, Any], str]]:
    """What was asked of each list that has more than one page here, and the cursor it gave."""
    for record in some_records(agent, 3):
        a_report(agent, record)
        a_signal(agent, record, is_poison_suspected=True)
    asked: dict[str, dict[str, Any]] = {
        "/v1/records/list": {"limit": 1, "status": "current"},
        "/v1/feedback/list": {"limit": 1, "open_only": True},
        "/v1/records/history": {"limit": 1, "id": _corrected(agent)},
        "/v1/signals/list": {"limit": 1, "suspected_only": True},
        "/v1/context/runs": {"limit": 1, "outcome": "useful"},
        "/v1/context/outcomes": {"limit": 1, "outcome": "useful"},
    }
    for _ in range(3):
        an_outcome(agent, a_run(agent))
    return {path: (body, _told(_listed(call, path, body))["next"]) for path, body in asked.items()}


def _is_no_cursor(answer: Answer, path: str, field: str = "after") -> None:
    assert answer.refusal == (400, LISTS[path][0]), answer.content
    assert answer.message == f'Field "{field}" {NO_CURSOR}'


def test_a_page_ends_with_a_cursor_unless_it_is_the_last(call: InProcess, agent: Actor) -> None:
    for record in some_records(agent, 5):
        a_report(agent, record)
        a_signal(agent, record)
        an_outcome(agent, a_run(agent))

    for path in ("/v1/records/list", "/v1/feedback/list", "/v1/signals/list", *ASKED):
        for limit, sizes in ((2, [2, 2, 1]), (4, [4, 1]), (5, [5]), (100, [5])):
            pages = [_told(page) for page in _pages(call, path, {"limit": limit})]
            assert [len(page[LISTS[path][1]]) for page in pages] == sizes
            assert ["next" in page for page in pages] == [True] * (len(sizes) - 1) + [False]
            assert all(len(page["next"]) <= CURSOR_BYTES for page in pages[:-1])


def test_an_empty_list_has_no_cursor(call: InProcess) -> None:
    assert call("/v1/records/list").body == {"records": []}
    assert call("/v1/feedback/list").body == {"feedback": []}
    assert call("/v1/signals/list").body == {"signals": []}
    for path in ASKED:
        assert _told(_listed(call, path, {})) == {LISTS[path][1]: []}


def test_the_limit_may_change_from_page_to_page(call: InProcess, agent: Actor) -> None:
    ids = [str(record.id) for record in some_records(agent, 6)]
    first = call("/v1/records/list", {"limit": 1}).body
    second = call("/v1/records/list", {"limit": 3, "after": first["next"]}).body
    third = call("/v1/records/list", {"after": second["next"]}).body

    seen = [row["id"] for page in (first, second, third) for row in page["records"]]
    assert sorted(seen) == sorted(ids)
    assert [len(page["records"]) for page in (first, second, third)] == [1, 3, 2]


def test_what_is_left_out_and_null_are_one_list(call: InProcess, agent: Actor) -> None:
    some_records(agent, 2)
    cursor = call("/v1/records/list", {"limit": 1, "subject": None}).body["next"]

    assert call("/v1/records/list", {"after": cursor, "status": None}).status == 200


def test_a_changed_bit_anywhere_in_a_cursor_is_noticed(call: InProcess, agent: Actor) -> None:
    """One bit a character; `tests/memory/http/test_cursor.py` turns every one of them."""
    for path, (asked, cursor) in _first_pages(call, agent).items():
        for place, mark in enumerate(cursor):
            forged = cursor[:place] + chr(ord(mark) ^ 1 << place % 7) + cursor[place + 1 :]
            _is_no_cursor(_listed(call, path, asked | {"after": forged}), path)


def test_what_is_not_a_whole_cursor_is_refused(call: InProcess, agent: Actor) -> None:
    for path, (asked, cursor) in _first_pages(call, agent).items():
        place, _, signature = cursor.rpartition(".")
        wrong = [
            *(cursor[:length] for length in range(1, len(cursor), 7)),
            *(cursor[1:], f" {cursor}", f"{cursor} ", f"{cursor}=", f"{cursor}\n", cursor * 2),
            *(cursor.upper(), cursor.swapcase(), cursor[::-1], place, signature, f".{signature}"),
            *("x" * CURSOR_BYTES, "x" * (CURSOR_BYTES + 1), "x" * 10_240, "." * 512, "~", "\u0660"),
            *(base64.b64encode(cursor.encode()).decode(), str(uuid4()), "0", "null", "eyJ2IjoxfQ"),
        ]
        for text in wrong:
            _is_no_cursor(_listed(call, path, asked | {"after": text}), path)
        assert _listed(call, path, asked | {"after": cursor}).status == 200


def test_a_cursor_fits_one_list_only(call: InProcess, agent: Actor, foreigner: Foreigner) -> None:
    pages = _first_pages(call, agent)
    for _ in range(2):
        a_report(foreigner.actor)
        a_signal(foreigner.actor, a_record(foreigner.actor), is_poison_suspected=True)
        an_outcome(foreigner.actor, a_run(foreigner.actor))

    for path, (asked, cursor) in pages.items():
        for other, (body, _) in pages.items():
            if other != path:
                _is_no_cursor(_listed(call, other, body | {"after": cursor}), other)
        if "id" not in asked:
            foreign = _listed(call, path, asked | {"after": cursor}, token=foreigner.token)
            _is_no_cursor(foreign, path)


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("/v1/records/list", {"status": "retracted"}),
        ("/v1/records/list", {"predicate": "has_capital"}),
        ("/v1/records/list", {"subject": "x"}),
        ("/v1/records/list", {"data_subject_id": "x"}),
        ("/v1/records/list", {"text": "x"}),
        ("/v1/feedback/list", {"open_only": False}),
        ("/v1/feedback/list", {"ready_only": True}),
        ("/v1/feedback/list", {"order": "oldest"}),
        ("/v1/feedback/list", {"record_id": "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"}),
        ("/v1/records/history", {"id": ""}),
        ("/v1/signals/list", {"suspected_only": False}),
        ("/v1/signals/list", {"record_id": "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"}),
        ("/v1/context/runs", {"outcome": "used"}),
        ("/v1/context/runs", {"subject_id": "x"}),
        ("/v1/context/outcomes", {"outcome": "used"}),
        ("/v1/context/outcomes", {"actor_id": "0b7f3a52-9a68-4f0e-8d7b-3d7f6a1c2e90"}),
        ("/v1/context/outcomes", {"claim_id": f"claim_{'f' * 32}"}),
        ("/v1/context/outcomes", {"context_id": f"ctx_{'f' * 32}"}),
    ],
)
def test_a_cursor_fits_the_filters_and_order_of_its_first_page(
    path: str, other: dict[str, Any], call: InProcess, agent: Actor
) -> None:
    asked, cursor = _first_pages(call, agent)[path]
    if "id" in other:
        other = {"id": _corrected(agent)}

    _is_no_cursor(_listed(call, path, asked | other | {"after": cursor}), path)


def test_a_place_signed_for_something_else_is_no_cursor(call: InProcess, agent: Actor) -> None:
    """An older format of cursors, say, or another thing that the secret key signs."""
    for path, (asked, cursor) in _first_pages(call, agent).items():
        place, _, _ = cursor.rpartition(".")
        for salt in ("errata.cursor.0", "errata.cursor.1", "django.core.signing.Signer"):
            forged = Signer(sep=".", salt=salt).sign(place)
            _is_no_cursor(_listed(call, path, asked | {"after": forged}), path)


def test_before_is_another_name_for_after_in_a_history(call: InProcess, agent: Actor) -> None:
    path = "/v1/records/history"
    asked = {"limit": 1, "id": _corrected(agent)}
    cursor = call(path, asked).body["next"]

    by_after = call(path, asked | {"after": cursor}).body
    by_before = call(path, asked | {"before": cursor}).body

    assert by_after == by_before
    assert by_after["versions"][0]["version_number"] == 1
    _is_no_cursor(call(path, asked | {"before": "x"}), path, "before")


@pytest.mark.parametrize("order", ["newest", "oldest"])
def test_a_walk_sees_each_row_once_in_order(order: str, call: InProcess, agent: Actor) -> None:
    for record in some_records(agent, 20):
        a_report(agent, record)

    whole = _rows(call, "/v1/feedback/list", {"limit": 100, "order": order})

    for limit in (1, 7, 20):
        walked = _rows(call, "/v1/feedback/list", {"limit": limit, "order": order})
        assert [row["id"] for row in walked] == [row["id"] for row in whole]
    keys = [(row["recorded_at"], row["id"]) for row in whole]
    assert keys == sorted(keys, reverse=order == "newest")


def test_rows_that_come_meanwhile_repeat_and_skip_nothing(call: InProcess, agent: Actor) -> None:
    ids = [str(a_report(agent).id) for _ in range(9)]
    seen = []

    for page in _pages(call, "/v1/feedback/list", {"limit": 2, "open_only": True}):
        seen += [row["id"] for row in page.body["feedback"]]
        a_report(agent)

    assert sorted(seen) == sorted(ids)


def test_a_row_that_left_the_queue_leaves_the_cursor_that_names_it_good(
    call: InProcess, agent: Actor
) -> None:
    records = some_records(agent, 6)
    reports = [a_report(agent, record) for record in records]
    asked = {"limit": 2, "open_only": True, "order": "oldest"}
    first = call("/v1/feedback/list", asked).body

    for record, report in list(zip(records, reports, strict=True))[:4]:  # behind, at and ahead
        promoted = call(
            "/v1/feedback/promote", {"id": str(report.id), "expected_version": str(record.version)}
        )
        assert promoted.status == 200
    rest = call("/v1/feedback/list", asked | {"after": first["next"]}).body

    assert [row["id"] for row in first["feedback"]] == [str(r.id) for r in reports[:2]]
    assert [row["id"] for row in rest["feedback"]] == [str(r.id) for r in reports[4:]]
    assert "next" not in rest


def test_rows_of_one_instant_are_ordered_by_id(call: InProcess) -> None:
    """The rows of one assertion share their time."""
    drafts = [a_draft() for _ in range(20)]
    assert call("/v1/records/assert", {"records": drafts}).status == 200

    rows = _rows(call, "/v1/records/list", {"limit": 3})

    assert len({row["recorded_at"] for row in rows}) == 1
    assert [row["id"] for row in rows] == sorted({row["id"] for row in rows}, reverse=True)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_walk_during_writes_sees_everything_that_was_there_throughout(
    call: InProcess, agent: Actor
) -> None:
    record = a_record(agent)
    ids = {str(a_report(agent, record).id) for _ in range(120)}
    stop = threading.Event()

    def write() -> None:
        try:
            while not stop.is_set():
                body = {"record_id": str(record.id), "note": "Not so."}
                call("/v1/feedback/record", body)
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        walks: list[Callable[[], list[Any]]] = [
            lambda limit=limit, order=order: _rows(  # type: ignore[misc]
                call, "/v1/feedback/list", {"open_only": True, "limit": limit, "order": order}
            )
            for limit, order in ((7, "newest"), (20, "newest"), (100, "newest"))
        ]
        seen = [[row["id"] for row in walk()] for walk in walks]
    finally:
        stop.set()
        for writer in writers:
            writer.join()

    for walked in seen:
        assert len(walked) == len(set(walked))
        assert ids <= set(walked)


def test_a_search_page_may_be_short_and_still_go_on(
    call: InProcess, agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 5)
    wanted = str(a_record(agent, statement="The heron flew home.").id)
    some_records(agent, 12)

    pages = [page.body for page in _pages(call, "/v1/records/list", {"text": "heron", "limit": 2})]

    assert [row["id"] for page in pages for row in page["records"]] == [wanted]
    assert len(pages) == 3
    assert pages[0]["records"] == []


def test_a_retracted_record_is_listed_as_such_at_once(call: InProcess, agent: Actor) -> None:
    record = a_record(agent)
    retract_records(
        actor=fresh(agent),
        retractions=[RetractionDraft(record_id=record.id, expected_version=record.version)],
    )

    assert call("/v1/records/list", {"status": "current"}).body == {"records": []}
    [row] = call("/v1/records/list", {"status": "retracted"}).body["records"]
    assert row["id"] == str(record.id)


@pytest.mark.parametrize("path", ASKED)
def test_a_walk_of_runs_and_outcomes_sees_each_row_once_newest_first(
    path: str, call: InProcess, agent: Actor
) -> None:
    runs = [a_run(agent) for _ in range(9)]
    for run in runs:
        an_outcome(agent, run)

    whole = _rows(call, path, {"limit": 100})

    ids = [row["context_id"] for row in whole]
    assert ids == [context_id(run.run_id) for run in reversed(runs)]
    keys = [row["recorded_at"] for row in whole]
    assert keys == sorted(keys, reverse=True)
    for limit in (1, 4, 9):
        assert _rows(call, path, {"limit": limit}) == whole


@pytest.mark.parametrize("path", ASKED)
def test_runs_and_outcomes_that_come_meanwhile_repeat_and_skip_nothing(
    path: str, call: InProcess, agent: Actor
) -> None:
    ids = [context_id(a_run(agent).run_id) for _ in range(5)]
    for id_ in ids:
        an_outcome(agent, UUID(id_.removeprefix("ctx_")))
    seen: list[str] = []

    for page in _pages(call, path, {"limit": 2}):
        seen += [row["context_id"] for row in _told(page)[LISTS[path][1]]]
        an_outcome(agent, a_run(agent))

    assert sorted(seen) == sorted(ids)


def test_a_page_of_runs_of_a_kind_may_be_short_and_still_go_on(
    call: InProcess, agent: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.models.querysets.SCANNED_ROWS", 3)
    wanted = a_run(agent)
    an_outcome(agent, wanted)
    for _ in range(6):
        a_run(agent)

    pages = [_told(p) for p in _pages(call, "/v1/context/runs", {"outcome": "useful", "limit": 2})]

    assert [row["context_id"] for page in pages for row in page["runs"]] == [
        context_id(wanted.run_id)
    ]
    assert len(pages) == 3
    assert pages[0]["runs"] == []
