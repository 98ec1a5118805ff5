"""The floor: list, report and promote in plain SQL by psycopg, every statement prepared.

The contract is the product's: credential by public id and digest, project setting, the work under
the same locks, audit rows, commit. What it leaves out is HTTP, JSON and everything around them.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID, uuid4

import psycopg

from memory.digests import Digester
from memory.tokens import digest_of, public_id_of
from tests.bench import statements

if TYPE_CHECKING:
    from psycopg import Connection


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, in which request."""

    id: UUID
    project_id: UUID
    request_id: str


class Locked(NamedTuple):
    """A record as `LOCK_RECORD` brings it."""

    id: UUID
    version: UUID
    number: int
    status: str
    subject: str
    predicate: str
    kind: str
    confidence: float
    trust: int
    about: UUID | None
    valid_from: datetime
    valid_until: datetime | None
    known_from: datetime
    is_single_valued: bool

    def is_current(self, version: UUID) -> bool:
        """Whether it is what a caller saw."""
        return self.version == version and self.status == "current"


@dataclass(frozen=True, slots=True)
class Content:
    """What the record of a correction will say."""

    id: UUID
    object: str
    note: str
    hash: bytes


class Refused(Exception):
    """The call would not have been answered with success."""


class Floor:
    """One connection, and the three operations on it."""

    def __init__(self, conninfo: str, token: str) -> None:
        self._token = token
        self._public_id = public_id_of(token) or ""
        self._connection: Connection[Any] = psycopg.connect(conninfo, autocommit=True)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def list_open(self) -> list[Any]:
        """The first page of the open queue."""
        caller = self._authenticate()
        self._begin(caller)
        rows = self._ask(statements.PAGE, caller.project_id)
        self._audit(caller, "feedback.list", len(rows[:20]), is_read=True)
        self._send("COMMIT")
        return rows

    def report(self, record_id: UUID, note: str) -> UUID:
        """Record a report about a record."""
        caller = self._authenticate()
        self._begin(caller)
        target = self._one(statements.SHARE_RECORD, caller.project_id, record_id)
        report_id = uuid4()
        self._one(
            statements.INSERT_REPORT,
            *(report_id, caller.project_id, record_id, target[5], note, *target),
            *(caller.id, caller.request_id),
        )
        self._audit(caller, "feedback.record", 1, is_read=False)
        self._send("COMMIT")
        return report_id

    def promote(self, report_id: UUID, expected_version: UUID) -> UUID:
        """Promote a report: correct its record when it proposes an object, else retract it."""
        caller = self._authenticate()
        digester = self._begin(caller)
        ids = caller.project_id, report_id
        record_id, note, proposed, promoted_at = self._one(statements.READ_REPORT, *ids)
        record = Locked(*self._one(statements.LOCK_RECORD, caller.project_id, record_id))
        promoted_since, at = self._one(statements.READ_AGAIN, *ids)
        if promoted_at or promoted_since or not record.is_current(expected_version):
            raise Refused
        if proposed is None:
            change, new_id = "record.retract", None
            version = self._retract(caller, record, at)
        else:
            change, new_id = "record.correct", uuid4()
            content = Content(new_id, proposed, note, digester.digest("content", "user", note))
            version = self._correct(caller, record, content, at)
        self._send(
            statements.MARK_REPORT,
            *(at, caller.id, caller.request_id, change, expected_version, version, new_id),
            *ids,
        )
        self._send(statements.AUDIT_TWO, caller.project_id, caller.id, caller.request_id, change)
        self._send("COMMIT")
        return version

    def _retract(self, caller: Caller, record: Locked, at: datetime) -> UUID:
        version, number = uuid4(), record.number + 1
        self._send(
            statements.CLOSE_RECORD,
            *("retracted", version, number, at, None, caller.project_id, record.id),
        )
        self._send(
            statements.INSERT_CLOSING_VERSION,
            *(version, caller.project_id, record.id, number, "record.retract", "retracted"),
            *(record.valid_from, record.valid_until, record.known_from, at, None),
            *(caller.id, at, caller.request_id),
        )
        self._send(
            statements.STAMP_REPORTS,
            *(at, "retracted", version, number, None, caller.project_id, record.id),
        )
        return version

    def _correct(self, caller: Caller, record: Locked, content: Content, at: datetime) -> UUID:
        closing, version, source, number = uuid4(), uuid4(), uuid4(), record.number + 1
        project_id, by, note = caller.project_id, (caller.id, at, caller.request_id), content.note
        self._send(
            statements.CLOSE_RECORD,
            *("superseded", closing, number, at, content.id, project_id, record.id),
        )
        self._one(
            statements.INSERT_SOURCE,
            *(source, project_id, record.trust, record.about, content.hash, at, *by),
        )
        self._send(statements.INSERT_MESSAGE, project_id, source, note, at)
        self._send(
            statements.INSERT_RECORD,
            *(content.id, project_id, record.subject, record.predicate, content.object, note),
            *(record.kind, record.confidence, record.trust, record.about, at, at, version),
            *(record.id, record.is_single_valued, *by),
        )
        self._send(
            statements.INSERT_CITATION,
            *(project_id, content.id, source, len(note.encode()), note, at),
        )
        self._send(
            statements.INSERT_BOTH_VERSIONS,
            *(closing, project_id, record.id, number, "record.correct", "superseded"),
            *(record.valid_from, record.valid_until, record.known_from, at, source, *by),
            *(version, project_id, content.id, at, at, source, *by),
        )
        self._send(
            statements.STAMP_REPORTS,
            *(at, "superseded", closing, number, content.id, project_id, record.id),
        )
        return version

    # --- The contract around the work ------------------------------------------------------------

    def _authenticate(self) -> Caller:
        credential, project_id, digest, is_live = self._one(statements.CREDENTIAL, self._public_id)
        if not is_live or not hmac.compare_digest(digest, digest_of(self._token)):
            raise Refused
        return Caller(credential, project_id, f"req_{uuid4().hex}")

    def _begin(self, caller: Caller) -> Digester:
        self._send("BEGIN")
        _, key, _ = self._one(statements.SETTING, caller.project_id)
        return Digester(bytes(key))

    def _audit(self, caller: Caller, operation: str, magnitude: int, *, is_read: bool) -> None:
        self._send(
            statements.AUDIT,
            *(caller.project_id, operation, caller.id, caller.request_id, magnitude, is_read),
        )

    def _ask(self, sql: str, *values: object) -> list[Any]:
        return self._connection.execute(sql, values, prepare=True).fetchall()

    def _one(self, sql: str, *values: object) -> Any:
        return self._ask(sql, *values)[0]

    def _send(self, sql: str, *values: object) -> None:
        self._connection.execute(sql, values or None, prepare=True)
