"""RCP over the pipes of a process: one frame a line, one process one session (`protocols.md` 1.4).

The credential is looked up for every line that calls something. Nothing but frames is written to
the output.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Final

from django.db import close_old_connections

from feedback.rcp import frames
from feedback.rcp.callers import Caller
from feedback.rcp.errors import RcpError, too_large
from feedback.rcp.frames import Answer, Answers, Call
from feedback.rcp.methods import perform
from feedback.rcp.refusals import refuse
from feedback.rcp.sessions import ProcessSession
from memory.actor import new_request_id
from memory.http.answers import json_text
from memory.http.authentication import Arrival, authenticate_token
from memory.http.strict_json import BODY_BYTES
from memory.vocabulary import Edge

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS: Final = b"\r\n"
_LONGEST_END: Final = 2


@dataclass(slots=True)
class StdioServer:
    """Answers the lines of one client."""

    token: str = field(repr=False)
    session: ProcessSession = field(default_factory=ProcessSession)
    is_shut_down: bool = False

    def serve(self, lines: BinaryIO, output: BinaryIO) -> None:
        """Answer line by line until the input ends or `shutdown` was answered."""
        for line in _lines(lines):
            answered = self.answer(line)
            if answered is not None:
                output.write(json_text(answered.frame).encode() + b"\n")
                output.flush()
            close_old_connections()  # the client may be silent for hours
            if self.is_shut_down:
                return

    def answer(self, line: bytes | None) -> Answer | Answers | None:
        """The answer to a line, None for a line too long."""
        if line is None:
            return Answer(None, error=too_large("body", f"must be at most {BODY_BYTES} bytes."))
        try:
            value = frames.parse(line)
        except RcpError as error:
            return Answer(None, error=error)
        return frames.answer_frame(value, _Line(self).answer)


class _Line:
    """One line: its calls share one request id and one look at the credential."""

    def __init__(self, server: StdioServer) -> None:
        self.server = server
        self.caller: Caller | None = None
        self.refusal: RcpError | None = None

    def answer(self, call: Call) -> Answer:
        """Answer a call, or refuse the caller."""
        if self.caller is None and self.refusal is None:
            self._arrive()
        if self.caller is None:
            return Answer(call.id, error=self.refusal)
        answered = perform(call, self.caller)
        if call.method == "shutdown" and answered.error is None:
            self.server.is_shut_down = True
        return answered

    def _arrive(self) -> None:
        arrival = Arrival(Edge.RCP, new_request_id(), "stdio")
        try:
            actor = authenticate_token(self.server.token, arrival)
        except Exception as error:  # noqa: BLE001 - every fault has an answer
            self.refusal = refuse(error, None, None)
        else:
            self.caller = Caller(actor, self.server.session)


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Lines without their ends, blank ones left out; None for one that is too long."""
    most = BODY_BYTES + _LONGEST_END
    while line := stream.readline(most):
        if len(line) == most and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(most)
            yield None
        elif line.strip(b" \t\r\n"):
            yield line.rstrip(_ENDS)
