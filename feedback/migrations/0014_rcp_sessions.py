"""RCP sessions over HTTP."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("feedback", "0013_signal_rules")]

    operations = [
        migrations.CreateModel(
            name="RcpSession",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("name_digest", models.BinaryField(max_length=32)),
                (
                    "last_used_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "credential",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="memory.credential",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="memory.project",
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "id"), name="feedback_rcpsession_project_id_uniq"
                    ),
                    models.UniqueConstraint(
                        fields=("project", "credential", "name_digest"),
                        name="feedback_rcpsession_name_uniq",
                    ),
                ],
            },
        ),
    ]
