"""Context runs with their items, and the outcomes that come back about them."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("feedback", "0004_no_statistics_of_texts"),
        ("memory", "0009_posting_triggers"),
    ]

    operations = [
        migrations.CreateModel(
            name="ContextRun",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "recorded_by_kind",
                    models.CharField(
                        choices=[
                            ("user", "User"),
                            ("credential", "Credential"),
                            ("anonymous", "Anonymous"),
                        ],
                        max_length=16,
                    ),
                ),
                ("recorded_by_id", models.UUIDField()),
                (
                    "recorded_via",
                    models.CharField(
                        choices=[
                            ("api", "Api"),
                            ("console", "Console"),
                            ("mcp", "Mcp"),
                            ("rcp", "Rcp"),
                            ("cli", "Cli"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "recorded_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("request_id", models.CharField(max_length=36)),
                ("task_digest", models.BinaryField(max_length=32)),
                ("lexemes_digest", models.BinaryField(max_length=32)),
                ("is_shared_included", models.BooleanField()),
                ("as_of", models.DateTimeField()),
                ("policy", models.CharField(max_length=32)),
                ("max_tokens", models.PositiveIntegerField()),
                ("used_tokens", models.PositiveIntegerField()),
                ("selected_items", models.PositiveIntegerField()),
                ("omitted_items", models.PositiveIntegerField()),
                ("deduplicated_items", models.PositiveIntegerField()),
                ("unconsolidated_observations", models.PositiveIntegerField()),
                ("is_budget_exhausted", models.BooleanField()),
                (
                    "data_subject",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="memory.subject",
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
            },
        ),
        migrations.CreateModel(
            name="ContextItem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("record_version", models.UUIDField()),
                ("rank", models.PositiveSmallIntegerField()),
                ("score", models.FloatField()),
                ("relevance", models.FloatField()),
                ("trust", models.FloatField()),
                ("recency", models.FloatField()),
                ("utility", models.FloatField()),
                ("conflict", models.FloatField()),
                ("confidence", models.FloatField()),
                (
                    "recorded_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
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
                (
                    "record",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="memory.record",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="feedback.contextrun",
                    ),
                ),
            ],
            options={
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Outcome",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "recorded_by_kind",
                    models.CharField(
                        choices=[
                            ("user", "User"),
                            ("credential", "Credential"),
                            ("anonymous", "Anonymous"),
                        ],
                        max_length=16,
                    ),
                ),
                ("recorded_by_id", models.UUIDField()),
                (
                    "recorded_via",
                    models.CharField(
                        choices=[
                            ("api", "Api"),
                            ("console", "Console"),
                            ("mcp", "Mcp"),
                            ("rcp", "Rcp"),
                            ("cli", "Cli"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "recorded_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("request_id", models.CharField(max_length=36)),
                ("run_id", models.UUIDField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("used", "Used"),
                            ("useful", "Useful"),
                            ("irrelevant", "Irrelevant"),
                            ("incorrect", "Incorrect"),
                            ("harmful", "Harmful"),
                        ],
                        max_length=16,
                    ),
                ),
                ("reason_code", models.CharField(max_length=64, null=True)),
                ("lexemes_digest", models.BinaryField(max_length=32)),
                (
                    "data_subject",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="memory.subject",
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
                (
                    "record",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="memory.record",
                    ),
                ),
            ],
            options={
                "default_permissions": (),
            },
        ),
        migrations.AddIndex(
            model_name="contextrun",
            index=models.Index(
                models.F("project"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_contextrun_all_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="contextrun",
            index=models.Index(
                models.F("project"),
                models.F("data_subject"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_contextrun_person_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="contextrun",
            index=models.Index(
                models.F("project"),
                models.F("recorded_by_id"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_contextrun_actor_idx",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextrun",
            constraint=models.UniqueConstraint(
                fields=("project", "id"), name="feedback_contextrun_project_id_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("used_tokens__lte", models.F("max_tokens"))),
                name="feedback_contextrun_budget",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("recorded_by_kind__in", ["user", "credential", "anonymous"])),
                name="feedback_contextrun_recorded_by_kind_valid",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("recorded_via__in", ["api", "console", "mcp", "rcp", "cli"])),
                name="feedback_contextrun_recorded_via_valid",
            ),
        ),
        migrations.AddIndex(
            model_name="contextitem",
            index=models.Index(
                models.F("project"),
                models.F("record"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_contextitem_packs_idx",
            ),
        ),
        migrations.AddConstraint(
            model_name="contextitem",
            constraint=models.UniqueConstraint(
                fields=("project", "id"), name="feedback_contextitem_project_id_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextitem",
            constraint=models.UniqueConstraint(
                fields=("project", "run", "rank"), name="feedback_contextitem_rank_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextitem",
            constraint=models.UniqueConstraint(
                fields=("project", "run", "record"), name="feedback_contextitem_record_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="contextitem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("relevance__gte", 0), ("relevance__lte", 1)),
                    models.Q(("trust__gte", 0), ("trust__lte", 1)),
                    models.Q(("recency__gte", 0), ("recency__lte", 1)),
                    models.Q(("utility__gte", 0), ("utility__lte", 1)),
                    models.Q(("conflict__gte", 0), ("conflict__lte", 1)),
                    models.Q(("confidence__gte", 0), ("confidence__lte", 1)),
                    models.Q(("score__gte", 0), ("score__lte", 1)),
                ),
                name="feedback_contextitem_shares",
            ),
        ),
        migrations.AddIndex(
            model_name="outcome",
            index=models.Index(
                models.F("project"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_outcome_all_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="outcome",
            index=models.Index(
                models.F("project"),
                models.F("record"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_outcome_record_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="outcome",
            index=models.Index(
                models.F("project"),
                models.F("run_id"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_outcome_run_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="outcome",
            index=models.Index(
                models.F("project"),
                models.F("recorded_by_id"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_outcome_actor_idx",
            ),
        ),
        migrations.AddIndex(
            model_name="outcome",
            index=models.Index(
                models.F("project"),
                models.F("kind"),
                models.OrderBy(models.F("recorded_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="feedback_outcome_kind_idx",
            ),
        ),
        migrations.AddConstraint(
            model_name="outcome",
            constraint=models.UniqueConstraint(
                fields=("project", "id"), name="feedback_outcome_project_id_uniq"
            ),
        ),
        migrations.AddConstraint(
            model_name="outcome",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("kind__in", ["used", "useful", "irrelevant", "incorrect", "harmful"])
                ),
                name="feedback_outcome_kind_valid",
            ),
        ),
        migrations.AddConstraint(
            model_name="outcome",
            constraint=models.CheckConstraint(
                condition=models.Q(("recorded_by_kind__in", ["user", "credential", "anonymous"])),
                name="feedback_outcome_recorded_by_kind_valid",
            ),
        ),
        migrations.AddConstraint(
            model_name="outcome",
            constraint=models.CheckConstraint(
                condition=models.Q(("recorded_via__in", ["api", "console", "mcp", "rcp", "cli"])),
                name="feedback_outcome_recorded_via_valid",
            ),
        ),
    ]
