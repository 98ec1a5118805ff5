"""Refusals that only reports know."""

from __future__ import annotations

from memory.errors import Conflict


class ReportAlreadyPromoted(Conflict):
    """Somebody has decided this report: stop, do not read again and retry."""

    code = "feedback_already_promoted"
    message = "This report was already promoted. There is nothing left to do."
