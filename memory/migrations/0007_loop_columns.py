"""What the outcome loop stores: steps, agents, observers, settings of utility, kinds of keys."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0006_single_valued_trigger"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="idempotencykey",
            name="memory_idempotencykey_scope_valid",
        ),
        migrations.AddField(
            model_name="message",
            name="group_ordinal",
            field=models.PositiveSmallIntegerField(null=True),
        ),
        migrations.AddField(
            model_name="project",
            name="minimum_actors",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name="project",
            name="one_vote_per_run",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="project",
            name="utility_scope",
            field=models.CharField(
                choices=[("record", "Record"), ("task", "Task")],
                db_default="record",
                default="record",
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="record",
            name="observer_name",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="source",
            name="agent_name",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AddField(
            model_name="source",
            name="run_name",
            field=models.CharField(max_length=200, null=True),
        ),
        migrations.AlterField(
            model_name="idempotencykey",
            name="scope",
            field=models.CharField(
                choices=[
                    ("request", "Request"),
                    ("record", "Record"),
                    ("source", "Source"),
                    ("claim", "Claim"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="idempotencykey",
            constraint=models.CheckConstraint(
                condition=models.Q(("scope__in", ["request", "record", "source", "claim"])),
                name="memory_idempotencykey_scope_valid",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("utility_scope__in", ["record", "task"])),
                name="memory_project_utility_scope_valid",
            ),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("minimum_actors__gte", 1)),
                name="memory_project_minimum_actors_range",
            ),
        ),
    ]
