"""What RCP clients say of hits, and the records that enough of them suspect."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("feedback", "0011_report_set_once_trigger_v2"),
        ("memory", "0012_signal_settings"),
    ]

    operations = [
        migrations.CreateModel(
            name="IntegrityItem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("no_concern", "No Concern"),
                            ("reported", "Reported"),
                        ],
                        default="open",
                        max_length=16,
                    ),
                ),
                (
                    "recorded_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "decided_by_kind",
                    models.CharField(
                        choices=[
                            ("user", "User"),
                            ("credential", "Credential"),
                            ("anonymous", "Anonymous"),
                        ],
                        max_length=16,
                        null=True,
                    ),
                ),
                ("decided_by_id", models.UUIDField(null=True)),
                ("reason", models.TextField(null=True)),
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
                    "report",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        to="feedback.report",
                    ),
                ),
            ],
            options={
                "default_permissions": (),
                "indexes": [
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("recorded_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="feedback_integrity_all_idx",
                    ),
                    models.Index(
                        models.F("project"),
                        models.F("state"),
                        models.OrderBy(models.F("recorded_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="feedback_integrity_state_idx",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "id"), name="feedback_integrityitem_project_id_uniq"
                    ),
                    models.UniqueConstraint(
                        fields=("project", "record"), name="feedback_integrityitem_record_uniq"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["open", "no_concern", "reported"])),
                        name="feedback_integrityitem_state_valid",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("decided_by_kind__in", ["user", "credential", "anonymous"])
                        ),
                        name="feedback_integrityitem_decided_by_kind_valid",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reason__bytes__range", (1, 500)),
                            ("reason__isnull", True),
                            _connector="OR",
                        ),
                        name="feedback_integrityitem_reason_bytes",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("decided_at__isnull", True),
                                ("decided_by_id__isnull", True),
                                ("decided_by_kind__isnull", True),
                                ("reason__isnull", True),
                                ("report__isnull", True),
                                ("state", "open"),
                            ),
                            models.Q(
                                ("decided_at__isnull", False),
                                ("decided_by_id__isnull", False),
                                ("decided_by_kind__isnull", False),
                                ("reason__isnull", False),
                                ("report__isnull", True),
                                ("state", "no_concern"),
                            ),
                            models.Q(
                                ("decided_at__isnull", False),
                                ("decided_by_id__isnull", False),
                                ("decided_by_kind__isnull", False),
                                ("reason__isnull", True),
                                ("report__isnull", False),
                                ("state", "reported"),
                            ),
                            _connector="OR",
                        ),
                        name="feedback_integrityitem_decision_shape",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Signal",
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
                ("record_version", models.UUIDField(null=True)),
                ("hit_digest", models.BinaryField(max_length=32, null=True)),
                ("session_digest", models.BinaryField(max_length=32, null=True)),
                ("query_digest", models.BinaryField(max_length=32, null=True)),
                ("is_used", models.BooleanField(null=True)),
                ("is_cited", models.BooleanField(null=True)),
                ("is_helpful", models.BooleanField(null=True)),
                ("reward", models.FloatField(null=True)),
                ("is_poison_suspected", models.BooleanField(null=True)),
                ("is_injection_suspected", models.BooleanField(null=True)),
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
                "indexes": [
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("recorded_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        condition=models.Q(("record__isnull", False)),
                        name="feedback_signal_bound_idx",
                    ),
                    models.Index(
                        models.F("project"),
                        models.F("record"),
                        models.OrderBy(models.F("recorded_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="feedback_signal_record_idx",
                    ),
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("recorded_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        condition=models.Q(
                            ("record__isnull", False),
                            models.Q(
                                ("is_poison_suspected", True),
                                ("is_injection_suspected", True),
                                _connector="OR",
                            ),
                        ),
                        name="feedback_signal_suspected_idx",
                    ),
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("recorded_at"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        condition=models.Q(("record__isnull", True)),
                        name="feedback_signal_unbound_idx",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "id"), name="feedback_signal_project_id_uniq"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("hit_digest__isnull", True), ("record__isnull", False)),
                            models.Q(
                                ("hit_digest__isnull", False),
                                ("record__isnull", True),
                                ("record_version__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="feedback_signal_bound_or_not",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("reward__isnull", True),
                            models.Q(("reward__gte", -1), ("reward__lte", 1)),
                            _connector="OR",
                        ),
                        name="feedback_signal_reward_range",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("recorded_by_kind__in", ["user", "credential", "anonymous"])
                        ),
                        name="feedback_signal_recorded_by_kind_valid",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("recorded_via__in", ["api", "console", "mcp", "rcp", "cli"])
                        ),
                        name="feedback_signal_recorded_via_valid",
                    ),
                ],
            },
        ),
    ]
