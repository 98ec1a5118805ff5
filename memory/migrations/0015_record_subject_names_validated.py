"""The check of the names that records carry holds for the rows that were there before."""

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations


class Migration(migrations.Migration):
    """Reads the table once, without keeping anybody from it."""

    dependencies = [("memory", "0014_fill_record_subject_names")]

    operations = [ValidateConstraint("record", "memory_record_data_subject_name_bytes")]
