"""Existing reports get what they show of their record and their reporter."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import migrations, transaction

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BATCH = 2_000

#: The trigger knows that nothing of a report changes, and could not know of these columns.
PAUSE = "ALTER TABLE feedback_report DISABLE TRIGGER feedback_report_set_once_v1"
GO_ON = "ALTER TABLE feedback_report ENABLE TRIGGER feedback_report_set_once_v1"

FILL = """
WITH batch AS (
  SELECT id FROM feedback_report WHERE id > %s ORDER BY id LIMIT %s
), filled AS (
  UPDATE feedback_report r
  SET target_subject = t.subject, target_predicate = t.predicate, target_object = t.object,
    target_preview = left(t.statement, 512), target_status = t.status, target_version = t.version,
    target_version_number = t.version_number, target_replaced_by = t.replaced_by,
    reporter_name = (SELECT s.name FROM memory_subject s
                     WHERE s.project_id = r.project_id AND s.id = r.reporter_subject_id)
  FROM batch, memory_record t
  WHERE r.id = batch.id AND t.project_id = r.project_id AND t.id = r.record_id
)
SELECT id FROM batch ORDER BY id DESC LIMIT 1
"""


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001 - as Django calls it
    """Go through all reports by id; a second run changes nothing."""
    last: UUID | None = UUID(int=0)
    while last is not None:
        with transaction.atomic(), schema_editor.connection.cursor() as cursor:
            cursor.execute(PAUSE)
            cursor.execute(FILL, [last, BATCH])
            last = next((row[0] for row in cursor.fetchall()), None)
            cursor.execute(GO_ON)


class Migration(migrations.Migration):
    """In batches, each in a transaction of its own, so that no lock is held for long."""

    atomic = False

    dependencies = [("feedback", "0007_report_target_columns")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
