"""Existing records get the name of the person that they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from django.db import migrations, transaction

if TYPE_CHECKING:
    from django.apps.registry import Apps
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BATCH = 2_000

#: The trigger knows that nothing of a record changes, and could not know of this column.
PAUSE = "ALTER TABLE memory_record DISABLE TRIGGER memory_record_legal_change_v1"
GO_ON = "ALTER TABLE memory_record ENABLE TRIGGER memory_record_legal_change_v1"

FILL = """
WITH batch AS (
  SELECT id FROM memory_record WHERE id > %s ORDER BY id LIMIT %s
), filled AS (
  UPDATE memory_record r SET data_subject_name = s.name
  FROM batch, memory_subject s
  WHERE r.id = batch.id AND s.project_id = r.project_id AND s.id = r.data_subject_id
    AND r.data_subject_name IS NULL
)
SELECT id FROM batch ORDER BY id DESC LIMIT 1
"""


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:  # noqa: ARG001 - as Django calls it
    """Go through all records by id; a second run changes nothing."""
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

    dependencies = [("memory", "0013_record_subject_name")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
