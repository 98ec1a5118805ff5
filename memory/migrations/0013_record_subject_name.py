"""A record carries the name of the person that it is about, so that a list need not look it up."""

from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models
from django.db.models import CheckConstraint, Q

CREATE = """
ALTER TABLE memory_record ALTER COLUMN data_subject_name SET STATISTICS 0;
CREATE FUNCTION memory_record_subject_name_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.data_subject_name := CASE WHEN NEW.data_subject_id IS NOT NULL THEN (
    SELECT name FROM memory_subject
    WHERE project_id = NEW.project_id AND id = NEW.data_subject_id) END;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_record_subject_name_v1 BEFORE INSERT ON memory_record
  FOR EACH ROW EXECUTE FUNCTION memory_record_subject_name_v1();
"""

DROP = """
DROP TRIGGER memory_record_subject_name_v1 ON memory_record;
DROP FUNCTION memory_record_subject_name_v1();
"""


class Migration(migrations.Migration):
    """By trigger, so that no writer can name somebody else; the text leaves no statistics."""

    dependencies = [("memory", "0012_signal_settings")]

    operations = [
        migrations.AddField(
            "record", "data_subject_name", models.TextField(editable=False, null=True)
        ),
        migrations.RunSQL(CREATE, DROP),
        AddConstraintNotValid(
            "record",
            CheckConstraint(
                condition=Q(data_subject_name__bytes__range=(1, 1_024))
                | Q(data_subject_name__isnull=True),
                name="memory_record_data_subject_name_bytes",
            ),
        ),
    ]
