"""RCP sessions over HTTP: which ones are initialized. A server has several processes."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import UniqueConstraint
from django.db.models.functions import Now

from memory.models import Credential, Project
from memory.models.columns import Identified


class RcpSession(Identified):
    """An initialized session of a credential, known by a keyed digest of its name alone.

    There is no other state: a session that is not initialized, was shut down or was not used for
    long has no row that counts. A credential has few rows, so no index helps but the unique one.
    """

    project = models.ForeignKey(Project, models.PROTECT, db_index=False)
    credential = models.ForeignKey(
        Credential, models.DO_NOTHING, db_constraint=False, db_index=False
    )
    name_digest = models.BinaryField(max_length=32, editable=False)
    last_used_at = models.DateTimeField(db_default=Now())

    class Meta:
        default_permissions = ()
        constraints: ClassVar = [
            UniqueConstraint(fields=["project", "id"], name="feedback_rcpsession_project_id_uniq"),
            UniqueConstraint(
                fields=["project", "credential", "name_digest"],
                name="feedback_rcpsession_name_uniq",
            ),
        ]
