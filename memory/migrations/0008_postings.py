"""The words of statements, as hashes: in each record, and as an index of their own."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_loop_columns")]

    operations = [
        migrations.AddField(
            model_name="record",
            name="terms",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.BigIntegerField(), db_default=[], editable=False, size=None
            ),
        ),
        migrations.CreateModel(
            name="Posting",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "project_id",
                        "term",
                        "is_current",
                        "record_id",
                        "term_count",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("term", models.BigIntegerField()),
                ("is_current", models.BooleanField()),
                ("record_id", models.UUIDField()),
                ("term_count", models.PositiveSmallIntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="memory.project",
                    ),
                ),
            ],
            options={"default_permissions": ()},
        ),
    ]
