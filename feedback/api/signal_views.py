"""The views of `/v1/signals`: one class a verb. Signals are written over RCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from feedback.api import signal_examples as examples
from feedback.api import signal_serializers as serializers
from feedback.api.signal_examples import MEANINGS
from feedback.queries.signals import SignalSummary, get_signal_summary, list_signals
from memory.errors import NotFound
from memory.http.views import ListedRows, ReadView
from memory.vocabulary import Operation

if TYPE_CHECKING:
    from memory.actor import Actor
    from memory.keys import IdempotencyRequest


class ListSignalsView(ReadView):
    """List what RCP clients said of records, newest first. It is untrusted advice."""

    operation_name = Operation.SIGNAL_LIST
    input_serializer = serializers.ListSignalsInput
    output_serializer = serializers.SignalPageOutput
    field_meanings = MEANINGS
    request_example, answer_example = examples.LIST, examples.LISTED

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> ListedRows:
        """Read one page."""
        cursors = self.cursors(actor, values)
        page = list_signals(
            actor=actor,
            record_id=values["record_id"],
            is_suspected_only=values["suspected_only"],
            after=cursors.read(values["after"]),
            limit=values["limit"],
        )
        return ListedRows(page.rows, cursors.sign(page.next))


class SummariseSignalsView(ReadView):
    """Sum up what RCP clients said of one record, and whether reviewers are to look at it."""

    operation_name = Operation.SIGNAL_SUMMARY
    input_serializer = serializers.SummariseSignalsInput
    output_serializer = serializers.SignalSummaryOutput
    errors = (NotFound,)
    field_meanings = MEANINGS
    request_example, answer_example = examples.SUMMARISE, examples.SUMMARY

    @override
    def perform(
        self, actor: Actor, values: dict[str, Any], key: IdempotencyRequest | None
    ) -> SignalSummary:
        """Read it."""
        return get_signal_summary(actor=actor, record_id=values["record_id"])
