"""Whether signals enter utility, and how many suspicions ask for a look."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0011_indexes_of_the_loop"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="are_signals_in_utility",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="project",
            name="integrity_quorum",
            field=models.PositiveSmallIntegerField(db_default=2, default=2),
        ),
        migrations.AddConstraint(
            model_name="project",
            constraint=models.CheckConstraint(
                condition=models.Q(("integrity_quorum__gte", 1), ("integrity_quorum__lte", 10)),
                name="memory_project_integrity_quorum_range",
            ),
        ),
    ]
