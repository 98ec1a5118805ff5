"""Calls that more than one edge takes: validated values in, an answer to be rendered out.

What a route of `/v1` and a tool of the same name do is one function here, so that they cannot
drift apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from feedback.http.context_answers import ContextAnswer, RecollectionAnswer
from feedback.http.context_sizes import least, weigh
from feedback.http.serializers import ReportAnswer
from feedback.operations.compile_context import ContextRequest, compile_context
from feedback.operations.record_outcome import OutcomeDraft, OutcomeReceipt, record_outcome
from feedback.operations.record_report import ReportDraft, record_report
from feedback.queries.recalls import Question, recall
from feedback.vocabulary import Surface
from memory.http.loop import Prefix, id_behind
from memory.vocabulary import MessageRole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from memory.actor import Actor
    from memory.keys import IdempotencyRequest

_DEFAULT_ROLES: Final = (MessageRole.USER,)


def answer_question(actor: Actor, values: Mapping[str, Any]) -> RecollectionAnswer:
    """Recall: `values` are those of `RecallInput`."""
    question = Question(
        text=values["question"],
        data_subject=values["data_subject_id"],
        include_shared=values["include_shared"],
        as_of=values["as_of"],
        as_known_at=values["as_known_at"],
        max_characters=values["max_characters"],
        source_roles=values["source_roles"] or _DEFAULT_ROLES,
        has_facts=Surface.FACTS in (values["surfaces"] or Surface),
    )
    return RecollectionAnswer(
        recollection=recall(actor=actor, question=question),
        question=question,
        surfaces=values["surfaces"],
        hops=values["hops"],
        themes=values["themes"],
    )


def compile_pack(actor: Actor, values: Mapping[str, Any]) -> ContextAnswer:
    """Compile a pack: `values` are those of `CompileInput`."""
    request = ContextRequest(
        task=values["task"],
        max_tokens=values["max_tokens"],
        data_subject=values["subject_id"],
        include_shared=values["include_shared"],
        max_candidates=values["max_candidates"],
        top_k=values["top_k"],
        at=values["at"],
    )
    context = compile_context(actor=actor, request=request, weigh=weigh, least=least)
    return ContextAnswer(context, are_checkpoints_asked=values["include_checkpoints"])


def report_doubt(
    actor: Actor, values: Mapping[str, Any], key: IdempotencyRequest | None = None
) -> ReportAnswer:
    """Report: `values` are those of `RecordReportInput`; its texts are answered as they came."""
    draft = ReportDraft(
        record_id=values["record_id"],
        note=values["note"],
        proposed_object=values["proposed_object"],
        reporter_subject=values["reporter_subject_id"],
    )
    receipt = record_report(actor=actor, draft=draft, key=key)
    return ReportAnswer(receipt, draft.note, draft.proposed_object)


def grade_run(
    actor: Actor, run_id: UUID, values: Mapping[str, Any], key: IdempotencyRequest | None
) -> OutcomeReceipt:
    """Record an outcome of a run: `values` are those of `RecordOutcomeInput`."""
    claim_id = values["claim_id"]
    draft = OutcomeDraft(
        run_id=run_id,
        kind=values["outcome"],
        record_id=None if claim_id is None else id_behind(Prefix.CLAIM, claim_id),
        reason_code=values["reason_code"],
    )
    return record_outcome(actor=actor, draft=draft, key=key)
