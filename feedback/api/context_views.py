"""The views of recalls, `/v1/context` and the outcomes of claims: one class a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from feedback.api import context_examples as examples
from feedback.http import context_serializers as serializers
from feedback.http.calls import answer_question, compile_pack, grade_run
from feedback.http.context_answers import ContextAnswer, RecollectionAnswer, RunAnswer
from feedback.http.context_meanings import MEANINGS
from feedback.queries.outcomes import (
    OutcomeFilter,
    OutcomeSummary,
    get_outcome_summary,
    list_outcomes,
)
from feedback.queries.runs import RunFilter, get_run, list_runs
from memory.errors import FieldInvalid, IdempotencyConflict, IdempotencyInProgress, NotFound
from memory.http.error_table import Dialect
from memory.http.loop import Prefix, id_behind
from memory.http.views import ListedRows, OperationView, ReadView
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from feedback.operations.record_outcome import OutcomeReceipt
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


class RecallView(ReadView):
    """Answer a question with the records that share a word with it, whole, best first.

    Without a person only records about nobody are seen, with one only that person's, and nobody's
    too where `include_shared` is true. Reports, passages, themes and a second hop do not exist
    here: `degraded` names those that were asked for by name.
    """

    operation_name = Operation.RECALL
    input_serializer = serializers.RecallInput
    output_serializer = serializers.RecollectionOutput
    invalid_codes = ("invalid_question", "invalid_recall_controls")
    field_meanings = MEANINGS
    request_example, answer_example = examples.RECALL, examples.RECALLED

    @override
    def invalid_code_of(self, error: FieldInvalid) -> str:
        """The question has a code of its own."""
        return self.invalid_codes[0 if error.field == "question" else 1]

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> RecollectionAnswer:
        """Recall."""
        return answer_question(actor, values)


class CompileContextView(ReadView):
    """Compile a context pack: what is known for a task, ranked, as much as fits the budget.

    Every compile is a run of its own and is never replayed. It changes nothing that anybody
    believes; what became of its items, told with the route for outcomes, may change what ranks
    first next time.
    """

    dialect = Dialect.LOOP
    operation_name = Operation.CONTEXT_COMPILE
    input_serializer = serializers.CompileInput
    output_serializer = serializers.CompiledOutput
    field_meanings = MEANINGS
    request_example, answer_example = examples.COMPILE, examples.COMPILED
    meta_example = examples.COMPILED_META

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ContextAnswer:
        """Compile it."""
        return compile_pack(actor, values)

    @override
    def meta_of(self, result: ContextAnswer) -> dict[str, Any]:
        """What the search was made of."""
        return super().meta_of(result) | result.meta


class GetContextView(ReadView):
    """Get a run: its items as delivered, their records as they are now, its outcomes by kind."""

    dialect = Dialect.LOOP
    http_method_names = ("get",)
    operation_name = Operation.CONTEXT_GET
    output_serializer = serializers.RunDetailOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    answer_example = examples.RUN

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> RunAnswer:
        """Read it."""
        run_id = id_behind(Prefix.CONTEXT, self.kwargs["context_id"])
        found = get_run(actor=actor, run_id=run_id)
        return RunAnswer(found.run, found.items)


class ListRunsView(ReadView):
    """List runs, newest first, without their items."""

    dialect = Dialect.LOOP
    http_method_names = ("get",)
    operation_name = Operation.CONTEXT_LIST
    input_serializer = serializers.ListRunsInput
    output_serializer = serializers.RunPageOutput
    field_meanings = MEANINGS
    answer_example = examples.RUNS

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ListedRows:
        """Read one page."""
        cursors = self.cursors(actor, values)
        outcome = values["outcome"]
        narrow = RunFilter(
            data_subject=values["subject_id"],
            kinds=frozenset() if outcome is None else frozenset({outcome}),
        )
        after = cursors.read(values["after"])
        page = list_runs(actor=actor, narrow=narrow, after=after, limit=values["limit"])
        return ListedRows([RunAnswer(run) for run in page.rows], cursors.sign(page.next))


class RecordOutcomeView(OperationView):
    """Say what became of a pack, or of one claim in it.

    An outcome that names a claim may change what ranks first next time, and nothing else: no
    statement, trust, confidence, evidence or status. Without a claim it grades the pack as a whole
    and moves nothing.
    """

    dialect = Dialect.LOOP
    operation_name = Operation.OUTCOME_RECORD
    input_serializer = serializers.RecordOutcomeInput
    output_serializer = serializers.OutcomeReceiptOutput
    takes_key = True
    body_key = "client_mutation_id"
    success_status = 201
    errors = (NotFound, IdempotencyConflict, IdempotencyInProgress)
    field_meanings = MEANINGS
    request_example, answer_example = examples.OUTCOME, examples.OUTCOME_RECORDED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> OutcomeReceipt:
        """Record it."""
        run_id = id_behind(Prefix.CONTEXT, self.kwargs["context_id"])
        return grade_run(actor, run_id, values, key)


class ListOutcomesView(ReadView):
    """List outcomes, newest first, and whether each counts."""

    dialect = Dialect.LOOP
    http_method_names = ("get",)
    operation_name = Operation.OUTCOME_LIST
    input_serializer = serializers.ListOutcomesInput
    output_serializer = serializers.OutcomePageOutput
    field_meanings = MEANINGS
    answer_example = examples.OUTCOMES

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ListedRows:
        """Read one page."""
        cursors = self.cursors(actor, values)
        narrow = OutcomeFilter(
            run_id=values["context_id"],
            record_id=values["claim_id"],
            kind=values["outcome"],
            actor_id=values["actor_id"],
        )
        after = cursors.read(values["after"])
        page = list_outcomes(actor=actor, narrow=narrow, after=after, limit=values["limit"])
        return ListedRows(page.rows, cursors.sign(page.next))


class SummariseOutcomesView(ReadView):
    """Sum up the outcomes about one claim, and say what they make of its score."""

    dialect = Dialect.LOOP
    http_method_names = ("get",)
    operation_name = Operation.OUTCOME_SUMMARY
    output_serializer = serializers.OutcomeSummaryOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    answer_example = examples.SUMMARY

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> OutcomeSummary:
        """Read it."""
        record_id = id_behind(Prefix.CLAIM, self.kwargs["claim_id"])
        return get_outcome_summary(actor=actor, record_id=record_id)
