"""What the six tools do: what the routes of the same purpose do, under the same keys and cursors.

A repetition is one wherever it comes by: a turn that was sent to `/v1` with a key and comes again
as a tool call of the same credential is answered with its receipt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from feedback.http.calls import answer_question, compile_pack, grade_run, report_doubt
from memory.api.answers import EvidenceAnswer
from memory.api.turns import TURN_KEY, compared_turn, turn_of
from memory.http.cursor import CursorScope
from memory.keys import IdempotencyRequest, fingerprint
from memory.operations.append_source import SourceReceipt, append_source
from memory.queries.citations import resolve_citations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from feedback.http.context_answers import ContextAnswer, RecollectionAnswer
    from feedback.http.serializers import ReportAnswer
    from feedback.operations.record_outcome import OutcomeReceipt
    from memory.actor import Actor

    Values = Mapping[str, Any]

OBSERVE_ROUTE: Final = "memory:source-observe"
RESOLVE_ROUTE: Final = "memory:citation-resolve"
OUTCOME_ROUTE: Final = "feedback:outcome-record"
OUTCOME_KEY: Final = "client_mutation_id"


def recall(actor: Actor, values: Values, _: Values) -> RecollectionAnswer:
    """Answer a question."""
    return answer_question(actor, values)


def compile_context(actor: Actor, values: Values, _: Values) -> ContextAnswer:
    """Compile a pack."""
    return compile_pack(actor, values)


def resolve_citation(actor: Actor, values: Values, _: Values) -> EvidenceAnswer:
    """Read one page of what a record rests on."""
    cursors = CursorScope(actor.project_id, RESOLVE_ROUTE, {"id": values["id"], "path": {}})
    after = cursors.read(values["after"])
    found = resolve_citations(
        actor=actor, record_id=values["id"], after=after, limit=values["limit"]
    )
    return EvidenceAnswer(found.record, found.citations.rows, cursors.sign(found.citations.next))


def observe(actor: Actor, values: Values, arguments: Values) -> SourceReceipt:
    """Store a turn, once a key."""
    digest = fingerprint("POST", OBSERVE_ROUTE, compared_turn(arguments))
    key = IdempotencyRequest(str(values[TURN_KEY]), OBSERVE_ROUTE, digest)
    return append_source(actor=actor, draft=turn_of(values), key=key)


def report_feedback(actor: Actor, values: Values, _: Values) -> ReportAnswer:
    """Report a doubt; each call is a report."""
    return report_doubt(actor, values)


def record_outcome(actor: Actor, values: Values, arguments: Values) -> OutcomeReceipt:
    """Record what became of a pack or a claim, once a key where one is given."""
    return grade_run(actor, values["context_id"], values, _outcome_key(values, arguments))


def _outcome_key(values: Values, arguments: Values) -> IdempotencyRequest | None:
    key = values[OUTCOME_KEY]
    if key is None:
        return None
    own = (OUTCOME_KEY, "context_id")
    body = {name: value for name, value in arguments.items() if name not in own}
    place = {"context_id": arguments["context_id"]}
    return IdempotencyRequest(key, OUTCOME_ROUTE, fingerprint("POST", OUTCOME_ROUTE, body, place))
