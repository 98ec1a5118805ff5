"""Refusals that only reports and suspicions know."""

from __future__ import annotations

from memory.errors import Conflict


class ReportAlreadyPromoted(Conflict):
    """Somebody has decided this report: stop, do not read again and retry."""

    code = "feedback_already_promoted"
    message = "This report was already promoted. There is nothing left to do."


class IntegrityDecided(Conflict):
    """Somebody has decided this item, or opened it again, since it was drawn."""

    code = "integrity_conflict"
    message = "This item has changed. Read it again and decide anew."
